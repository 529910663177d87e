import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoredSpan } from "@agate/spans";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ListVerb } from "../contract/listed-pages.fixture.ts";
import { listedPages } from "../contract/listed-pages.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanFilter } from "../span-query.ts";
import type { SpanStore } from "../span-store.ts";
import { openSqliteStore } from "./sqlite-store.ts";

/** Up to so many traces, or spans of them, are looked up and sorted; more are found by walking the list. */
const RARE_MATCHES = 20_000;
const SPANS_PER_TRACE = 40;
const PAGE = 1_000;
const project = "default";

const directory = mkdtempSync(join(tmpdir(), "agate-common-words-"));
let store: SpanStore;
beforeAll(async () => {
  store = await openSqliteStore({ directory });
});
afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

function spanOf(n: number): StoredSpan {
  const trace = Math.floor(n / SPANS_PER_TRACE);
  return storedSpan({
    traceId: traceIdOf(trace),
    id: spanIdOf(n),
    parentId: n % SPANS_PER_TRACE === 0 ? null : spanIdOf(trace * SPANS_PER_TRACE),
    name: n % 50 === 0 ? "common scarce" : "common",
    // Several start together: then the id decides.
    start: Math.floor(n / 3),
    environment: n % 2 === 0 ? "production" : null,
    status: n % 400 === 0 ? "ERROR" : "OK",
  });
}

async function append(spans: readonly StoredSpan[]): Promise<void> {
  expect(await store.append({ project, receivedAt: 1, spans })).toEqual({ kind: "committed" });
  await store.searchCaughtUp();
}

async function idsOf(verb: ListVerb, filter: SpanFilter): Promise<string[]> {
  return (await listedPages(store, verb, { project, filter, limit: PAGE })).flat();
}

const newestFirst = (spans: readonly StoredSpan[]) =>
  spans.toSorted((a, b) => b.start - a.start || (a.id < b.id ? 1 : -1)).map(({ id }) => id);

async function expectFound(spans: readonly StoredSpan[]): Promise<void> {
  const tops = spans.filter(({ parentId }) => parentId === null);
  const filters: [SpanFilter, (span: StoredSpan) => boolean][] = [
    [{ text: "common" }, () => true],
    [{ text: "common scarce" }, ({ name }) => name.includes("scarce")],
    [{ text: "common", environment: "production" }, ({ environment }) => environment !== null],
    [{ text: "common", status: "ERROR" }, ({ status }) => status === "ERROR"],
    [{ text: "comm*", startedFrom: spans[300]!.start }, ({ start }) => start >= spans[300]!.start],
    [{ text: '"common common"' }, () => false],
  ];
  for (const [filter, matches] of filters) {
    expect(await idsOf("listSpans", filter), JSON.stringify(filter)).toEqual(
      newestFirst(spans.filter(matches)),
    );
  }
  expect(await idsOf("listTraces", { text: "common", status: "ERROR" })).toEqual(
    tops
      .filter(({ status }) => status === "ERROR")
      .map(({ traceId }) => traceId)
      .reverse(),
  );
}

it(`finds the same by a word that the spans of traces with ${RARE_MATCHES} spans have, and one more`, async () => {
  const spans = Array.from({ length: RARE_MATCHES }, (_, n) => spanOf(n));
  await append(spans);
  await expectFound(spans);
  const more = Array.from({ length: 3 }, (_, n) => spanOf(RARE_MATCHES + n));
  await append(more);
  await expectFound([...spans, ...more]);
}, 120_000);

it(`finds the same by a word that ${RARE_MATCHES} traces have, and one more`, async () => {
  const alone = (n: number) =>
    storedSpan({
      traceId: traceIdOf(1_000_000 + n),
      id: spanIdOf(1_000_000 + n),
      name: n % 400 === 0 ? "alone scarce" : "alone",
      start: n,
    });
  const newestTraces = (spans: readonly StoredSpan[]) =>
    spans.map(({ traceId }) => traceId).reverse();
  const spans = Array.from({ length: RARE_MATCHES }, (_, n) => alone(n));
  for (const more of [spans, [alone(RARE_MATCHES)]]) {
    await append(more);
    if (more !== spans) spans.push(...more);
    expect(await idsOf("listTraces", { text: "alone" })).toEqual(newestTraces(spans));
    expect(await idsOf("listTraces", { text: "alone scarce" })).toEqual(
      newestTraces(spans.filter(({ name }) => name.includes("scarce"))),
    );
    expect(await idsOf("listTraces", { text: '"alone scarce"' })).toEqual(
      newestTraces(spans.filter(({ name }) => name === "alone scarce")),
    );
    expect(await idsOf("listTraces", { text: '"scarce alone"' })).toEqual([]);
    expect(await idsOf("listTraces", { text: '"alone alone" alone' })).toEqual([]);
  }
}, 240_000);

it("finds a common word behind as many newer traces without it as are asked one by one, and one more", async () => {
  const own = "behind";
  const spanAt = (n: number, name: string) =>
    storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n), start: n, name });
  const appendFrom = async (from: number, to: number, name: string) => {
    const spans = Array.from({ length: to - from }, (_, n) => spanAt(from + n, name));
    await store.append({ project: own, receivedAt: 1, spans });
    await store.searchCaughtUp();
  };
  const EARLY = RARE_MATCHES + 1;
  await appendFrom(0, EARLY, "early bird");
  // 2,000 traces are asked one by one, and 4,000 spans.
  let newer = 0;
  for (const count of [1_998, 1_999, 2_000, 2_001, 3_998, 3_999, 4_000, 4_001]) {
    await appendFrom(EARLY + newer, EARLY + count, "late");
    newer = count;
    for (const verb of ["listTraces", "listSpans"] as const) {
      for (const text of ["early", "early bird"]) {
        const request = { project: own, filter: { text }, limit: 2, after: null };
        const first = await store[verb](request);
        const second = await store[verb]({ ...request, after: first.next });
        const starts = [...first.items, ...second.items].map((item) => JSON.parse(item).trace_id);
        const wanted = [1, 2, 3, 4].map((n) => traceIdOf(EARLY - n));
        expect(starts, `${verb} ${text} ${count}`).toEqual(wanted);
      }
      const absent = { text: "late early" };
      const none = await store[verb]({ project: own, filter: absent, limit: 2, after: null });
      expect(none.items).toEqual([]);
    }
  }
}, 240_000);

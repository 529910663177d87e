import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoredSpan } from "@agate/spans";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { GrowingBytes } from "../growing-bytes.ts";
import type { ListPosition, SpanFilter } from "../span-query.ts";
import type { SpanStore } from "../span-store.ts";
import { countReads } from "./phrase-reads.fixture.ts";
import type { QueryRunner } from "./query-runner.ts";
import { openSqliteStore } from "./sqlite-store.ts";

/** Traces of a list that are asked for common terms one by one. */
const WALKED = 2_000;
/** Bytes of records that are read for a page, and traces of which these are. */
const READ_BYTES = 64 * 1024 ** 2;
const READ_TRACES = 1_000;
const PHRASE = { text: '"red fox"' };

const directory = mkdtempSync(join(tmpdir(), "agate-phrase-pages-"));
let store: SpanStore;
beforeAll(async () => {
  store = await openSqliteStore({ directory });
});
afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

async function append(project: string, spans: readonly StoredSpan[]): Promise<void> {
  expect(await store.append({ project, receivedAt: 1, spans })).toEqual({ kind: "committed" });
}

/** The numbers of the traces on each page of a list. */
function pagesOf(runner: QueryRunner, project: string, filter: SpanFilter, limit: number) {
  const pages: number[][] = [];
  let after: ListPosition | null = null;
  do {
    const { items, next } = runner.listTraces(1, { project, filter, limit, after });
    pages.push(items.map((item) => Number.parseInt(JSON.parse(item).trace_id, 16)));
    after = next;
  } while (after !== null);
  return pages;
}

const oneSpan = (n: number, name: string) =>
  storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n), start: n, name });

describe.each([
  ["walked", 10],
  ["looked up", 20_000],
])("the traces with the words of a phrase, where they are %s,", (way, rareMatches) => {
  it.each([READ_TRACES, READ_TRACES + 1, WALKED - 1, WALKED, WALKED + 1, 3_500])(
    "are each read once for all pages, of %i traces",
    async (count) => {
      const project = `${way}-${count}`;
      // Newest first: only the last two have the phrase.
      const nameOf = (n: number) => (n < 2 ? "red fox" : "fox red");
      await append(
        project,
        Array.from({ length: count }, (_, n) => oneSpan(n, nameOf(n))),
      );
      await store.searchCaughtUp();
      let pages: number[][] = [];
      const reads = countReads(directory, rareMatches, (runner) => {
        pages = pagesOf(runner, project, PHRASE, 10);
      });
      expect(reads).toBe(count);
      expect(pages.flat()).toEqual([1, 0]);
      expect(pages).toHaveLength(Math.ceil(count / READ_TRACES));
    },
  );

  it.each([50, 300, 1_000])("are the same in pages of %i", async (limit) => {
    const project = `sizes-${way}-${limit}`;
    const NAMES = ["red fox", "fox red", "red", "fox", "a red fox here", "hen"];
    // From the last digits of squares, so that neighbours differ.
    const nameOf = (n: number) => NAMES[(n * n + (n >> 3)) % NAMES.length] as string;
    const numbers = Array.from({ length: WALKED + 500 }, (_, n) => n);
    await append(
      project,
      numbers.map((n) => oneSpan(n, nameOf(n))),
    );
    await store.searchCaughtUp();
    const filters: [SpanFilter, (name: string) => boolean][] = [
      [PHRASE, (name) => name.includes("red fox")],
      [{ text: '"red fox" here' }, (name) => name.includes("here")],
      [{ text: "red fox" }, (name) => name.includes("red") && name.includes("fox")],
      [{ text: '"fox red" hen' }, () => false],
    ];
    countReads(directory, rareMatches, (runner) => {
      for (const [filter, isFound] of filters) {
        const pages = pagesOf(runner, project, filter, limit);
        const wanted = numbers.filter((n) => isFound(nameOf(n))).reverse();
        expect(pages.flat(), filter.text).toEqual(wanted);
        expect(pages.every((page) => page.length <= limit)).toBe(true);
      }
    });
  });
});

/** Of such a trace, with a megabyte each. */
const SPANS = 8;
const FULL_PAGE = READ_BYTES / (SPANS * 1024 ** 2);

it.each([
  [FULL_PAGE, [[1, 0]]],
  [FULL_PAGE + 1, [[1], [0]]],
])("reads %i traces of 8 MiB, in as many pages as their bytes take", async (count, wanted) => {
  const project = `bytes-${count}`;
  const long = "fox red ".repeat(1024 ** 2 / 8);
  for (let n = 0; n < count; n++) {
    const spans = Array.from({ length: SPANS }, (_, at) =>
      storedSpan({
        traceId: traceIdOf(n),
        id: spanIdOf(n * SPANS + at),
        parentId: at === 0 ? null : spanIdOf(n * SPANS),
        start: n * SPANS + at,
        inputs: at === SPANS - 1 && n < 2 ? `${long} red fox` : `${long}${at}`,
      }),
    );
    await append(project, spans);
  }
  await store.searchCaughtUp();
  for (const rareMatches of [0, 20_000]) {
    let pages: number[][] = [];
    const reads = countReads(directory, rareMatches, (runner) => {
      pages = pagesOf(runner, project, { text: '"red red fox"' }, 10);
    });
    expect([reads, pages]).toEqual([count, wanted]);
  }
});

it("keeps no memory for the words of a long text that was read for a phrase", async () => {
  const inputs = "fox red ".repeat(1.25 * 1024 ** 2);
  await append("long", [storedSpan({ inputs })]);
  await store.searchCaughtUp();
  const write = vi.spyOn(GrowingBytes.prototype, "write");
  try {
    countReads(directory, 10, (runner) => {
      expect(pagesOf(runner, "long", PHRASE, 10)).toEqual([[1]]);
    });
    const written = write.mock.calls.map(([text]) => text.length);
    expect(Math.max(...written)).toBeGreaterThan(8 * 1024 ** 2);
    for (const each of write.mock.contexts as GrowingBytes[]) {
      expect(each.bytes.length).toBe(64 * 1024);
    }
  } finally {
    write.mockRestore();
  }
});

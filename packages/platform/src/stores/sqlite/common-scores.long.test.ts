import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { storedScore } from "../contract/stored-score.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { MOST_SCORES_PER_TRACE } from "../score-store.ts";
import type { SpanFilter } from "../span-query.ts";
import { openSqliteStore } from "./sqlite-store.ts";

/** Up to so many matches are looked up and sorted; more are found by walking the list. */
const RARE_MATCHES = 20_000;
const TRACES = RARE_MATCHES / MOST_SCORES_PER_TRACE + 2;
const project = "default";

it("finds the same by scores, on both sides of what is rare", async () => {
  const directory = mkdtempSync(join(tmpdir(), "agate-common-scores-"));
  const store = await openSqliteStore({ directory });
  const traceIds = Array.from({ length: TRACES }, (_, n) => traceIdOf(n + 1));
  const spans = traceIds.map((traceId, n) => storedSpan({ traceId, id: spanIdOf(n), start: n }));
  await store.append({ project, receivedAt: 1, spans });
  const put = async (trace: number, count: number, status: "ok" | "skipped" = "ok") => {
    const traceId = traceIds[trace] as string;
    const scores = Array.from({ length: count }, (_, n) =>
      storedScore({
        id: `${trace}-${status}-${n}`,
        traceId,
        spanId: spanIdOf(trace),
        status,
        value: status === "ok" ? n / count : null,
      }),
    );
    expect(await store.putScores({ project, scores })).toEqual({ kind: "committed" });
  };
  const found = async (verb: "listTraces" | "listSpans", test: ScoreTest) => {
    const filter: SpanFilter = { score: { name: "helpful", test } };
    const { items } = await store[verb]({ project, filter, limit: 100, after: null });
    return items.map((item): string => JSON.parse(item).trace_id);
  };
  const figures = async () => {
    const start = spans[0]?.start as number;
    const range = { from: start, to: start + 1_000, interval: 1_000 };
    const { names } = await store.scoreFigures({ project, filter: {}, ...range, groups: null });
    return names.map(({ count, skipped }) => [count, skipped]);
  };
  try {
    for (let n = 0; n < TRACES - 2; n++) await put(n, MOST_SCORES_PER_TRACE);
    const judged = traceIds.slice(0, TRACES - 2).reverse();
    const expectAll = async (all: readonly string[]) => {
      for (const verb of ["listTraces", "listSpans"] as const) {
        expect(await found(verb, "any")).toEqual(all);
        expect(await found(verb, { operator: ">=", value: 0 })).toEqual(judged);
        expect(await found(verb, { operator: "<", value: 0 })).toEqual([]);
        expect(await found(verb, "none")).toEqual(
          traceIds.toReversed().filter((id) => !all.includes(id)),
        );
      }
    };
    await expectAll(judged);
    expect(await figures()).toEqual([[RARE_MATCHES, 0]]);
    await put(TRACES - 2, 1, "skipped");
    await expectAll([traceIds[TRACES - 2] as string, ...judged]);
    expect(await figures()).toEqual([[RARE_MATCHES, 1]]);
  } finally {
    await store.close();
    await rm(directory, { recursive: true });
  }
}, 60_000);

type ScoreTest = NonNullable<SpanFilter["score"]>["test"];

import type { ListedSpan, Score, SpanRecord } from "@agate/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScoreCondition, StoredScore } from "../score-store.ts";
import { MOST_SCORES_PER_TRACE, SCORE_OPERATORS } from "../score-store.ts";
import type { TraceChange } from "../span-store.ts";
import { expectedTree } from "./expected-tree.fixture.ts";
import { family } from "./family.fixture.ts";
import { storedScore } from "./stored-score.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "./stored-span.fixture.ts";
import type { Subject } from "./subject.fixture.ts";

/** Judgements of spans, in every read. */
export function describeScores(subject: Subject): void {
  const put = async (scores: readonly StoredScore[]) =>
    expect(await subject.store.putScores({ project: subject.project, scores })).toEqual({
      kind: "committed",
    });
  const namesIn = (record: ListedSpan | undefined) =>
    record?.metadata.scores?.map(({ name }) => name);

  describe("scores", () => {
    it("are in the records of the spans that they judge, in every read", async () => {
      subject.fresh();
      const spans = family();
      await subject.append(spans);
      const [top, inner] = [spanIdOf(1), spanIdOf(3)];
      await put([
        storedScore({ name: "second", createdAt: 2, explanation: 'Weil "ä" \u0000 🙂' }),
        storedScore({ name: "third", createdAt: 3, spanId: top }),
        storedScore({ name: "first", createdAt: 1, spanId: top }),
        storedScore({ name: "inner", spanId: inner }),
      ]);
      const ofTop = ["first", "second", "third"];
      const tree = await subject.readTrace();
      expect(namesIn(tree)).toEqual(ofTop);
      expect(tree?.metadata.scores?.[1]?.explanation).toBe('Weil "ä" \u0000 🙂');
      expect(withoutScores(tree)).toEqual(expectedTree(spans));
      expect(namesIn(await subject.read({ kind: "span", spanId: top }))).toEqual(ofTop);
      expect(namesIn(await subject.read({ kind: "span", spanId: inner }))).toEqual(["inner"]);
      const { items: traces } = await subject.list("listTraces");
      expect(traces.map(namesIn)).toEqual([ofTop]);
      const { tops } = await subject.store.readTops(subject.project, [traceIdOf(1)]);
      expect(tops.map((text) => namesIn(JSON.parse(text)))).toEqual([ofTop]);
      const { items } = await subject.list("listSpans");
      expect(new Map(items.map((item) => [item.id, namesIn(item)]))).toEqual(
        new Map(
          spans.map(({ id }) => [
            id,
            // In a list of spans only those that name the span.
            id === top ? ["first", "third"] : id === inner ? ["inner"] : undefined,
          ]),
        ),
      );
    });

    it("replace those with the same id, and may come before their spans", async () => {
      subject.fresh();
      await put([storedScore({ value: 0 }), storedScore({ value: 0.25 })]);
      expect(await subject.readTrace()).toBeUndefined();
      await subject.append([storedSpan()]);
      await put([storedScore({ value: 0.5, createdAt: 5, receivedAt: 90_000_000_000_000 })]);
      const [score] = (await subject.readTrace())?.metadata.scores ?? [];
      expect(score).toMatchObject({ value: 0.5, created_at: "2026-11-01T00:00:00.000005Z" });
      expect((await subject.readTrace())?.metadata.scores).toHaveLength(1);
      expect(
        (
          await subject.list("listTraces", {
            score: { name: "helpful", test: { operator: "<", value: 0.5 } },
          })
        ).items,
      ).toEqual([]);
    });

    it("go with their trace, and by retention where there is none", async () => {
      subject.fresh();
      const project = subject.project;
      await subject.append([storedSpan()]);
      await put([storedScore()]);
      expect(await subject.store.deleteTrace(project, traceIdOf(1))).toEqual({ kind: "deleted" });
      await subject.append([storedSpan()]);
      expect((await subject.readTrace())?.metadata.scores).toBeUndefined();
      await put([storedScore({ traceId: traceIdOf(2) })]);
      expect(await subject.store.deleteTrace(project, traceIdOf(2))).toEqual({ kind: "deleted" });
      expect(await subject.store.deleteTrace(project, traceIdOf(2))).toEqual({ kind: "missing" });
      // Earlier than anything another test appends.
      await subject.append([storedSpan({ traceId: traceIdOf(3) })], 5);
      await put([storedScore({ traceId: traceIdOf(3), receivedAt: 7 })]);
      await put([storedScore({ traceId: traceIdOf(4), receivedAt: 8 })]);
      await put([storedScore({ traceId: traceIdOf(5), receivedAt: 9 })]);
      await subject.store.searchCaughtUp();
      expect(await subject.store.expire(9, 10)).toBe(2);
      for (const n of [3, 4, 5]) await subject.append([storedSpan({ traceId: traceIdOf(n) })]);
      expect((await subject.readTrace(3))?.metadata.scores).toBeUndefined();
      expect((await subject.readTrace(4))?.metadata.scores).toBeUndefined();
      expect((await subject.readTrace(5))?.metadata.scores).toHaveLength(1);
    });

    it("are limited in number for each trace", async () => {
      subject.fresh();
      await subject.append([storedSpan()]);
      const scores = Array.from({ length: MOST_SCORES_PER_TRACE - 1 }, (_, n) =>
        storedScore({ id: `score-${n}`, createdAt: n }),
      );
      await put(scores);
      const batch = [
        storedScore({ id: "score-0", value: 0 }),
        storedScore({ id: "last" }),
        storedScore({ id: "one too many" }),
        storedScore({ id: "of another", traceId: traceIdOf(2) }),
      ];
      expect(await subject.store.putScores({ project: subject.project, scores: batch })).toEqual({
        kind: "partly-committed",
        rejected: new Map([["one too many", "trace-full"]]),
      });
      const stored = (await subject.readTrace())?.metadata.scores ?? [];
      expect(stored).toHaveLength(MOST_SCORES_PER_TRACE);
      expect(stored.find(({ id }) => id === "score-0")?.value).toBe(0);
    });

    it("are told to watchers of their traces", async () => {
      subject.fresh();
      const seen: TraceChange[] = [];
      const watch = subject.store.watch((changes) => {
        seen.push(...changes.filter((change) => change.project === subject.project));
      });
      await watch.ready;
      const change = { project: subject.project, traceId: traceIdOf(1) };
      await subject.append([storedSpan()]);
      // A commit may be told after its acknowledgement: waited for, or it would be taken for the score's.
      await expect.poll(() => seen).toEqual([{ ...change, isNew: true }]);
      await put([storedScore()]);
      await expect.poll(() => seen.slice(1)).toEqual([{ ...change, isNew: false }]);
      watch.stop();
    });

    it("are found by filters as a plain list of them would be, and shown in every read", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyScore, { maxLength: 12 }),
          anyCondition,
          async (sent, score) => {
            subject.fresh();
            await subject.append(SPANS);
            for (const one of sent) await put([one]);
            const model = [...new Map(sent.map((one) => [one.id, one])).values()];
            const traces = await subject.list("listTraces", { score });
            expect(traces.items.map(({ trace_id }) => trace_id).sort()).toEqual(
              [1, 2].map(traceIdOf).filter((traceId) =>
                matches(
                  score,
                  model.filter((one) => one.traceId === traceId),
                ),
              ),
            );
            const spans = await subject.list("listSpans", { score });
            expect(spans.items.map(({ id }) => id).sort()).toEqual(
              SPANS.map(({ id }) => id)
                .filter((id) =>
                  matches(
                    score,
                    model.filter(({ spanId }) => spanId === id),
                  ),
                )
                .sort(),
            );
            for (const n of [1, 2]) {
              const tree = (await subject.readTrace(n)) as SpanRecord;
              const own = model.filter(({ traceId }) => traceId === traceIdOf(n));
              expect(scoresIn(tree)).toEqual(
                own.map((one) => JSON.parse(one.record) as Score).sort(byId),
              );
            }
          },
        ),
        { numRuns: Math.ceil(subject.arrivals / 3) },
      );
    });
  });
}

const SPANS = [1, 2].flatMap((n) => [
  storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n * 10) }),
  storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n * 10 + 1), parentId: spanIdOf(n * 10) }),
]);

const anyValue = fc.constantFrom(0, 0.25, 0.5, 1);
const anyName = fc.constantFrom("helpful", "safe");

const anyScore = fc
  .record({
    span: fc.constantFrom(null, ...SPANS),
    trace: fc.constantFrom(1, 2),
    name: anyName,
    value: anyValue,
    status: fc.constantFrom("ok", "ok", "skipped", "failed"),
    createdAt: fc.nat(3),
  })
  .map(({ span, trace, value, status, ...rest }) =>
    storedScore({
      ...rest,
      traceId: span?.traceId ?? traceIdOf(trace),
      spanId: span?.id ?? null,
      status,
      value: status === "ok" ? value : null,
    }),
  );

const anyCondition: fc.Arbitrary<ScoreCondition> = fc.record({
  name: anyName,
  test: fc.oneof(
    fc.constantFrom("any", "none", "skipped", "failed"),
    fc.record({ operator: fc.constantFrom(...SCORE_OPERATORS), value: anyValue }),
  ),
});

/** Whether a condition holds for the scores of a trace or a span, told without SQL. */
function matches({ name, test }: ScoreCondition, scores: readonly StoredScore[]): boolean {
  const named = scores.filter((score) => score.name === name);
  if (test === "none") return named.length === 0;
  return named.some(({ value, status }) => {
    if (test === "any") return true;
    if (typeof test === "string") return status === test;
    if (value === null) return false;
    const order = Math.sign(value - test.value);
    return { "<": [-1], "<=": [-1, 0], "=": [0], ">=": [0, 1], ">": [1] }[test.operator].includes(
      order,
    );
  });
}

function scoresIn(record: SpanRecord): Score[] {
  const own = record.metadata.scores ?? [];
  return [...own, ...(record.children ?? []).flatMap(scoresIn)].sort(byId);
}

function byId(a: Score, b: Score): number {
  return a.id < b.id ? -1 : 1;
}

function withoutScores(record: SpanRecord | undefined): SpanRecord | undefined {
  if (record === undefined) return undefined;
  const { scores: _, ...metadata } = record.metadata;
  const children = record.children?.map((child) => withoutScores(child) as SpanRecord) ?? null;
  return { ...record, metadata, children };
}

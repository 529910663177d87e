import type { Score, ScoreGrouping } from "@agate/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScoreFigures, ScoreFiguresRequest, ScoreFiguresResult } from "../score-query.ts";
import { MOST_SCORE_LABELS, MOST_SCORE_NAMES, NO_SCORES_FOUND } from "../score-query.ts";
import type { StoredScore } from "../score-store.ts";
import { storedScore } from "./stored-score.fixture.ts";
import type { SpanSketch } from "./stored-span.fixture.ts";
import { storedSpan, traceIdOf } from "./stored-span.fixture.ts";
import type { Subject } from "./subject.fixture.ts";

const START = storedSpan().start;
const BASE = START - (START % 1000);

/** Figures of scores: by name, over time and in groups. */
export function describeScoreFigures(subject: Subject): void {
  const put = async (scores: readonly StoredScore[]) => {
    if (scores.length === 0) return;
    const outcome = await subject.store.putScores({ project: subject.project, scores });
    expect(outcome).toEqual({ kind: "committed" });
  };
  const appendTraces = (sketches: readonly SpanSketch[]) =>
    subject.append(
      sketches.map((sketch, n) =>
        storedSpan({ ...sketch, traceId: traceIdOf(n), start: BASE - START + (sketch.start ?? 0) }),
      ),
    );
  const ask = (request: Partial<ScoreFiguresRequest> = {}) =>
    subject.store.scoreFigures({
      project: subject.project,
      filter: {},
      from: BASE,
      to: BASE + 3000,
      interval: 1000,
      groups: null,
      ...request,
    });

  describe("figures of scores", () => {
    it("are empty where nothing is judged, matches or can match", async () => {
      subject.fresh();
      expect(await ask()).toEqual(NO_SCORES_FOUND);
      await appendTraces([{}]);
      // Of a trace that is missing, and of one outside of the range.
      await put([storedScore({ traceId: traceIdOf(7) })]);
      expect(await ask()).toEqual(NO_SCORES_FOUND);
      await put([storedScore({ traceId: traceIdOf(0) })]);
      expect((await ask()).names).toHaveLength(1);
      for (const filter of [{ name: "no such" }, { text: "?" }]) {
        const groups = { by: "route", limit: 3 } as const;
        expect(await ask({ filter, groups })).toEqual(NO_SCORES_FOUND);
      }
      expect(await ask({ from: BASE + 1000 })).toEqual(NO_SCORES_FOUND);
    });

    it("count what was skipped or has failed apart, never as 0", async () => {
      subject.fresh();
      await appendTraces([{}]);
      const judged = (id: string, status: "ok" | "skipped" | "failed", value: number | null) =>
        storedScore({ id, traceId: traceIdOf(0), status, value });
      await put([
        judged("a", "ok", 0.2),
        judged("b", "ok", 0.1),
        judged("c", "ok", null),
        judged("d", "skipped", null),
        judged("e", "failed", null),
        judged("f", "failed", null),
      ]);
      const figures = { count: 3, skipped: 1, failed: 2, withValue: 2, mean: 0.15 };
      const [helpful] = (await ask()).names;
      expect(helpful).toEqual({
        name: "helpful",
        ...figures,
        buckets: [{ start: BASE, ...figures }],
        labels: [],
        groups: [],
      });
      // Replaced, and deleted with its trace.
      await put([judged("b", "failed", null)]);
      expect((await ask()).names[0]).toMatchObject({ count: 2, failed: 3, mean: 0.2 });
      await subject.store.deleteTrace(subject.project, traceIdOf(0));
      expect(await ask()).toEqual(NO_SCORES_FOUND);
    });

    it("have no mean where values are too large to be added", async () => {
      subject.fresh();
      await appendTraces([{}]);
      const largest = { traceId: traceIdOf(0), value: 1e308 };
      await put([storedScore({ ...largest, id: "a" })]);
      expect((await ask()).names[0]?.mean).toBe(1e308);
      await put([storedScore({ ...largest, id: "b" })]);
      expect((await ask()).names[0]).toMatchObject({ count: 2, withValue: 2, mean: null });
    });

    it("name those with most scores, and count the most frequent labels", async () => {
      subject.fresh();
      await appendTraces([{}]);
      const named = Array.from({ length: MOST_SCORE_NAMES }, (_, n) =>
        storedScore({ name: `name-${n}`, traceId: traceIdOf(0) }),
      );
      const label = (n: number, again = 0) =>
        storedScore({
          id: `${n}-${again}`,
          name: "labelled",
          label: `l${n}`,
          traceId: traceIdOf(0),
        });
      const labels = Array.from({ length: MOST_SCORE_LABELS + 1 }, (_, n) => label(10 + n));
      await put([...named.slice(1), ...labels.slice(1), label(15, 1)]);
      const exactly = await ask();
      expect(exactly.names).toHaveLength(MOST_SCORE_NAMES);
      expect(exactly.namesLeftOut).toBe(0);
      expect(exactly.names[0]?.labels).toHaveLength(MOST_SCORE_LABELS);
      await put([named[0] as StoredScore, labels[0] as StoredScore]);
      const { names, namesLeftOut } = await ask();
      expect(names).toHaveLength(MOST_SCORE_NAMES);
      expect(namesLeftOut).toBe(1);
      expect(names[0]).toMatchObject({ name: "labelled", count: MOST_SCORE_LABELS + 2 });
      expect(names[0]?.labels.slice(0, 3)).toEqual([
        { label: "l15", count: 2 },
        { label: "l10", count: 1 },
        { label: "l11", count: 1 },
      ]);
      expect(names[0]?.labels).toHaveLength(MOST_SCORE_LABELS);
      expect(names[1]?.name).toBe("name-0");
    });

    it("are what a plain list of scores and traces tells", async () => {
      await fc.assert(
        fc.asyncProperty(history, async ({ traces, scores, by, limit }) => {
          subject.fresh();
          await appendTraces(traces);
          await put(scores);
          for (const groups of [null, { by, limit }]) {
            const request = { from: BASE + 1000, groups };
            expect(await ask(request)).toEqual(
              expectedFigures(traces, scores, request.from, groups),
            );
          }
          const latest = [...new Map(scores.map((one) => [one.id, one])).values()];
          const ofModels = latest.filter((one) => kindOf(one) === "model");
          expect(await ask({ source: "model" })).toEqual(
            expectedFigures(traces, ofModels, BASE, null),
          );
          const own = traces.map(({ route }) => route === "/a");
          const judged = scores.filter(({ traceId }) => own[numberOf(traceId)]);
          expect(await ask({ filter: { route: "/a" } })).toEqual(
            expectedFigures(traces, judged, BASE, null),
          );
        }),
        { numRuns: Math.ceil(subject.arrivals / 3) },
      );
    });
  });
}

const some = (...texts: string[]) => fc.option(fc.constantFrom(...texts), { nil: null });

const trace = fc.record({
  start: fc.nat(2999),
  application: some("shop", "s\u0000p"),
  route: some("/a", "/b"),
  variant: some("default", "blue"),
  revision: fc.option(fc.constantFrom(1, 2, 10), { nil: null }),
  environment: some("production", "staging"),
});

const score = fc
  .record({
    traceId: fc.nat(9).map(traceIdOf),
    name: fc.constantFrom("helpful", "safe", "short"),
    id: fc.nat(4),
    status: fc.constantFrom("ok", "ok", "ok", "skipped", "failed"),
    value: fc.option(fc.constantFrom(0, 0.1, 0.25, 1, -3, 1e6), { nil: null }),
    label: some("yes", "no", "pérhaps", "\u0000"),
    kind: fc.constantFrom("code", "model", "end_user"),
    explanation: fc.constantFrom("", '"source":{"kind":"human"', "\u0000"),
  })
  .map(({ id, value, ...rest }) =>
    storedScore({
      ...rest,
      id: `${rest.traceId}-${rest.name}-${id}`,
      value: rest.status === "ok" ? value : null,
    }),
  );

const GROUPINGS: readonly ScoreGrouping[] = [
  "application",
  "route",
  "variant",
  "revision",
  "environment",
  "source",
];

const history = fc.record({
  traces: fc.array(trace, { minLength: 1, maxLength: 8 }),
  scores: fc.array(score, { maxLength: 40 }),
  by: fc.constantFrom(...GROUPINGS),
  limit: fc.constantFrom(1, 2, 50),
});

type Trace = typeof trace extends fc.Arbitrary<infer Value> ? Value : never;

function numberOf(traceId: string): number {
  return Array.from({ length: 10 }, (_, n) => traceIdOf(n)).indexOf(traceId);
}

/** The figures, told without SQL. */
function expectedFigures(
  traces: readonly Trace[],
  sent: readonly StoredScore[],
  from: number,
  groups: ScoreFiguresRequest["groups"],
): ScoreFiguresResult {
  const latest = [...new Map(sent.map((one) => [one.id, one])).values()];
  const judged = latest.flatMap((one) => {
    const of = traces[numberOf(one.traceId)];
    if (of === undefined || BASE + of.start < from) return [];
    const isByRevision = groups?.by === "revision";
    const key =
      groups?.by === "source"
        ? kindOf(one)
        : isByRevision
          ? of.variant
          : groups && of[groups.by as "route"];
    const group = JSON.stringify([key, isByRevision ? of.revision : null]);
    return [{ ...one, start: BASE + of.start - (of.start % 1000), group }];
  });
  type Judged = (typeof judged)[number];
  const buckets = (own: readonly Judged[]) =>
    [...Map.groupBy(own, ({ start }) => start)]
      .sort(([a], [b]) => a - b)
      .map(([start, those]) => ({ start, ...figures(those) }));
  const names = byFrequency(judged, ({ name }) => name);
  const allGroups = groups === null ? [] : byFrequency(judged, ({ group }) => group, groupOrder);
  return {
    names: names.map((name) => {
      const own = judged.filter((one) => one.name === name);
      const labelled = own.filter(({ status, label }) => status === "ok" && label !== null);
      return {
        name,
        ...figures(own),
        buckets: buckets(own),
        labels: byFrequency(labelled, ({ label }) => label as string).map((label) => ({
          label,
          count: labelled.filter((one) => one.label === label).length,
        })),
        groups: allGroups.slice(0, groups?.limit).flatMap((group) => {
          const [key, revision] = JSON.parse(group) as [string | null, number | null];
          const those = own.filter((one) => one.group === group);
          return those.length === 0
            ? []
            : [{ key, revision, ...figures(those), buckets: buckets(those) }];
        }),
      };
    }),
    namesLeftOut: 0,
    groupsLeftOut: allGroups.slice(groups?.limit ?? 0).length,
  };
}

function kindOf({ record }: StoredScore): string {
  return (JSON.parse(record) as Score).source.kind;
}

function figures(scores: readonly StoredScore[]): ScoreFigures {
  const having = (status: string) => scores.filter((one) => one.status === status).length;
  const values = scores.flatMap(({ value }) => value ?? []);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    count: having("ok"),
    skipped: having("skipped"),
    failed: having("failed"),
    withValue: values.length,
    mean: values.length === 0 ? null : (expect.closeTo(mean, 9) as number),
  };
}

/** The keys of some items, the most frequent first. */
function byFrequency<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  compare: (a: string, b: string) => number = (a, b) => (a < b ? -1 : 1),
): string[] {
  return [...Map.groupBy(items, keyOf)]
    .sort(([a, x], [b, y]) => y.length - x.length || compare(a, b))
    .map(([key]) => key);
}

/** By key, then by revision; null last. */
function groupOrder(a: string, b: string): number {
  const [[key, revision], [other, another]] = [JSON.parse(a), JSON.parse(b)];
  if (key !== other) return key === null ? 1 : other === null ? -1 : key < other ? -1 : 1;
  return (revision ?? Number.POSITIVE_INFINITY) - (another ?? Number.POSITIVE_INFINITY);
}

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeRun, type ScoreOutcome } from "../statistics/index.ts";
import { type RunShape, RunTally, type TalliedResult } from "./run-tally.ts";

const outcome: fc.Arbitrary<ScoreOutcome> = fc.oneof(
  fc.constantFrom<ScoreOutcome>(0, 1, "skipped", "failed"),
  fc.double({ min: 0, max: 1, noNaN: true }),
);
const amount = fc.option(fc.double({ min: 0, max: 100, noNaN: true }));
const result: fc.Arbitrary<TalliedResult> = fc.record({
  status: fc.constantFrom("ok", "ok", "ok", "error"),
  latency: amount,
  cost: amount,
  judgeCost: amount,
  outcomes: fc.dictionary(fc.constantFrom("a", "b", "unknown"), outcome),
});

/** A run, and for each item (case, column, trial) its result, if it has one. */
const runs = fc
  .record({
    cases: fc.integer({ min: 0, max: 6 }),
    trials: fc.integer({ min: 1, max: 3 }),
    columns: fc.constantFrom(["new"], ["new", "baseline"], ["new", "other", "baseline"]),
  })
  .chain((sizes) => {
    const shape: RunShape = { ...sizes, scorers: ["a", "b"] };
    const items = shape.cases * shape.trials * shape.columns.length;
    const results = fc.array(fc.option(result), { minLength: items, maxLength: items });
    return fc.record({ shape: fc.constant(shape), results });
  });

function tallied({ shape, results }: Run) {
  const tally = new RunTally(shape);
  for (const each of itemsOf(shape)) {
    const found = results[each.at];
    if (found) tally.add(each, found);
  }
  return tally;
}

interface Run {
  readonly shape: RunShape;
  readonly results: readonly (TalliedResult | null)[];
}

function itemsOf({ cases, trials, columns }: RunShape) {
  return Array.from({ length: cases * trials * columns.length }, (_, at) => ({
    at,
    column: at % columns.length,
    trial: Math.floor(at / columns.length) % trials,
    case: Math.floor(at / columns.length / trials),
  }));
}

/** What the results of one case in one column say of a score, with a failure for each that lacks. */
function outcomesOf({ shape, results }: Run, index: number, column: number, score: string) {
  return itemsOf(shape)
    .filter((item) => item.case === index && item.column === column)
    .map(({ at }): ScoreOutcome => {
      const found = results[at];
      return found?.status === "ok" ? (found.outcomes[score] ?? "failed") : "failed";
    });
}

const GATES = {
  scores: { a: { min: 0.5, notWorseBy: 0.2 }, b: { min: 0.1 }, unheard: { min: 0 } },
  cost: { mean: 50 },
  latency: { p95: 90 },
  errors: { share: 0.2 },
};

describe("a tally", () => {
  it("has the verdict of judgeRun on all results at once", () => {
    fc.assert(
      fc.property(runs, (run) => {
        const { shape, results } = run;
        const baseline = shape.columns.indexOf("baseline");
        const casesOf = (score: string) =>
          Array.from({ length: shape.cases }, (_, index) => ({
            candidate: outcomesOf(run, index, 0, score),
            ...(baseline > 0 && { baseline: outcomesOf(run, index, baseline, score) }),
          }));
        const ours = itemsOf(shape).filter(({ column }) => column === 0);
        const made = ours.flatMap(({ at }) => results[at] ?? []);
        const figure = (name: "latency" | "cost") =>
          ours.map(
            ({ at }) => (results[at]?.status === "ok" ? results[at][name] : null) ?? undefined,
          );
        const expected = judgeRun(GATES, {
          scores: { a: casesOf("a"), b: casesOf("b") },
          calls: {
            latencies: figure("latency"),
            costs: figure("cost"),
            errors: made.filter(({ status }) => status === "error").length,
            calls: made.length,
            missing: ours.length - made.length,
          },
        });
        expect(tallied(run).judge(GATES)).toEqual(expected);
      }),
    );
  });

  it("counts each outcome once, and lists as worse what its differences say", () => {
    fc.assert(
      fc.property(runs, (run) => {
        const { shape, results } = run;
        const tally = tallied(run);
        const { columns, scores } = tally.figures();
        for (const [number, column] of columns.entries()) {
          const own = itemsOf(shape).flatMap(({ at, column: of }) =>
            of === number ? [results[at] ?? null] : [],
          );
          const made = own.filter((each) => each !== null);
          expect(column.results).toBe(made.length);
          expect(column.missing).toBe(own.length - made.length);
          expect(column.errors).toBe(made.filter(({ status }) => status === "error").length);
          expect(column.cost.unknown).toBe(made.filter(({ cost }) => cost === null).length);
          for (const { columns: counted } of scores) {
            const { ok = 0, skipped = 0, failed = 0 } = counted[number] ?? {};
            expect(ok + skipped + failed).toBe(made.length);
          }
        }
        const listed = tally.worse(null).map((each) => each.case);
        for (let index = 0; index < shape.cases; index++) {
          const differences = Object.values(tally.differences(index));
          if (differences.some((each) => each !== null && each < 0))
            expect(listed).toContain(index);
          if (differences.every((each) => each !== null && each >= 0)) {
            expect(listed).not.toContain(index);
          }
        }
      }),
    );
  });

  it("lists first the cases that the candidate has no value for, then the worst", () => {
    const tally = new RunTally({
      cases: 4,
      trials: 1,
      columns: ["new", "baseline"],
      scorers: ["a", "b"],
    });
    const add = (index: number, column: number, outcomes: TalliedResult["outcomes"]) =>
      tally.add(
        { case: index, column, trial: 0 },
        { status: "ok", latency: 1, cost: 0, judgeCost: 0, outcomes },
      );
    add(0, 0, { a: 0.4, b: 1 });
    add(0, 1, { a: 0.5, b: 1 });
    add(1, 0, { a: 1, b: 0 });
    add(1, 1, { a: 0, b: 1 });
    add(2, 0, { a: 1, b: 1 });
    add(2, 1, { a: 1, b: "failed" });
    add(3, 0, { a: "failed", b: 1 });
    add(3, 1, { a: 0, b: 1 });
    expect(tally.worse(null).map((each) => each.case)).toEqual([3, 1, 0]);
    expect(tally.worse("b")).toEqual([{ case: 1, worst: -1 }]);
    expect(tally.worse("unknown")).toEqual([]);
    expect(tally.differences(1)).toEqual({ a: 1, b: -1 });
    expect(tally.differences(3)).toEqual({ a: null, b: 0 });
  });
});

it("takes nearest ranks, no latency of a call that failed, and no unknown cost for 0", () => {
  const shape = { cases: 100, trials: 1, columns: ["new"], scorers: [] };
  const tally = new RunTally(shape);
  for (let index = 0; index < 100; index++) {
    const status = index < 60 ? "ok" : "error";
    const judgeCost = index < 80 ? 0.25 : null;
    const figures = { latency: index + 1, cost: 0.5, judgeCost, outcomes: {} };
    tally.add({ case: index, column: 0, trial: 0 }, { status, ...figures });
  }
  expect(tally.figures().columns).toEqual([
    {
      column: "new",
      results: 100,
      errors: 40,
      missing: 0,
      latency_ms: { mean: 30.5, p50: 30, p95: 57 },
      cost: { total: 50, mean: 0.5, unknown: 0 },
      judge_cost: { total: 20, unknown: 20 },
    },
  ]);
});

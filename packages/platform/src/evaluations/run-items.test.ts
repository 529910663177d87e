import * as fc from "fast-check";
import { expect, it } from "vitest";
import { AdaptiveLimit } from "./adaptive-limit.ts";
import { CostCeiling } from "./cost-ceiling.ts";
import { planItems, seededRandom } from "./plan-items.ts";
import { MOST_REPEATS } from "./repeat-overloaded.ts";
import { type ItemResult, itemKey, type RunItem } from "./run-item.ts";
import {
  type CallAttempt,
  type ItemPerformer,
  type RunItemsOptions,
  runItems,
} from "./run-items.ts";

const keyOf = ({ column, case: row, trial }: RunItem) => itemKey({ column, case: row.id, trial });
const fine = { error: null, trace_id: null, span_id: null, latency: 1, cost: 0.25 } as const;
const ok = { status: "ok", value: 1 } as const;

const plans = fc.record({
  cases: fc
    .integer({ min: 1, max: 6 })
    .map((count) =>
      Array.from({ length: count }, (_, at) => ({ id: `case-${at}`, inputs: { at } })),
    ),
  columns: fc.constantFrom(["candidate"] as const, ["candidate", "baseline"] as const),
  trials: fc.integer({ min: 1, max: 3 }),
  seed: fc.nat(),
});

function options(performer: ItemPerformer, more: Partial<RunItemsOptions> = {}): RunItemsOptions {
  return {
    performer,
    concurrency: 4,
    scorers: ["right"],
    ceiling: new CostCeiling(undefined),
    onResult: () => {},
    signal: new AbortController().signal,
    random: () => 0.5,
    wait: () => Promise.resolve(),
    ...more,
  };
}

it("plans every item once, the columns of a trial next to each other", () => {
  void fc.assert(
    fc.property(plans, (plan) => {
      const items = [...planItems(plan)];
      expect([...planItems(plan)].map(keyOf)).toEqual(items.map(keyOf));
      expect(new Set(items.map(keyOf)).size).toBe(items.length);
      expect(items).toHaveLength(plan.cases.length * plan.columns.length * plan.trials);
      for (let from = 0; from < items.length; from += plan.columns.length) {
        const group = items.slice(from, from + plan.columns.length);
        expect(new Set(group.map(({ case: row, trial }) => `${row.id} ${trial}`)).size).toBe(1);
        expect(new Set(group.map(({ column }) => column))).toEqual(new Set(plan.columns));
      }
    }),
  );
});

it("begins with each column about as often", () => {
  const cases = Array.from({ length: 1000 }, (_, at) => ({ id: `${at}`, inputs: {} }));
  const items = [...planItems({ cases, columns: ["candidate", "baseline"], trials: 1, seed: 7 })];
  const first = items.filter(({ column }, at) => at % 2 === 0 && column === "candidate").length;
  expect(first).toBeGreaterThan(400);
  expect(first).toBeLessThan(600);
});

it("gives each item one result, repeats overloads alone, and keeps to its concurrency", async () => {
  const runs = fc.record({
    plan: plans,
    concurrency: fc.integer({ min: 1, max: 5 }),
    /** How often the call and the judge of an item are overloaded, and whether the call fails. */
    behaviour: fc.array(
      fc.record({ busyCalls: fc.nat(10), busyScores: fc.nat(3), fails: fc.boolean() }),
      { minLength: 1, maxLength: 5 },
    ),
    seed: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(runs, async ({ plan, concurrency, behaviour, seed }) => {
      const random = seededRandom(seed);
      const items = [...planItems(plan)];
      const expectedOf = (item: RunItem) =>
        behaviour[items.findIndex((each) => keyOf(each) === keyOf(item)) % behaviour.length]!;
      const [calls, scores] = [new Map<string, number>(), new Map<string, string[]>()];
      let [running, most] = [0, 0];
      const during = async <T>(value: T): Promise<T> => {
        most = Math.max(most, ++running);
        for (let turns = Math.floor(random() * 4); turns > 0; turns--) await Promise.resolve();
        running -= 1;
        return value;
      };
      const performer: ItemPerformer = {
        call(item) {
          const made = (calls.get(keyOf(item)) ?? 0) + 1;
          calls.set(keyOf(item), made);
          const { busyCalls, fails } = expectedOf(item);
          const isBusy = made <= busyCalls;
          const error = isBusy ? "busy" : fails ? "broken" : null;
          return during<CallAttempt>({ ...fine, error, ...(isBusy && { overload: {} }) });
        },
        score(item, _call, names) {
          const asked = scores.get(keyOf(item)) ?? [];
          asked.push((names ?? ["right", "judged"]).join());
          scores.set(keyOf(item), asked);
          const isBusy = asked.length <= expectedOf(item).busyScores;
          const judged = isBusy
            ? ({ status: "failed", error: "busy", overload: 429 } as const)
            : ok;
          const given = names === undefined ? { right: ok, judged } : { judged };
          return during({ scores: given, cost: 0.5 });
        },
      };
      const results: ItemResult[] = [];
      const end = await runItems(items[Symbol.iterator](), {
        ...options(performer),
        concurrency,
        onResult: (result) => void results.push(result),
      });
      expect(end).toBe("finished");
      expect(most).toBeLessThanOrEqual(concurrency);
      expect(results.map(itemKey).sort()).toEqual(items.map(keyOf).sort());
      for (const result of results) {
        const item = items.find((each) => keyOf(each) === itemKey(result))!;
        const { busyCalls, busyScores, fails } = expectedOf(item);
        const made = Math.min(busyCalls, MOST_REPEATS) + 1;
        expect(calls.get(itemKey(result))).toBe(made);
        expect(result.cost).toBe(made * 0.25);
        const hasFailed = busyCalls > MOST_REPEATS || fails;
        expect(result.error === null).toBe(!hasFailed);
        const asked = hasFailed ? undefined : ["right,judged", ...Array(busyScores).fill("judged")];
        expect(scores.get(itemKey(result))).toEqual(asked);
        if (hasFailed) expect(result.scores.right?.status).toBe("failed");
        else expect(result.scores).toEqual({ right: ok, judged: ok });
      }
    }),
    { numRuns: 60 },
  );
});

it("halves its concurrency once for all calls that were running, and restores it step by step", async () => {
  const limit = new AdaptiveLimit(8);
  const rounds = await Promise.all(Array.from({ length: 8 }, () => limit.acquire()));
  for (const round of rounds) limit.release(round, "overloaded");
  expect(limit.limit).toBe(4);
  for (let calls = 0; calls < 3; calls++) limit.release(await limit.acquire(), "done");
  expect(limit.limit).toBe(4);
  limit.release(await limit.acquire(), "done");
  expect(limit.limit).toBe(5);
  for (let halvings = 0; halvings < 5; halvings++) {
    limit.release(await limit.acquire(), "overloaded");
  }
  expect(limit.limit).toBe(1);
});

it("waits as long as the model asks for, else longer each time", async () => {
  const waits: number[] = [];
  let calls = 0;
  const performer: ItemPerformer = {
    call: async () => {
      calls += 1;
      const retryAfterMs = calls === 1 ? 90_000 : undefined;
      return calls > 3 ? fine : { ...fine, error: "busy", overload: { retryAfterMs } };
    },
    score: async () => ({ scores: { right: ok }, cost: 0 }),
  };
  const items = planItems({
    cases: [{ id: "a", inputs: {} }],
    columns: ["candidate"],
    trials: 1,
    seed: 1,
  });
  await runItems(items, {
    ...options(performer),
    wait: async (milliseconds) => void waits.push(milliseconds),
  });
  expect(waits).toEqual([90_000, 1500, 3000]);
});

it("stops with what is running: an item that waits for a busy model is left for later", async () => {
  const stop = new AbortController();
  const results: ItemResult[] = [];
  const performer: ItemPerformer = {
    call: async ({ case: row }) =>
      row.id === "busy" ? { ...fine, error: "busy", overload: {} } : fine,
    score: async () => ({ scores: { right: ok }, cost: 0 }),
  };
  const cases = ["fine", "busy", "late"].map((id) => ({ id, inputs: {} }));
  const items = planItems({ cases, columns: ["candidate"], trials: 1, seed: 1 });
  const end = await runItems(items, {
    ...options(performer),
    concurrency: 1,
    onResult: (result) => void results.push(result),
    signal: stop.signal,
    wait: async () => stop.abort(),
  });
  expect(end).toBe("interrupted");
  expect(results.map((result) => result.case)).toEqual(["fine"]);
});

it("stops at its ceiling, judges included, and at the first unknown cost", async () => {
  const cases = Array.from({ length: 10 }, (_, at) => ({ id: `${at}`, inputs: {} }));
  const run = async (ceiling: CostCeiling, judge: number | null) => {
    let results = 0;
    const items = planItems({ cases, columns: ["candidate"], trials: 1, seed: 1 });
    const performer: ItemPerformer = {
      call: async () => fine,
      score: async () => ({ scores: { right: ok }, cost: judge }),
    };
    const end = await runItems(items, {
      ...options(performer),
      concurrency: 1,
      ceiling,
      onResult: () => void results++,
    });
    return { end, results };
  };
  expect(await run(new CostCeiling(3), 0.75)).toEqual({ end: { stopped: "reached" }, results: 3 });
  expect(await run(new CostCeiling(30), 0.75)).toEqual({ end: "finished", results: 10 });
  expect(await run(new CostCeiling(30), null)).toEqual({ end: { stopped: "unknown" }, results: 1 });
  expect(await run(new CostCeiling(undefined), null)).toEqual({ end: "finished", results: 10 });
});

it("ends with what its sink throws, once running items are over", async () => {
  const performer: ItemPerformer = {
    call: async () => fine,
    score: async () => ({ scores: {}, cost: 0 }),
  };
  const cases = Array.from({ length: 10 }, (_, at) => ({ id: `${at}`, inputs: {} }));
  const items = planItems({ cases, columns: ["candidate"], trials: 1, seed: 1 });
  const onResult = () => {
    throw new Error("disk full");
  };
  await expect(runItems(items, { ...options(performer), onResult })).rejects.toThrow("disk full");
});

import type { RunItem, RunPlan } from "@agate/protocol";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Registry } from "../registry.ts";
import type { ExchangedItems, ResultToAdd, RunRef } from "../runs/run-registry.ts";
import { caseIds, result, startRun } from "./run.fixture.ts";
import type { Subject } from "./subject.fixture.ts";
import { done, keysOf, problem } from "./subject.fixture.ts";

const LEASE_MS = 1000;
const MOST = 4;
const PLAN: RunPlan = {
  cases: 6,
  concurrency: MOST,
  max_cost: null,
  environment: "development",
  build: null,
};

/** Results in and items out, in one transaction. */
export function describeRunExchange(subject: Subject): void {
  describe("the exchange of results for items", () => {
    let time = Date.UTC(2026, 7, 1);
    let registry: Registry;
    beforeEach(async () => {
      await subject.freshApplication();
      registry = await subject.registryWith(keysOf(subject.key), () => new Date(time));
    });
    const startPlanned = async (plan: Partial<RunPlan> = {}) =>
      (await startRun(subject, { runner: "platform", plan: { ...PLAN, ...plan } }, caseIds(6))).ref;
    const ask = (ref: RunRef, id: string, results: readonly ResultToAdd[], count = 9) =>
      registry.runs.exchange(ref, {
        results,
        lease: { count, ms: LEASE_MS, worker: { id, most: MOST } },
      });
    const exchange = async (
      ref: RunRef,
      id: string,
      items: readonly RunItem[] = [],
      value = 1,
    ): Promise<ExchangedItems> =>
      done(
        await ask(
          ref,
          id,
          items.map((item) => result(item, value)),
        ),
      );
    const stored = async (ref: RunRef) => {
      const any = { column: null, case: null };
      const { items } = done(await registry.runs.results(ref, any, { limit: 99, after: null }));
      return new Map(items.map((item) => [nameOf(item), item.scores[0]?.value]));
    };

    it("leases at once what the results make room for", async () => {
      const ref = await startPlanned();
      const first = await exchange(ref, "a");
      expect([first.kept, first.lease.items.length, first.lease.leased]).toEqual([[], 4, 4]);
      const second = await exchange(ref, "a", first.lease.items.slice(0, 3));
      expect(second.lease).toMatchObject({ leased: 4, run: { results: 3, items: 12 } });
      expect(second.lease.items).toHaveLength(3);
      const again = new Set([...first.lease.items, ...second.lease.items].map(nameOf));
      expect(again.size).toBe(7);
      expect(second.kept.map(nameOf)).toEqual(first.lease.items.slice(0, 3).map(nameOf));
      expect(second.kept[0]?.scores).toMatchObject([{ name: "right", value: 1, kind: "code" }]);
      // Without one to lease, only results are added.
      const last = done(await ask(ref, "a", [result(first.lease.items[3] as RunItem)], 0));
      expect(last.lease).toMatchObject({ items: [], leased: 3, run: { results: 4 } });
    });

    it("keeps the first result of an item that is sent again", async () => {
      const ref = await startPlanned();
      const { items } = (await exchange(ref, "a")).lease;
      const first = await exchange(ref, "a", items, 1);
      // The answer was lost.
      const second = await exchange(ref, "a", items, 0);
      expect(second.kept.map(nameOf).toSorted()).toEqual(items.map(nameOf).toSorted());
      expect(second.kept.map(({ scores }) => scores[0]?.value)).toEqual([1, 1, 1, 1]);
      expect(second.lease).toMatchObject({ items: [], leased: 4, run: { results: 4 } });
      expect(first.lease.items).toHaveLength(4);
      expect(await stored(ref)).toEqual(new Map(items.map((item) => [nameOf(item), 1])));
    });

    it("takes the first result of an item whose lease has lapsed", async () => {
      const ref = await startPlanned();
      const slow = (await exchange(ref, "a")).lease.items;
      time += LEASE_MS - 1;
      expect((await exchange(ref, "b")).lease.items).toEqual([]);
      time += 1;
      const taken = (await exchange(ref, "b")).lease.items;
      expect(taken).toEqual(slow);
      // It was slow, not dead.
      expect((await exchange(ref, "a", slow.slice(0, 2), 0)).lease.run.results).toBe(2);
      expect((await exchange(ref, "b", taken, 1)).lease.run.results).toBe(4);
      expect([...(await stored(ref)).values()].toSorted()).toEqual([0, 0, 1, 1]);
    });

    it("counts the costs of the results against the ceiling before it leases", async () => {
      // Each result costs 0.75.
      const ref = await startPlanned({ max_cost: 1.5 });
      const { items } = (await exchange(ref, "a")).lease;
      const below = await exchange(ref, "a", items.slice(0, 1));
      expect(below.lease).toMatchObject({ stop: undefined, items: [{}], leased: 4 });
      const reached = await exchange(ref, "a", items.slice(1, 2));
      expect(reached.lease).toMatchObject({ stop: "reached", items: [], leased: 3 });
      const other = await startPlanned({ max_cost: 100 });
      const [unknown] = (await exchange(other, "a")).lease.items;
      const costless = result(unknown as RunItem, 1, { cost: null });
      const stopped = done(await ask(other, "a", [costless]));
      expect(stopped.lease).toMatchObject({ stop: "unknown", items: [], leased: 3 });
    });

    it("tells with the last result that the run has all", async () => {
      const ref = await startPlanned();
      let items: readonly RunItem[] = [];
      let results = 0;
      do {
        const { lease } = await exchange(ref, "a", items);
        results += items.length;
        expect(lease.run.results).toBe(results);
        items = lease.items;
      } while (items.length > 0);
      expect(results).toBe(12);
    });

    it("does nothing where the run has ended, or a result is refused", async () => {
      const ref = await startPlanned();
      const { items } = (await exchange(ref, "a")).lease;
      const wrong = [result(items[0] as RunItem), result({ column: "candidate", case: "nope" })];
      expect(problem(await ask(ref, "a", wrong)).type).toBe("run_invalid");
      expect((await stored(ref)).size).toBe(0);
      done(await registry.runs.end(ref, { status: "stopped", reason: null }));
      expect(problem(await ask(ref, "a", [result(items[0] as RunItem)])).type).toBe("run_ended");
      expect((await stored(ref)).size).toBe(0);
      const none = { project: subject.project, run: "nope" };
      expect(problem(await ask(none, "a", [])).type).toBe("run_not_found");
      expect(problem(await ask({ ...none, run: "\u0000" }, "a", [])).type).toBe("run_not_found");
    });

    it("gives items with what their cases hold", async () => {
      const { ref } = await startRun(subject, { runner: "platform", plan: PLAN });
      const cases = [
        { id: "a", inputs: { n: 1 }, expected: null, metadata: { from: "x" } },
        { id: "b", inputs: "text" },
      ];
      done(await registry.runs.addCases(ref, cases));
      await registry.runs.purge(subject.project, { testset: "golden", row: "b" });
      done(await registry.runs.addCases(ref, [{ id: "c", inputs: [] }]));
      const { items } = done(await registry.runs.lease(ref, { count: 9, ms: LEASE_MS }));
      expect(new Map(items.map((item) => [item.case, item.content]))).toEqual(
        new Map<string, unknown>([
          ["a", { inputs: { n: 1 }, expected: null, metadata: { from: "x" } }],
          ["b", null],
          ["c", { inputs: [], metadata: {} }],
        ]),
      );
    });

    it("does what adding results and leasing do one after the other", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(steps, { maxLength: 25 }), async (history) => {
          const [ref, other] = [await startPlanned(), await startPlanned()];
          const held = new Map<string, readonly RunItem[]>();
          for (const { worker, answered, count, ms } of history) {
            time += ms;
            const before = held.get(worker) ?? [];
            const results = before.slice(0, answered).map((item) => result(item));
            const { kept, lease } = done(await ask(ref, worker, results, count));
            const added =
              results.length === 0 ? undefined : await registry.runs.addResults(other, results);
            const asked = { count, ms: LEASE_MS, worker: { id: worker, most: MOST } };
            const leased = done(await registry.runs.lease(other, asked));
            expect(kept.map(nameOf)).toEqual(added ? done(added).kept.map(nameOf) : []);
            expect(lease.items).toEqual(leased.items);
            expect([lease.leased, lease.run.results]).toEqual([leased.leased, leased.run.results]);
            held.set(worker, [...before.slice(answered), ...lease.items]);
          }
        }),
        { numRuns: Math.max(3, Math.floor(subject.histories / 4)) },
      );
    });

    it("gives no item twice to servers that exchange at once", async () => {
      const { ref } = await startRun(subject, { trials: 2, runner: "platform" }, caseIds(20));
      const servers = await Promise.all(
        ["a", "b", "c"].map(async (id) => ({
          id,
          runs: (await subject.registryWith(keysOf(subject.key), () => new Date(time))).runs,
        })),
      );
      const given: string[] = [];
      await Promise.all(
        servers.map(async ({ id, runs }) => {
          const lease = { count: 5, ms: LEASE_MS, worker: { id, most: 12 } };
          let items: readonly RunItem[] = [];
          do {
            const results = items.map((item) => result(item));
            items = done(await runs.exchange(ref, { results, lease })).lease.items;
            given.push(...items.map(nameOf));
          } while (items.length > 0);
        }),
      );
      expect([given.length, new Set(given).size]).toEqual([80, 80]);
      expect(done(await registry.runs.get(ref)).results).toBe(80);
    });
  });
}

const steps = fc.record({
  worker: fc.constantFrom("a", "b"),
  /** How many of its items have results. */
  answered: fc.nat({ max: 3 }),
  count: fc.nat({ max: 5 }),
  ms: fc.constantFrom(0, 1, LEASE_MS - 1, LEASE_MS),
});

const nameOf = ({ column, case: id, trial }: RunItem) => `${id} ${column} ${trial}`;

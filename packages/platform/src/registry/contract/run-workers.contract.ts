import type { RunItem, RunPlan } from "@agate/protocol";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Registry } from "../registry.ts";
import type { RunLease, RunRef } from "../runs/run-registry.ts";
import { caseIds, column, result, runRequest, startRun } from "./run.fixture.ts";
import type { Subject } from "./subject.fixture.ts";
import { done, keysOf, problem } from "./subject.fixture.ts";

const LEASE_MS = 1000;
const PLAN: RunPlan = {
  cases: 6,
  concurrency: 4,
  max_cost: null,
  environment: "development",
  build: null,
};

/** What servers that carry out a run together ask of the registry. */
export function describeRunWorkers(subject: Subject): void {
  describe("runs that several servers carry out", () => {
    let time = Date.UTC(2026, 6, 1);
    let registry: Registry;
    beforeEach(async () => {
      await subject.freshApplication();
      registry = await subject.registryWith(keysOf(subject.key), () => new Date(time));
    });
    const startPlanned = (plan: Partial<RunPlan> = {}, cases = PLAN.cases) =>
      startRun(subject, { runner: "platform", plan: { ...PLAN, ...plan } }, caseIds(cases));
    const lease = async (ref: RunRef, id: string, count: number, most = 4): Promise<RunLease> =>
      done(await registry.runs.lease(ref, { count, ms: LEASE_MS, worker: { id, most } }));
    const answer = async (ref: RunRef, items: readonly RunItem[], costs = {}) =>
      done(
        await registry.runs.addResults(
          ref,
          items.map((item) => result(item, 1, costs)),
        ),
      );
    const openRuns = async () =>
      (await registry.runs.toCarryOut()).filter(({ project }) => project === subject.project);

    it("divides the leases of a run by the servers that take part", async () => {
      const { ref } = await startPlanned();
      const first = await lease(ref, "a", 9);
      expect([first.token, first.items.length, first.leased]).toEqual(["a", 4, 4]);
      // All are leased: the second server waits for its share, which it gets once there is room.
      expect(await lease(ref, "b", 9)).toMatchObject({ items: [], leased: 4 });
      await answer(ref, first.items.slice(0, 3));
      expect((await lease(ref, "a", 9)).items).toHaveLength(1);
      const second = await lease(ref, "b", 9);
      expect([second.items.length, second.leased]).toEqual([2, 4]);
      // One that is gone, or silent for the time of a lease, has no share.
      await registry.runs.release(ref, "a");
      expect((await lease(ref, "b", 9)).items).toHaveLength(2);
      time += LEASE_MS;
      expect((await lease(ref, "c", 9)).items).toHaveLength(4);
    });

    it("keeps the share of a server that renews its leases", async () => {
      const { ref } = await startPlanned();
      await lease(ref, "a", 0);
      time += LEASE_MS - 1;
      expect(await registry.runs.renew(ref, { token: "a", ms: LEASE_MS })).toBe(0);
      time += LEASE_MS - 1;
      expect((await lease(ref, "b", 9)).items).toHaveLength(2);
      time += 1;
      expect((await lease(ref, "b", 9)).items).toHaveLength(2);
    });

    it("gives nothing at the cost ceiling, or once a cost is unknown", async () => {
      const { ref } = await startPlanned({ max_cost: 1.5 });
      const { items } = await lease(ref, "a", 2);
      await answer(ref, items.slice(0, 1));
      expect(await lease(ref, "b", 1)).toMatchObject({ stop: undefined, items: [{}] });
      await answer(ref, items.slice(1));
      expect(await lease(ref, "a", 2)).toMatchObject({ stop: "reached", items: [], leased: 1 });
      const other = await startPlanned({ max_cost: 100 });
      const asked = await lease(other.ref, "a", 1);
      await answer(other.ref, asked.items, { cost: null });
      expect(await lease(other.ref, "a", 1)).toMatchObject({ stop: "unknown", items: [] });
      const unlimited = await startPlanned();
      await answer(unlimited.ref, (await lease(unlimited.ref, "a", 1)).items, { cost: null });
      expect((await lease(unlimited.ref, "a", 1)).items).toHaveLength(1);
    });

    it("gives each server what a naive count of shares gives it", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(steps, { maxLength: 30 }), async (history) => {
          const { ref } = await startPlanned({}, 5);
          const model = new ShareModel(5 * 2);
          for (const step of history) {
            if (step.kind === "wait") time += step.ms;
            else if (step.kind === "lease") {
              const { items, leased } = await lease(ref, step.worker, step.count, step.most);
              expect(items.length).toBe(model.leasable(step, time));
              model.lease(step.worker, items, time);
              expect(leased).toBe(model.live(time).length);
            } else if (step.kind === "answer") {
              const held = model.heldBy(step.worker).slice(0, step.count);
              if (held.length > 0) await answer(ref, held);
              model.answer(held);
            } else {
              await registry.runs.release(ref, step.worker);
              model.release(step.worker, time);
            }
          }
        }),
        { numRuns: Math.max(3, Math.floor(subject.histories / 3)) },
      );
    });

    it("lists the platform's runs that have not ended, with what is left of each", async () => {
      await startRun(subject, {}, ["a"]);
      // As a client of an earlier version could create it: nothing says how to carry it out.
      await startRun(subject, { runner: "platform" }, ["a"]);
      const first = await startPlanned({ concurrency: 3 });
      const second = await startPlanned();
      expect(await openRuns()).toEqual([
        { ...first.ref, workers: 0, left: 12, concurrency: 3 },
        { ...second.ref, workers: 0, left: 12, concurrency: 4 },
      ]);
      const { items } = await lease(first.ref, "a", 2);
      await lease(first.ref, "b", 0);
      await answer(first.ref, items);
      expect((await openRuns())[0]).toMatchObject({ workers: 2, left: 10 });
      await registry.runs.release(first.ref, "a");
      expect((await openRuns())[0]).toMatchObject({ workers: 1 });
      time += LEASE_MS;
      expect((await openRuns())[0]).toMatchObject({ workers: 0 });
      done(await registry.runs.end(first.ref, { status: "stopped", reason: null }));
      expect((await openRuns()).map(({ run }) => run)).toEqual([second.ref.run]);
    });

    it("counts cases as left that are not loaded yet", async () => {
      const { ref } = await startPlanned({}, 0);
      expect(await openRuns()).toEqual([{ ...ref, workers: 0, left: 12, concurrency: 4 }]);
    });

    it("finds the run of an earlier request by what was asked for", async () => {
      const asked = { candidate: "default", trials: 2 };
      const ref = { project: subject.project, run: "nightly-1" };
      expect(await registry.runs.earlier(ref, asked)).toBeUndefined();
      // What it was resolved to may differ the next time.
      const columns = [{ ...column("candidate"), revision: 3 }];
      const request = runRequest({ id: "nightly-1", columns, asked });
      const run = done(await registry.runs.create(subject.project, request, "tests"));
      const same = await registry.runs.earlier(ref, { trials: 2, candidate: "default" });
      expect(same && done(same)).toEqual(run);
      const other = await registry.runs.earlier(ref, { ...asked, trials: 3 });
      expect(other && problem(other)).toMatchObject({ type: "run_conflict", loc: ["body", "id"] });
      done(await registry.runs.end(ref, { status: "stopped", reason: null }));
      const ended = await registry.runs.earlier(ref, asked);
      expect(ended && done(ended).status).toBe("stopped");
      await subject.freshApplication();
      const elsewhere = { project: subject.project, run: "nightly-1" };
      expect(await registry.runs.earlier(elsewhere, asked)).toBeUndefined();
    });
  });
}

type Step =
  | {
      readonly kind: "lease";
      readonly worker: string;
      readonly count: number;
      readonly most: number;
    }
  | { readonly kind: "answer"; readonly worker: string; readonly count: number }
  | { readonly kind: "release"; readonly worker: string }
  | { readonly kind: "wait"; readonly ms: number };

const worker = fc.constantFrom("a", "b", "c");
const steps = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("lease"),
      worker,
      count: fc.nat({ max: 5 }),
      most: fc.constantFrom(1, 3, 4),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("answer"), worker, count: fc.nat({ max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("release"), worker }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("wait"), ms: fc.constantFrom(1, LEASE_MS) }),
  },
) as fc.Arbitrary<Step>;

/** Which servers are there, and who has leased what until when. */
class ShareModel {
  readonly #present = new Map<string, number>();
  readonly #held: { readonly worker: string; readonly item: RunItem; until: number }[] = [];
  /** Without results. */
  #left: number;

  constructor(items: number) {
    this.#left = items;
  }

  live(now: number) {
    return this.#held.filter(({ until }) => until > now);
  }

  leasable(
    { worker: id, count, most }: { worker: string; count: number; most: number },
    now: number,
  ): number {
    this.#present.set(id, now + LEASE_MS);
    const servers = [...this.#present.values()].filter((until) => until > now).length;
    const own = this.live(now).filter((held) => held.worker === id).length;
    const all = this.live(now).length;
    const room = Math.max(0, Math.min(most - all, Math.ceil(most / servers) - own));
    return Math.min(count, room, this.#left - all);
  }

  lease(id: string, items: readonly RunItem[], now: number): void {
    for (const item of items) {
      const before = this.#held.findIndex((held) => isSame(held.item, item));
      if (before !== -1) this.#held.splice(before, 1);
      this.#held.push({ worker: id, item, until: now + LEASE_MS });
    }
  }

  /** Also what has expired: the server may be slow. */
  heldBy(id: string): readonly RunItem[] {
    return this.#held.filter((held) => held.worker === id).map(({ item }) => item);
  }

  answer(items: readonly RunItem[]): void {
    for (const item of items) {
      this.#held.splice(
        this.#held.findIndex((held) => isSame(held.item, item)),
        1,
      );
      this.#left -= 1;
    }
  }

  release(id: string, now: number): void {
    this.#present.delete(id);
    for (const held of this.#held) if (held.worker === id) held.until = now;
  }
}

function isSame(one: RunItem, other: RunItem): boolean {
  return one.column === other.column && one.case === other.case && one.trial === other.trial;
}

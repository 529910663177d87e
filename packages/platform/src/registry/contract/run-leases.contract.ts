import type { RunItem } from "@agate/protocol";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import type { Registry } from "../registry.ts";
import type { RunLease, RunRef } from "../runs/run-registry.ts";
import { caseIds, newCases, result, startRun } from "./run.fixture.ts";
import type { Subject } from "./subject.fixture.ts";
import { done, keysOf, problem } from "./subject.fixture.ts";

const LEASE_MS = 1000;

export function describeRunLeases(subject: Subject): void {
  describe("leases of a run's items", () => {
    let time = Date.UTC(2026, 5, 1);
    let registry: Registry;
    beforeEach(async () => {
      await subject.freshApplication();
      registry = await subject.registryWith(keysOf(subject.key), () => new Date(time));
    });
    const lease = async (ref: RunRef, count: number) =>
      done(await registry.runs.lease(ref, { count, ms: LEASE_MS }));
    const answer = async (ref: RunRef, items: readonly RunItem[], value = 1) =>
      done(
        await registry.runs.addResults(
          ref,
          items.map((item) => result(item, value)),
        ),
      );

    it("gives each item once, a case's columns together, either one first", async () => {
      const ids = caseIds(40);
      const { ref } = await startRun(subject, { trials: 2, runner: "platform" }, ids);
      const given: RunItem[] = [];
      for (;;) {
        const { items } = await lease(ref, 7);
        if (items.length === 0) break;
        given.push(...items);
      }
      expect(new Set(given.map(nameOf)).size).toBe(given.length);
      expect(given).toHaveLength(160);
      const pairs = Array.from({ length: 80 }, (_, n) => given.slice(2 * n, 2 * n + 2));
      for (const [one, other] of pairs) {
        expect([one?.case, one?.trial]).toEqual([other?.case, other?.trial]);
        expect(one?.column).not.toBe(other?.column);
      }
      const first = pairs.filter(([one]) => one?.column === "candidate").length;
      expect(first).toBeGreaterThan(20);
      expect(first).toBeLessThan(60);
    });

    it("gives an item to another once its lease expired, and keeps the first result", async () => {
      const { ref } = await startRun(subject, { runner: "platform" }, ["a"]);
      const first = await lease(ref, 2);
      expect(first.expires_at).toBe(new Date(time + LEASE_MS).toISOString());
      time += LEASE_MS - 1;
      expect((await lease(ref, 2)).items).toEqual([]);
      time += 1;
      const second = await lease(ref, 2);
      expect(second.items).toEqual(first.items);
      expect(second.token).not.toBe(first.token);
      // The first one was slow, not dead: its result counts, as there is none yet.
      expect((await answer(ref, first.items.slice(0, 1), 0)).added).toBe(1);
      expect((await answer(ref, second.items, 1)).added).toBe(1);
      const { items } = done(
        await registry.runs.results(ref, { column: null, case: null }, { limit: 9, after: null }),
      );
      const values = new Map(items.map((item) => [nameOf(item), item.scores[0]?.value]));
      expect(second.items.map((item) => values.get(nameOf(item)))).toEqual([0, 1]);
      time += LEASE_MS;
      expect((await lease(ref, 2)).items).toEqual([]);
    });

    it("renews what has not expired, and gives back at once", async () => {
      const { ref } = await startRun(subject, { runner: "platform" }, ["a", "b"]);
      const first = await lease(ref, 3);
      await answer(ref, first.items.slice(0, 1));
      time += LEASE_MS - 1;
      expect(await registry.runs.renew(ref, { token: first.token, ms: LEASE_MS })).toBe(2);
      time += LEASE_MS - 1;
      const second = await lease(ref, 9);
      expect(second.items).toHaveLength(1);
      await registry.runs.release(ref, first.token);
      expect((await lease(ref, 9)).items).toEqual(first.items.slice(1));
      expect(await registry.runs.renew(ref, { token: first.token, ms: LEASE_MS })).toBe(0);
      time += LEASE_MS;
      expect(await registry.runs.renew(ref, { token: second.token, ms: LEASE_MS })).toBe(0);
    });

    it("gives nothing that has a result, or of a run that has ended", async () => {
      const { ref } = await startRun(subject, { runner: "platform" }, caseIds(6));
      const known = caseIds(5).map((id) => ({ column: "candidate", case: id, trial: 0 }));
      await answer(ref, known);
      const { items } = await lease(ref, 20);
      expect(items.map(nameOf).sort()).toEqual(
        [
          ...caseIds(6).map((id) => nameOf({ column: "baseline", case: id, trial: 0 })),
          nameOf({ column: "candidate", case: "case 5", trial: 0 }),
        ].sort(),
      );
      done(await registry.runs.end(ref, { status: "stopped", reason: null }));
      const asked = { count: 1, ms: LEASE_MS };
      expect(problem(await registry.runs.lease(ref, asked)).type).toBe("run_ended");
    });

    it("never has two live leases of an item nor two results, whatever happens", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(steps, { maxLength: 40 }), async (history) => {
          const { ref } = await startRun(subject, { trials: 2, runner: "platform" }, caseIds(3));
          const model = new LeaseModel(3 * 4);
          for (const step of history) time = await take(step, model, ref, time);
          await drain(model, ref);
        }),
        { numRuns: Math.max(2, Math.floor(subject.histories / 4)) },
      );
    });

    it("gives no item twice to servers that ask at once", async () => {
      const { ref } = await startRun(subject, { trials: 2, runner: "platform" }, caseIds(20));
      const servers = await Promise.all(
        [1, 2, 3].map(() => subject.registryWith(keysOf(subject.key), () => new Date(time))),
      );
      const given: string[] = [];
      const added: number[] = [];
      await Promise.all(
        servers.map(async ({ runs }) => {
          for (;;) {
            const asked = await runs.lease(ref, { count: 7, ms: LEASE_MS });
            const { items } = done(asked);
            if (items.length === 0) return;
            given.push(...items.map(nameOf));
            const results = items.map((item) => result(item));
            added.push(done(await runs.addResults(ref, results)).added);
          }
        }),
      );
      expect(new Set(given).size).toBe(given.length);
      expect(given).toHaveLength(80);
      expect(added.reduce((sum, count) => sum + count, 0)).toBe(80);
    });

    async function take(step: Step, model: LeaseModel, ref: RunRef, now: number): Promise<number> {
      switch (step.kind) {
        case "lease":
          model.leased(await lease(ref, step.count), step.count, now);
          return now;
        case "answer": {
          const held = model.heldBy(step.lease).filter((_, n) => n % 2 === step.half);
          if (held.length === 0) return now;
          const { added, ignored } = await answer(ref, held, step.value);
          model.answered(held, step.value, { added, ignored });
          return now;
        }
        case "renew": {
          const token = model.tokenOf(step.lease);
          const renewed = await registry.runs.renew(ref, { token, ms: LEASE_MS });
          expect(renewed).toBe(model.renewed(token, now));
          return now;
        }
        case "release":
          await registry.runs.release(ref, model.tokenOf(step.lease));
          model.released(model.tokenOf(step.lease), now);
          return now;
        case "cases": {
          const known = model.items / 4;
          done(await registry.runs.addCases(ref, newCases([`more ${known}`])));
          model.items += 4;
          return now;
        }
        case "wait":
          return now + step.ms;
      }
    }

    /** A last server calls all that is left: then every item has its first result, and no other. */
    async function drain(model: LeaseModel, ref: RunRef): Promise<void> {
      time += LEASE_MS;
      for (;;) {
        const last = await lease(ref, 5);
        model.leased(last, 5, time);
        if (last.items.length === 0) break;
        const { added, ignored } = await answer(ref, last.items, 0.5);
        model.answered(last.items, 0.5, { added, ignored });
      }
      const any = { column: null, case: null };
      const { items } = done(await registry.runs.results(ref, any, { limit: 1000, after: null }));
      expect(items).toHaveLength(model.items);
      const stored = items.map((item) => [nameOf(item), item.scores[0]?.value ?? null] as const);
      expect(new Map(stored)).toEqual(model.results);
      expect(done(await registry.runs.get(ref)).results).toBe(model.items);
    }
  });
}

type Step =
  | { readonly kind: "lease"; readonly count: number }
  /** A lease may be held by a server that was slow, or answered before. */
  | {
      readonly kind: "answer";
      readonly lease: number;
      readonly half: number;
      readonly value: number;
    }
  | { readonly kind: "renew" | "release"; readonly lease: number }
  | { readonly kind: "cases" }
  | { readonly kind: "wait"; readonly ms: number };

const which = fc.nat({ max: 20 });
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("lease"), count: fc.integer({ min: 1, max: 5 }) }),
  fc.record({
    kind: fc.constant("answer"),
    lease: which,
    half: fc.nat({ max: 1 }),
    value: fc.constantFrom(0, 0.25, 1),
  }),
  fc.record({ kind: fc.constantFrom("renew", "release"), lease: which }),
  fc.constant<Step>({ kind: "cases" }),
  fc.record({ kind: fc.constant("wait"), ms: fc.constantFrom(1, LEASE_MS - 1, LEASE_MS) }),
) as fc.Arbitrary<Step>;

const nameOf = ({ column, case: id, trial }: RunItem) => `${id} ${column} ${trial}`;

/** Who holds which item until when, and the first result of each. */
class LeaseModel {
  items: number;
  readonly results = new Map<string, number | null>();
  readonly #given: RunLease[] = [];
  readonly #held = new Map<string, { readonly token: string; readonly until: number }>();

  constructor(items: number) {
    this.items = items;
  }

  leased(lease: RunLease, count: number, now: number): void {
    const names = lease.items.map(nameOf);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) {
      expect(this.results.has(name)).toBe(false);
      expect(this.#held.get(name)?.until ?? now).toBeLessThanOrEqual(now);
    }
    const live = [...this.#held.values()].filter(({ until }) => until > now).length;
    // As many as there are to give: nothing is lost.
    expect(names.length).toBe(Math.min(count, this.items - this.results.size - live));
    for (const name of names) {
      this.#held.set(name, { token: lease.token, until: now + LEASE_MS });
    }
    this.#given.push(lease);
  }

  answered(
    items: readonly RunItem[],
    value: number,
    { added, ignored }: { readonly added: number; readonly ignored: readonly RunItem[] },
  ): void {
    const names = items.map(nameOf);
    const fresh = names.filter((name) => !this.results.has(name));
    expect(added).toBe(fresh.length);
    expect(ignored.map(nameOf)).toEqual(names.filter((name) => this.results.has(name)));
    for (const name of fresh) {
      this.results.set(name, value);
      this.#held.delete(name);
    }
  }

  renewed(token: string, now: number): number {
    const held = this.#holding(token).filter(([, { until }]) => until > now);
    for (const [name] of held) this.#held.set(name, { token, until: now + LEASE_MS });
    return held.length;
  }

  released(token: string, now: number): void {
    for (const [name] of this.#holding(token)) this.#held.set(name, { token, until: now });
  }

  tokenOf(lease: number): string {
    return this.#given.at(lease % Math.max(this.#given.length, 1))?.token ?? "none";
  }

  heldBy(lease: number): readonly RunItem[] {
    return this.#given.at(lease % Math.max(this.#given.length, 1))?.items ?? [];
  }

  #holding(token: string) {
    return [...this.#held].filter(([, held]) => held.token === token);
  }
}

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { QueuedBatch } from "./group-commit.ts";
import { GroupCommit } from "./group-commit.ts";
import { StoreUnavailableError } from "./store-errors.ts";

interface Batch extends QueuedBatch {
  readonly name: string;
}

const batchOf = (name: string, spanCount: number, traces: readonly string[] = []): Batch => ({
  name,
  spanCount,
  characters: spanCount,
  traces,
});

/** Groups that wait until they are told to end. */
function heldGroups(options: { readonly concurrency: number; readonly furtherFromSpans?: number }) {
  const begun: string[][] = [];
  const ends: (() => void)[] = [];
  const commits = new GroupCommit<Batch>({
    ...options,
    write: async (group) => {
      begun.push(group.map(({ name }) => name));
      const end = Promise.withResolvers<void>();
      ends.push(end.resolve);
      await end.promise;
      return group.map(() => ({ kind: "committed" as const }));
    },
  });
  /** Appends batches, one turn after the other. */
  const append = async (...batches: Batch[]) => {
    for (const batch of batches) {
      void commits.append(batch);
      await turn();
    }
  };
  const end = async (group: number) => {
    ends[group]?.();
    await turn();
  };
  return { begun, append, end, commits };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("GroupCommit", () => {
  it("lets batches that arrive during a commit share the next one", async () => {
    const { begun, append, end } = heldGroups({ concurrency: 1 });
    await append(batchOf("a", 1), batchOf("b", 1), batchOf("c", 1));
    expect(begun).toEqual([["a"]]);
    await end(0);
    expect(begun).toEqual([["a"], ["b", "c"]]);
  });

  it.each([
    { waiting: 99, isBegun: false },
    { waiting: 100, isBegun: true },
    { waiting: 101, isBegun: true },
  ])("begins a further group with 100 spans: $waiting", async ({ waiting, isBegun }) => {
    const { begun, append, end } = heldGroups({ concurrency: 2, furtherFromSpans: 100 });
    await append(batchOf("first", 1), batchOf("few", 50), batchOf("more", waiting - 50));
    expect(begun).toEqual(isBegun ? [["first"], ["few", "more"]] : [["first"]]);
    await end(0);
    expect(begun).toEqual([["first"], ["few", "more"]]);
  });

  it("does not count spans that have to wait for a group under way", async () => {
    const { begun, append } = heldGroups({ concurrency: 2, furtherFromSpans: 100 });
    await append(
      batchOf("first", 1, ["x"]),
      batchOf("again", 50, ["x"]),
      batchOf("other", 99, ["y"]),
    );
    expect(begun).toEqual([["first"]]);
    await append(batchOf("more", 1, ["y"]));
    expect(begun).toEqual([["first"], ["other", "more"]]);
  });

  it("begins no more than it may, however many spans wait", async () => {
    const { begun, append, end } = heldGroups({ concurrency: 2, furtherFromSpans: 100 });
    await append(batchOf("a", 1), batchOf("b", 100), batchOf("c", 1_000));
    expect(begun).toEqual([["a"], ["b"]]);
    await end(1);
    expect(begun).toEqual([["a"], ["b"], ["c"]]);
  });

  it("ends a group at 20,000 spans, unless a single batch is larger", async () => {
    const { begun, append, end } = heldGroups({ concurrency: 1 });
    await append(batchOf("a", 1), batchOf("b", 19_999), batchOf("c", 1), batchOf("d", 1));
    await append(batchOf("e", 20_001), batchOf("f", 1));
    for (const group of [0, 1, 2, 3]) await end(group);
    expect(begun).toEqual([["a"], ["b", "c"], ["d"], ["e"], ["f"]]);
  });

  it("writes to a trace in one group at a time, in the order of arrival, and answers every batch", async () => {
    const batches = fc.array(
      fc.record({
        spanCount: fc.nat(60),
        traces: fc.uniqueArray(fc.constantFrom("x", "y", "z"), { minLength: 1 }),
        fate: fc.constantFrom("ok", "unavailable", "error"),
      }),
      { minLength: 1, maxLength: 25 },
    );
    const property = fc.asyncProperty(batches, fc.scheduler(), async (sent, scheduler) => {
      const writing = new Set<string>();
      const written = new Map<string, number[]>();
      let under = 0;
      const commits = new GroupCommit<Batch>({
        concurrency: 2,
        furtherFromSpans: 40,
        write: async (group) => {
          expect(++under).toBeLessThanOrEqual(2);
          const traces = new Set(group.flatMap((batch) => [...batch.traces]));
          for (const trace of traces) expect(writing.has(trace)).toBe(false);
          for (const trace of traces) writing.add(trace);
          await scheduler.schedule(Promise.resolve());
          for (const trace of traces) writing.delete(trace);
          under--;
          const fates = group.map(({ name }) => sent[Number(name)]?.fate);
          if (fates.includes("error")) throw new Error("cannot be written");
          if (fates.includes("unavailable"))
            throw new StoreUnavailableError("away", { cause: null });
          for (const { name, traces } of group) {
            for (const trace of traces)
              written.set(trace, [...(written.get(trace) ?? []), Number(name)]);
          }
          return group.map(() => ({ kind: "committed" as const }));
        },
      });
      const answers = sent.map(({ spanCount, traces }, n) =>
        commits.append(batchOf(String(n), spanCount, traces)).then(
          ({ kind }) => kind,
          () => "rejected" as const,
        ),
      );
      const kinds = await scheduler.waitFor(Promise.all(answers));
      await commits.idle();
      for (const [n, { fate }] of sent.entries()) {
        if (fate === "error") expect(kinds[n]).not.toBe("committed");
        if (fate === "ok") expect(kinds[n]).not.toBe("rejected");
      }
      for (const [, order] of written) expect(order).toEqual(order.toSorted((a, b) => a - b));
    });
    await fc.assert(property, { numRuns: 100, seed: 18 });
  });
});

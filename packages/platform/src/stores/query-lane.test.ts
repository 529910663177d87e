import { describe, expect, it } from "vitest";
import {
  QueryAbandonedError,
  QueryLane,
  QueryQueueFullError,
  QueryTimeoutError,
} from "./query-lane.ts";

/** Work that ends when it is told to. */
function heldWork() {
  const started: { slot: number; signal: AbortSignal; end(): void }[] = [];
  const work = (signal: AbortSignal, slot: number) => {
    const { promise, resolve } = Promise.withResolvers<number>();
    started.push({ slot, signal, end: () => resolve(slot) });
    return promise;
  };
  return { started, work };
}

const PATIENT = { timeoutMs: 600_000, waiting: 2 };

describe("a lane", () => {
  it("runs so many at once, and the next when one ends, in its place", async () => {
    const lane = new QueryLane(2, PATIENT);
    const { started, work } = heldWork();
    const runs = [1, 2, 3, 4].map(() => lane.run(undefined, work));
    expect(started.map(({ slot }) => slot)).toEqual([0, 1]);
    started[1]!.end();
    expect(await runs[1]).toBe(1);
    await expect.poll(() => started.map(({ slot }) => slot)).toEqual([0, 1, 1]);
    started[0]!.end();
    started[2]!.end();
    await expect.poll(() => started).toHaveLength(4);
    started[3]!.end();
    await Promise.all(runs);
  });

  it("refuses what comes when so many wait, and takes it again when fewer do", async () => {
    const lane = new QueryLane(1, PATIENT);
    const { started, work } = heldWork();
    const gone = new AbortController();
    const first = lane.run(undefined, work);
    const dropped = lane.run(gone.signal, work);
    const kept = lane.run(undefined, work);
    await expect(lane.run(undefined, work)).rejects.toThrow(QueryQueueFullError);
    gone.abort();
    await expect(dropped).rejects.toThrow(QueryAbandonedError);
    const last = lane.run(undefined, work);
    started[0]!.end();
    await first;
    await expect.poll(() => started).toHaveLength(2);
    started[1]!.end();
    await kept;
    await expect.poll(() => started).toHaveLength(3);
    started[2]!.end();
    await last;
    expect(started).toHaveLength(3);
  });

  it("tells one that runs to stop when its client goes, and keeps its place until it has", async () => {
    const lane = new QueryLane(1, PATIENT);
    const { started, work } = heldWork();
    const gone = new AbortController();
    const left = lane.run(gone.signal, work);
    const next = lane.run(undefined, work);
    gone.abort();
    await expect(left).rejects.toThrow(QueryAbandonedError);
    expect(started).toHaveLength(1);
    expect(started[0]!.signal.aborted).toBe(true);
    started[0]!.end();
    await expect.poll(() => started).toHaveLength(2);
    expect(started[1]!.signal.aborted).toBe(false);
    started[1]!.end();
    await next;
  });

  it("ends what waits and what runs at the deadline", async () => {
    const lane = new QueryLane(1, { timeoutMs: 1, waiting: 2 });
    const { started, work } = heldWork();
    const runs = [lane.run(undefined, work), lane.run(undefined, work)];
    for (const run of runs) await expect(run).rejects.toThrow(QueryTimeoutError);
    expect(started).toHaveLength(1);
    expect(started[0]!.signal.reason).toBeInstanceOf(QueryTimeoutError);
    started[0]!.end();
  });

  it("goes on after work that fails, and begins none for a client that has gone", async () => {
    const lane = new QueryLane(1, PATIENT);
    await expect(lane.run(undefined, async () => Promise.reject(new Error("no")))).rejects.toThrow(
      "no",
    );
    const { started, work } = heldWork();
    await expect(lane.run(AbortSignal.abort(), work)).rejects.toThrow(QueryAbandonedError);
    expect(started).toHaveLength(0);
    expect(await lane.run(undefined, async () => 7)).toBe(7);
  });
});

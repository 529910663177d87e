import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { spanIdOf, storedSpan } from "../stores/contract/stored-span.fixture.ts";
import type { AppendOutcome, SpanBatch, SpanPart } from "../stores/span-store.ts";
import { StoreUnavailableError } from "../stores/store-errors.ts";
import type { Copy } from "./copy-spans.ts";
import { copySpans } from "./copy-spans.ts";

const COUNT = 200;

function partOf(n: number, outputs: unknown = null): SpanPart {
  const span = storedSpan({ id: spanIdOf(n), outputs });
  return { project: "p", receivedAt: n, spans: [span], position: String(n) };
}

/** A source of parts that are called 0, 1, 2 …; it goes away whenever it comes to one of these. */
function sourceOf(parts: readonly SpanPart[], awayAt: number[] = []): Copy["from"] {
  return {
    async *exportSpans(after) {
      for (const part of parts.slice(after === null ? 0 : Number(after) + 1)) {
        if (awayAt[0] === Number(part.position)) {
          awayAt.shift();
          throw new StoreUnavailableError("Gone.", { cause: null });
        }
        yield part;
      }
    },
  };
}

interface Target {
  readonly store: Copy["to"];
  readonly written: number[];
  /** Writes, and the most that there were at a time. */
  underWay: number;
  most: number;
}

/** A target whose writes end in another order than they began. */
function targetOf(answer: (batch: SpanBatch) => AppendOutcome = () => COMMITTED): Target {
  const target: Target = {
    written: [],
    underWay: 0,
    most: 0,
    store: {
      async append(batch) {
        target.most = Math.max(target.most, ++target.underWay);
        for (let turn = 0; turn < (batch.receivedAt * 7) % 5; turn++) await nextTurn();
        target.underWay--;
        const outcome = answer(batch);
        if (outcome.kind === "committed") target.written.push(batch.receivedAt);
        return outcome;
      },
    },
  };
  return target;
}

const COMMITTED: AppendOutcome = { kind: "committed" };

function copyOf(from: Copy["from"], target: Target, signal = new AbortController().signal) {
  const told: string[] = [];
  const waited: string[] = [];
  const retry = (name: string) => ({
    name,
    longestMs: 60_000,
    signal,
    onWaiting: (reason: string) => void waited.push(reason),
  });
  const copy: Copy = {
    from,
    to: target.store,
    after: null,
    retry: { from: retry("from"), to: retry("to") },
    signal,
    onCommitted: async ({ position }) => void told.push(position),
  };
  return { copy, told, waited };
}

const all = Array.from({ length: COUNT }, (_, n) => partOf(n));
const names = all.map(({ position }) => position);

it("writes many parts at a time and tells of them in their order", async () => {
  const target = targetOf();
  const { copy, told } = copyOf(sourceOf(all), target);
  expect(await copySpans(copy)).toBe("finished");
  expect(told).toEqual(names);
  expect(target.written).toHaveLength(COUNT);
  expect(target.most).toBeGreaterThan(8);
  expect(target.most).toBeLessThan(COUNT);
});

it("holds few large parts at a time", async () => {
  const target = targetOf();
  const large = Array.from({ length: 6 }, (_, n) => partOf(n, "x".repeat(8 * 1024 * 1024)));
  expect(await copySpans(copyOf(sourceOf(large), target).copy)).toBe("finished");
  expect(target.most).toBeLessThanOrEqual(2);
});

it("begins behind a position", async () => {
  const { copy, told } = copyOf(sourceOf(all), targetOf());
  expect(await copySpans({ ...copy, after: "150" })).toBe("finished");
  expect(told).toEqual(names.slice(151));
});

it("goes on when one of the stores was away", async () => {
  const failing = new Set([20, 70]);
  const target = targetOf(({ receivedAt }) =>
    failing.delete(receivedAt) ? { kind: "unavailable", reason: "Full." } : COMMITTED,
  );
  const { copy, told, waited } = copyOf(sourceOf(all, [50, 120]), target);
  expect(await copySpans(copy)).toBe("finished");
  expect(told).toEqual(names);
  expect(target.written.toSorted((a, b) => a - b)).toEqual(names.map(Number));
  expect(waited.toSorted()).toEqual(["from: Gone.", "from: Gone.", "to: Full.", "to: Full."]);
});

it("ends early in order: what was begun is committed and told", async () => {
  const ended = new AbortController();
  const target = targetOf();
  const { copy, told } = copyOf(sourceOf(all), target, ended.signal);
  const onCommitted = async (part: SpanPart) => {
    await copy.onCommitted(part);
    if (part.position === "10") ended.abort();
  };
  expect(await copySpans({ ...copy, onCommitted })).toBe("interrupted");
  expect(told).toEqual(names.slice(0, target.written.length));
  expect(told.length).toBeLessThan(COUNT);
});

it("ends at once while it waits for a store", async () => {
  const ended = new AbortController();
  const target = targetOf(() => ({ kind: "unavailable", reason: "Full." }));
  const { copy, told } = copyOf(sourceOf(all), target, ended.signal);
  const onWaiting = () => ended.abort();
  const retry = { ...copy.retry, to: { ...copy.retry.to, onWaiting } };
  expect(await copySpans({ ...copy, retry })).toBe("interrupted");
  expect(told).toEqual([]);
});

it("gives up on a store that stays away, and names it", async () => {
  const target = targetOf(({ receivedAt }) =>
    receivedAt < 5 ? COMMITTED : { kind: "unavailable", reason: "Full." },
  );
  const { copy, told } = copyOf(sourceOf(all), target);
  const retry = { ...copy.retry, to: { ...copy.retry.to, longestMs: 0 } };
  await expect(copySpans({ ...copy, retry })).rejects.toThrow(
    new StoreUnavailableError("to: Full.", { cause: expect.anything() }),
  );
  expect(told).toEqual(names.slice(0, 5));
  expect(target.underWay).toBe(0);
});

it("throws an unexpected error after all writes have ended", async () => {
  const target = targetOf(({ receivedAt }) => {
    if (receivedAt === 3) throw new TypeError("a bug");
    return COMMITTED;
  });
  const { copy, told } = copyOf(sourceOf(all), target);
  await expect(copySpans(copy)).rejects.toThrow("a bug");
  expect(target.underWay).toBe(0);
  expect(told).toEqual(["0", "1", "2"]);
});

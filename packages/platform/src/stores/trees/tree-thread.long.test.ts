import { Worker } from "node:worker_threads";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { QueryAbandonedError } from "../query-lane.ts";
import type { SpanStore } from "../span-store.ts";
import type { StoreTrouble } from "../store-errors.ts";
import { StoreUnavailableError } from "../store-errors.ts";
import type { TreeStore } from "./tree-stores.fixture.ts";
import { TREE_STORES } from "./tree-stores.fixture.ts";
import { TreeThread } from "./tree-thread.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const FOCUS = { kind: "trace", traceId: traceIdOf(1) } as const;
const SPANS = 2_000;
const FULL = "Too many large traces are being read";

describe.each(TREE_STORES)("the thread for large traces of %s", (name, start) => {
  let database: TreeStore;
  let store: SpanStore;
  let trees: TreeThread;
  let workers: Worker[];
  let troubles: StoreTrouble[];

  beforeAll(async () => {
    database = await start();
    store = await database.open(SPANS);
    const spans = Array.from({ length: SPANS }, (_, n) =>
      storedSpan({
        id: spanIdOf(n + 1),
        parentId: n === 0 ? null : spanIdOf(1),
        start: n,
        inputs: "x".repeat(1_000),
      }),
    );
    await store.append({ project: "p", receivedAt: 1, spans });
  });
  afterAll(async () => {
    await store.close();
    await database.dispose();
  });
  beforeEach(() => {
    workers = [];
    troubles = [];
    trees = makeTrees(database.spawn);
  });
  afterEach(() => trees.end());

  function makeTrees(spawn: () => Worker): TreeThread {
    return new TreeThread({
      spawn: () => {
        const worker = spawn();
        workers.push(worker);
        return worker;
      },
      onTrouble: (trouble) => troubles.push(trouble),
    });
  }

  async function open(spans = SPANS, gone?: AbortSignal) {
    const read = await trees.read("p", FOCUS, spans, gone);
    if (read.kind !== "chunks") throw new Error(read.kind);
    return read.chunks;
  }

  async function childrenOf(chunks: AsyncIterable<Uint8Array>): Promise<number> {
    const taken: Uint8Array[] = [];
    for await (const chunk of chunks) taken.push(chunk);
    return JSON.parse(Buffer.concat(taken).toString()).children.length;
  }

  it("reads several traces at once, each at the pace of its client", async () => {
    expect(workers).toHaveLength(0);
    const [slow, fast] = [await open(), await open()];
    await slow.next();
    expect(await childrenOf(fast)).toBe(SPANS - 1);
    expect((await slow.next()).done).toBe(false);
    await slow.return();
    expect(workers).toHaveLength(1);
  });

  it("tells what is not there", async () => {
    const focus = { kind: "span", spanId: "none" } as const;
    expect(await trees.read("p", focus, SPANS, undefined)).toEqual({ kind: "missing" });
  });

  it("ends a read when its client has gone, instead of giving a part for the whole", async () => {
    const gone = new AbortController();
    const chunks = await open(SPANS, gone.signal);
    await chunks.next();
    gone.abort();
    await expect(chunks.next()).rejects.toThrow(QueryAbandonedError);
    await expect(open(SPANS, gone.signal)).rejects.toThrow(QueryAbandonedError);
  });

  // Counted before the thread is asked: the same for every store.
  const itOnce = it.runIf(name === "SQLite");

  itOnce(
    "refuses a trace that would take the memory beyond its limit, until others are done",
    async () => {
      const gone = new AbortController();
      // The only one may be of any size.
      const first = await open(9_000_000);
      await expect(open()).rejects.toThrow(FULL);
      await first.next();
      await first.return();
      const second = await open(4_000_000, gone.signal);
      await open(4_000_000);
      await expect(open(1)).rejects.toThrow(FULL);
      gone.abort();
      await expect(second.next()).resolves.toMatchObject({ done: false });
      await open(4_000_000);
      await expect(open(1)).rejects.toThrow(FULL);
    },
  );

  itOnce("reads 64 at once, and the next one when another is done", async () => {
    const reads = await Promise.all(Array.from({ length: 64 }, () => open()));
    await expect(open()).rejects.toThrow(FULL);
    expect(await childrenOf(reads[0] as AsyncIterable<Uint8Array>)).toBe(SPANS - 1);
    expect(await childrenOf(await open())).toBe(SPANS - 1);
  });

  it("fails the reads of a thread that dies, and reads on in another", async () => {
    const [idle, asking] = [await open(), await open()];
    // One is between two chunks, one waits for its next.
    await idle.next();
    await asking.next();
    const ended = workers[0]?.terminate();
    await expect(asking.next()).rejects.toThrow(StoreUnavailableError);
    await ended;
    expect(troubles).toHaveLength(1);
    const again = await open();
    await expect(idle.next()).rejects.toThrow("A thread of the store has ended unexpectedly.");
    expect(await childrenOf(again)).toBe(SPANS - 1);
    expect(workers).toHaveLength(2);
    // What the dead one held open counts no more.
    await expect(open(9_000_000)).resolves.toBeDefined();
  });

  it("fails the read for which a thread could not start, and tries again for the next", async () => {
    const broken = new Error("out of order");
    trees = makeTrees(() =>
      workers.length === 0
        ? new Worker(`throw new Error(${JSON.stringify(broken.message)})`, { eval: true })
        : database.spawn(),
    );
    await expect(open()).rejects.toThrow(StoreUnavailableError);
    expect(troubles).toMatchObject([{ error: broken }]);
    expect(await childrenOf(await open())).toBe(SPANS - 1);
  });
});

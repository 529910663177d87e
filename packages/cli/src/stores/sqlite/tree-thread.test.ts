import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { QueryAbandonedError } from "../query-lane.ts";
import type { SpanStore } from "../span-store.ts";
import { openSqliteStore } from "./sqlite-store.ts";
import { TreeThread } from "./tree-thread.ts";

const FOCUS = { kind: "trace", traceId: traceIdOf(1) } as const;
const SPANS = 2_000;

let directory: string;
let store: SpanStore;
let trees: TreeThread;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "agate-tree-thread-"));
  store = await openSqliteStore({ directory });
  trees = new TreeThread(directory, (error) => expect.fail(String(error)));
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
  await trees.end();
  await store.close();
  await rm(directory, { recursive: true });
});

async function open(spans: number, gone?: AbortSignal) {
  const read = await trees.read("p", FOCUS, spans, gone);
  if (read.kind !== "chunks") throw new Error(read.kind);
  return read.chunks;
}

it("reads several traces at once, each at the pace of its client", async () => {
  const [slow, fast] = [await open(SPANS), await open(SPANS)];
  await slow.next();
  const chunks: Uint8Array[] = [];
  for await (const chunk of fast) chunks.push(chunk);
  expect(JSON.parse(Buffer.concat(chunks).toString()).children).toHaveLength(SPANS - 1);
  expect((await slow.next()).done).toBe(false);
  await slow.return();
});

it("ends a read when its client has gone", async () => {
  const gone = new AbortController();
  const chunks = await open(SPANS, gone.signal);
  await chunks.next();
  gone.abort();
  expect((await chunks.next()).done).toBe(true);
  await expect(open(SPANS, gone.signal)).rejects.toThrow(QueryAbandonedError);
});

it("refuses a trace that would take the memory beyond its limit, until others are done", async () => {
  const gone = new AbortController();
  // The only one may be of any size.
  const first = await open(9_000_000);
  await expect(open(SPANS)).rejects.toThrow("Too many large traces are being read");
  await first.next();
  await first.return();
  const second = await open(4_000_000, gone.signal);
  const third = await open(4_000_000);
  await expect(open(1)).rejects.toThrow("Too many large traces are being read");
  gone.abort();
  const fourth = await open(4_000_000);
  for (const chunks of [second, third, fourth]) {
    await chunks.next();
    await chunks.return();
  }
});

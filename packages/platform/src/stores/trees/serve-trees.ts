import type { MessagePort } from "node:worker_threads";
import { parentPort } from "node:worker_threads";
import { serveThread } from "../../threads/thread-rpc.ts";
import { QueryAbandonedError } from "../query-lane.ts";
import { DamagedSegmentError } from "../segments/segment.ts";
import { unpackFrame } from "../segments/segment-frame.ts";
import type { SpanStore, TreeFocus } from "../span-store.ts";
import { TraceGoneError } from "../span-store.ts";
import { StoreUnavailableError } from "../store-errors.ts";
import { nestRecords } from "./read-tree.ts";
import type { TreeApi, TreePiece } from "./tree-thread.ts";

/** A store's connections inside the thread for large traces. */
export interface TreeSource {
  /** Must read every trace itself, and stop when the signal fires. */
  readonly readTree: SpanStore["readTree"];
  /**
   * How many chunks are made at once; as many as there are connections. A chunk that waited for a
   * connection would count the time in which other reads keep the thread busy as an exhausted pool.
   */
  readonly chunksAtOnce: number;
  close(): Promise<void>;
}

type Chunks = AsyncGenerator<Uint8Array<ArrayBuffer>, "end" | "missing", void>;

interface OpenRead {
  readonly chunks: Chunks;
  readonly stop: AbortController;
}

/** Serves a {@link TreeThread} from inside of its worker. */
export function serveTrees(source: TreeSource): void {
  const main = parentPort as MessagePort;
  const reads = new Map<number, OpenRead>();
  const inTurn = limitConcurrency(source.chunksAtOnce);

  const makePiece = async (read: number): Promise<TreePiece> => {
    const open = reads.get(read);
    if (open === undefined) return { kind: "abandoned" };
    try {
      const { done, value } = await open.chunks.next();
      if (!done) return { kind: "chunk", bytes: value };
      reads.delete(read);
      return { kind: value };
    } catch (error) {
      reads.delete(read);
      if (open.stop.signal.aborted) return { kind: "abandoned" };
      return toPiece(error);
    }
  };

  const nextPiece = (read: number) => inTurn(() => makePiece(read));

  const drop = (read: number) => {
    reads.get(read)?.stop.abort(new QueryAbandonedError("The client has disconnected"));
    reads.delete(read);
  };

  serveThread<TreeApi>(main, {
    open: (read, project, focus) => {
      const stop = new AbortController();
      reads.set(read, { chunks: chunksOf(source, project, focus, stop.signal), stop });
      return nextPiece(read);
    },
    next: nextPiece,
    drop: async (read) => drop(read),
    close: async () => {
      for (const read of [...reads.keys()]) drop(read);
      await source.close();
      // The reply to this call must be sent first.
      setImmediate(() => main.close());
    },
  });
}

/** Runs a limited number of functions at a time; the others wait in order. */
function limitConcurrency(atOnce: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running < atOnce) running++;
    else await new Promise<void>((start) => waiting.push(start));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

async function* chunksOf(
  source: TreeSource,
  project: string,
  focus: TreeFocus,
  signal: AbortSignal,
): Chunks {
  const tree = await source.readTree(project, focus, () => signal);
  switch (tree.kind) {
    case "missing":
      return "missing";
    case "assembled":
      yield tree.json;
      return "end";
    case "frame":
      yield unpackFrame(tree.zstd);
      return "end";
    case "nodes":
      yield* nestRecords(tree);
      return "end";
    case "chunks":
      throw new Error("The thread for large traces must not delegate reads");
  }
}

/** @throws Unexpected errors: the read then fails with them. */
function toPiece(error: unknown): TreePiece {
  if (error instanceof TraceGoneError) return { kind: "gone" };
  if (error instanceof DamagedSegmentError) return { kind: "damaged", traceId: error.traceId };
  if (error instanceof StoreUnavailableError) return { kind: "unavailable", reason: error.reason };
  throw error;
}

import type { MessagePort } from "node:worker_threads";
import { parentPort, workerData } from "node:worker_threads";
import { serveThread } from "../../threads/thread-rpc.ts";
import { DamagedSegmentError } from "../segments/segment-checksum.ts";
import type { TreeFocus } from "../span-store.ts";
import { TraceGoneError } from "../span-store.ts";
import { nestRecords } from "../trees/nest-records.ts";
import { openForReading } from "./open-for-reading.ts";
import { TraceReader } from "./trace-reader.ts";
import type { TreeApi, TreeData, TreePiece } from "./tree-api.ts";

type Chunks = AsyncGenerator<Uint8Array<ArrayBuffer>, "end" | "missing", void>;

const { directory } = workerData as TreeData;
const main = parentPort as MessagePort;
const db = openForReading(directory);
const reader = new TraceReader(db);
const reads = new Map<number, { readonly chunks: Chunks; readonly stop: AbortController }>();

async function* chunksOf(project: string, focus: TreeFocus, signal: AbortSignal): Chunks {
  const tree = await reader.readTree(project, focus, () => signal);
  switch (tree.kind) {
    case "missing":
      return "missing";
    case "assembled":
      yield tree.json;
      return "end";
    case "nodes":
      yield* nestRecords(tree);
      return "end";
    case "chunks":
      throw new Error("The thread for large traces hands none over");
  }
}

async function nextPiece(read: number): Promise<TreePiece> {
  const open = reads.get(read);
  if (open === undefined) return { kind: "end" };
  try {
    const { done, value } = await open.chunks.next();
    if (done) return { kind: value ?? "end" };
    return { kind: "chunk", bytes: value };
  } catch (error) {
    if (open.stop.signal.aborted) return { kind: "end" };
    if (error instanceof TraceGoneError) return { kind: "gone" };
    if (error instanceof DamagedSegmentError) return { kind: "damaged", traceId: error.traceId };
    throw error;
  }
}

serveThread<TreeApi>(main, {
  open: (read, project, focus) => {
    const stop = new AbortController();
    reads.set(read, { chunks: chunksOf(project, focus, stop.signal), stop });
    return nextPiece(read);
  },
  next: nextPiece,
  drop: async (read) => {
    reads.get(read)?.stop.abort();
    reads.delete(read);
  },
  close: async () => {
    for (const { stop } of reads.values()) stop.abort();
    db.close();
    setImmediate(() => main.close());
  },
});

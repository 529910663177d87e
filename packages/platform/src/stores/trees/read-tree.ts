import { setImmediate as nextTurn } from "node:timers/promises";
import { AFTER_TOTAL, betweenRecords, buildTree, closingText, totalText } from "@agate/spans/tree";
import { unpackFrame } from "../segments/segment-frame.ts";
import type { SpanStore, TreeFocus, TreeRead } from "../span-store.ts";
import { TraceGoneError } from "../span-store.ts";

/** A trace or a span with everything below it, as JSON. */
export type TreeAnswer =
  | { readonly kind: "missing" }
  /** The caller's own bytes, to be freed when they are sent. */
  | { readonly kind: "whole"; readonly json: Uint8Array<ArrayBuffer> }
  /** Too large for one buffer. Iterating throws when the trace is deleted meanwhile. */
  | {
      readonly kind: "chunks";
      readonly chunks: AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>;
    };

/** For those who can send a zstd frame as it is stored. */
export type PackedTreeAnswer =
  | TreeAnswer
  | { readonly kind: "frame"; readonly zstd: Uint8Array<ArrayBuffer> };

const MISSING: TreeAnswer = { kind: "missing" };

/**
 * Reads a tree: as the store has it, at once if the store can, or put together from its records.
 *
 * @param gone Makes a signal that fires when the client has gone.
 */
export function readTree(
  store: SpanStore,
  project: string,
  focus: TreeFocus,
  gone?: () => AbortSignal,
): TreeAnswer | Promise<TreeAnswer> {
  const read = readPackedTree(store, project, focus, gone);
  return read instanceof Promise ? read.then(unpacked) : unpacked(read);
}

/** The same, packed where the store has it so. */
export function readPackedTree(
  store: SpanStore,
  project: string,
  focus: TreeFocus,
  gone?: () => AbortSignal,
): PackedTreeAnswer | Promise<PackedTreeAnswer> {
  const read = store.readTree(project, focus, gone);
  return read instanceof Promise ? read.then(toAnswer) : toAnswer(read);
}

function unpacked(answer: PackedTreeAnswer): TreeAnswer {
  return answer.kind === "frame" ? { kind: "whole", json: unpackFrame(answer.zstd) } : answer;
}

function toAnswer(read: TreeRead): PackedTreeAnswer | Promise<TreeAnswer> {
  switch (read.kind) {
    case "assembled":
      return { kind: "whole", json: read.json };
    case "frame":
      return read;
    case "missing":
      return MISSING;
    case "nodes":
      return lookAhead(nestRecords(read));
    case "chunks":
      return lookAhead(read.chunks);
  }
}

async function lookAhead(
  chunks: AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>,
): Promise<TreeAnswer> {
  try {
    // Looking two chunks ahead tells a small answer, which has a length, from a stream; and a trace
    // that is deleted this early is simply not there.
    const first = await chunks.next();
    if (first.done) return MISSING;
    const second = await chunks.next();
    if (second.done) return { kind: "whole", json: first.value };
    return { kind: "chunks", chunks: resume([first.value, second.value], chunks) };
  } catch (error) {
    if (error instanceof TraceGoneError) return MISSING;
    throw error;
  }
}

async function* resume(
  taken: readonly Uint8Array<ArrayBuffer>[],
  rest: AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  yield* taken;
  yield* rest;
}

export type NodesRead = Extract<TreeRead, { kind: "nodes" }>;

const CHUNK_BYTES = 128 * 1024;
/** Records are fetched in batches of about this many bytes, so that large ones do not pile up. */
const BATCH_BYTES = 256 * 1024;
const FIRST_BATCH = 64;
const LARGEST_BATCH = 512;

/** How much is sent and fetched at a time. */
interface NestingLimits {
  readonly chunkBytes: number;
  readonly batchBytes: number;
  /** Records; later batches follow from how large those before were. */
  readonly firstBatch: number;
  readonly largestBatch: number;
}

const LIMITS: NestingLimits = {
  chunkBytes: CHUNK_BYTES,
  batchBytes: BATCH_BYTES,
  firstBatch: FIRST_BATCH,
  largestBatch: LARGEST_BATCH,
};

/**
 * The nested JSON of a subtree in chunks, by concatenation: records are neither parsed nor copied into
 * objects, and the nesting follows from the depths of neighbours in preorder. Other requests run between
 * two chunks.
 *
 * @throws TraceGoneError while iterating, when the trace is deleted meanwhile.
 */
export async function* nestRecords(
  read: NodesRead,
  { chunkBytes, batchBytes, firstBatch, largestBatch }: NestingLimits = LIMITS,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  const tree = buildTree(read.nodes);
  const focus = read.focus ?? tree.top;
  const first = tree.position[focus]!;
  const end = tree.subtreeEnd[focus]!;
  const floor = tree.depth[focus]!;
  const writer = new ChunkWriter(chunkBytes);
  const idOf = (node: number) => read.nodes.at(node)!.id;
  let depth = floor;
  let batchSize = firstBatch;
  for (let from = first; from < end; ) {
    const next = Array.from(tree.preorder.subarray(from, Math.min(from + batchSize, end)));
    const batch = read.added?.fitting(next, idOf) ?? next;
    const records = await read.openRecords(batch);
    const addedTo = await read.added?.of(batch.map(idOf));
    let bytes = 0;
    for (const [n, node] of batch.entries()) {
      const added = addedTo?.(idOf(node), node === tree.top);
      const record = added?.hasContent
        ? Buffer.from(added.fill(Buffer.from(records[n]!).toString()))
        : records[n]!;
      bytes += record.length;
      const nextDepth = tree.depth[node]!;
      if (from + n > first) writer.writeText(betweenRecords(depth, nextDepth));
      depth = nextDepth;
      writer.writeBytes(record);
      writer.writeText(totalText(tree.total(node)));
      if (added !== undefined) writer.writeBytes(Buffer.from(added.afterTotal));
      writer.writeText(AFTER_TOTAL);
      if (writer.isFull) {
        yield writer.take();
        await nextTurn();
      }
    }
    from += batch.length;
    batchSize = clamp(Math.floor((batchBytes * batch.length) / bytes), 1, largestBatch);
  }
  writer.writeText(closingText(depth - floor));
  yield writer.take();
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

const NOTHING = Buffer.allocUnsafeSlow(0);
/** A chunk is full a little before its end, so that the piece that fills it seldom needs a wider one. */
const SLACK = 32 * 1024;

/** Collects bytes into one buffer after another, each handed out whole. */
class ChunkWriter {
  readonly #size: number;
  #chunk: Buffer<ArrayBuffer> = NOTHING;
  #length = 0;

  /** @param size What a chunk usually holds; a larger piece gets a chunk as large as itself. */
  constructor(size: number) {
    this.#size = size;
  }

  get isFull(): boolean {
    return this.#length >= this.#size;
  }

  /** ASCII only. */
  writeText(text: string): void {
    this.#makeRoom(text.length);
    this.#length += this.#chunk.write(text, this.#length, "latin1");
  }

  writeBytes(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#chunk.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Everything written since the last time. */
  take(): Uint8Array<ArrayBuffer> {
    const chunk = this.#chunk.subarray(0, this.#length);
    this.#chunk = NOTHING;
    this.#length = 0;
    return chunk;
  }

  #makeRoom(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#chunk.length) return;
    // Not from Node's shared buffer pool: the sender of a chunk may free its memory.
    const wider = Buffer.allocUnsafeSlow(Math.max(this.#size + SLACK, needed));
    wider.set(this.#chunk.subarray(0, this.#length));
    this.#chunk = wider;
  }
}

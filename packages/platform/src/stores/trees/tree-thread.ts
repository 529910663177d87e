import type { Worker } from "node:worker_threads";
import type { ThreadClient } from "../../threads/thread-rpc.ts";
import { QueryAbandonedError, QueryQueueFullError } from "../query-lane.ts";
import { DamagedSegmentError } from "../segments/segment.ts";
import type { TreeFocus, TreeRead } from "../span-store.ts";
import { TraceGoneError } from "../span-store.ts";
import type { StoreTrouble } from "../store-errors.ts";
import { StoreUnavailableError } from "../store-errors.ts";
import { StoreThread } from "../store-thread.ts";

/**
 * Traces with more spans are read in the thread. Putting this many together takes the main thread
 * 17 ms, handing them over 4 ms; docs/decisions/0003 has the figures.
 */
const LARGE_TRACE_SPANS = 5_000;
/** Spans of all traces that are being read: each takes about 150 bytes until its trace is sent. */
const MOST_OPEN_SPANS = 8_000_000;
/** Traces that are being read: each keeps up to 16 MiB of records at hand. */
const MOST_OPEN_READS = 64;

/** Traces that are read elsewhere, because building their trees takes long. */
export interface LargeTraces {
  /** Those with more spans than this. */
  readonly spans: number;
  read(
    project: string,
    focus: TreeFocus,
    spans: number,
    gone: AbortSignal | undefined,
  ): Promise<TreeRead>;
}

export interface TreeThreadOptions {
  /** Starts a thread that runs `serveTrees`. */
  readonly spawn: () => Worker;
  readonly largeTraceSpans?: number | undefined;
  /** The thread has died. Its reads fail, the next read starts another thread. */
  readonly onTrouble: (trouble: StoreTrouble) => void;
}

/**
 * Reads large traces in a thread of their own: building the tree of a million spans takes a second, in
 * which no other request would be answered. A chunk is requested when the one before it was consumed.
 */
export class TreeThread implements LargeTraces {
  readonly spans: number;
  readonly #thread: StoreThread<TreeApi>;
  #reads = 0;
  #openReads = 0;
  #openSpans = 0;

  constructor({ spawn, largeTraceSpans = LARGE_TRACE_SPANS, onTrouble }: TreeThreadOptions) {
    this.spans = largeTraceSpans;
    const onDeath = (error: Error) =>
      onTrouble({ what: "The thread that reads large traces has died. It is restarted.", error });
    this.#thread = new StoreThread<TreeApi>(spawn, onDeath, "always");
  }

  /**
   * @param spans How many the trace has.
   * @param gone Fires when the client has gone.
   * @throws QueryQueueFullError where too many traces or spans are being read already.
   */
  async read(
    project: string,
    focus: TreeFocus,
    spans: number,
    gone: AbortSignal | undefined,
  ): Promise<TreeRead> {
    if (gone?.aborted) throw abandoned();
    const isFull =
      this.#openReads >= MOST_OPEN_READS ||
      (this.#openReads > 0 && this.#openSpans + spans > MOST_OPEN_SPANS);
    if (isFull) throw new QueryQueueFullError("Too many large traces are being read");
    const read = ++this.#reads;
    // A read stays with one thread: a restarted thread does not know it.
    const client = this.#thread.client();
    this.#openReads++;
    this.#openSpans += spans;
    let isOpen = true;
    const end = () => {
      if (!isOpen) return;
      isOpen = false;
      this.#openReads--;
      this.#openSpans -= spans;
      gone?.removeEventListener("abort", end);
      // Rejects only if the thread has died; then there is nothing to stop.
      client.call("drop", [read]).catch(() => {});
    };
    gone?.addEventListener("abort", end, { once: true });
    try {
      const first = await client.call("open", [read, project, focus]);
      if (first.kind !== "missing") {
        return { kind: "chunks", chunks: chunksOf(client, read, first, end) };
      }
      end();
      return { kind: "missing" };
    } catch (error) {
      end();
      throw error;
    }
  }

  end(): Promise<void> {
    return this.#thread.end();
  }
}

async function* chunksOf(
  client: ThreadClient<TreeApi>,
  read: number,
  first: TreePiece,
  end: () => void,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  try {
    for (let piece = first; ; piece = await client.call("next", [read])) {
      switch (piece.kind) {
        case "chunk":
          yield piece.bytes;
          break;
        case "missing":
        case "end":
          return;
        case "abandoned":
          throw abandoned();
        case "gone":
          throw new TraceGoneError("The trace was deleted while it was read");
        case "damaged":
          throw new DamagedSegmentError(piece.traceId);
        case "unavailable":
          throw new StoreUnavailableError(piece.reason, { cause: undefined });
      }
    }
  } finally {
    end();
  }
}

function abandoned(): QueryAbandonedError {
  return new QueryAbandonedError("The client has disconnected");
}

/**
 * The next piece of a tree that is read in another thread. Errors are values: their classes would be lost
 * between threads.
 */
export type TreePiece =
  | { readonly kind: "chunk"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "end" }
  | { readonly kind: "missing" }
  /** The read was dropped. */
  | { readonly kind: "abandoned" }
  /** The trace was deleted while it was read. */
  | { readonly kind: "gone" }
  | { readonly kind: "damaged"; readonly traceId: string | null }
  | { readonly kind: "unavailable"; readonly reason: string };

/** The caller gives each read a number of its own. */
export type TreeApi = {
  open(read: number, project: string, focus: TreeFocus): Promise<TreePiece>;
  next(read: number): Promise<TreePiece>;
  /** Stops a read: its client has gone. One that has ended or failed needs no drop. */
  drop(read: number): Promise<void>;
  close(): Promise<void>;
};

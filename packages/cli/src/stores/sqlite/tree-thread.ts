import { spawnThread } from "../../threads/spawn-thread.ts";
import { QueryAbandonedError, QueryQueueFullError } from "../query-lane.ts";
import { DamagedSegmentError } from "../segments/segment-checksum.ts";
import type { TreeFocus, TreeRead } from "../span-store.ts";
import { TraceGoneError } from "../span-store.ts";
import { StoreThread } from "../store-thread.ts";
import type { TreeApi, TreeData, TreePiece } from "./tree-api.ts";

/** Spans of all traces that are being read: each takes about 150 bytes until its trace is sent. */
const MOST_OPEN_SPANS = 8_000_000;

/**
 * Reads large traces in a thread of their own: building the tree of a million spans takes a second,
 * in which no other request would be answered. A chunk is asked for when the one before it was taken.
 */
export class TreeThread {
  readonly #thread: StoreThread<TreeApi>;
  #reads = 0;
  #openSpans = 0;

  constructor(directory: string, onFailure: (error: Error) => void) {
    const data: TreeData = { directory };
    const spawn = () => spawnThread(import.meta.url, "tree-worker", data);
    this.#thread = new StoreThread<TreeApi>(spawn, onFailure, true);
  }

  /**
   * @param spans How many the trace has.
   * @param gone Fires when the client has gone.
   * @throws QueryQueueFullError where too many spans are being read already.
   */
  async read(
    project: string,
    focus: TreeFocus,
    spans: number,
    gone: AbortSignal | undefined,
  ): Promise<TreeRead> {
    if (gone?.aborted) throw new QueryAbandonedError("The client has gone");
    if (this.#openSpans > 0 && this.#openSpans + spans > MOST_OPEN_SPANS) {
      throw new QueryQueueFullError("Too many large traces are being read");
    }
    const read = ++this.#reads;
    this.#openSpans += spans;
    let isOpen = true;
    const end = () => {
      if (!isOpen) return;
      isOpen = false;
      this.#openSpans -= spans;
      gone?.removeEventListener("abort", end);
      this.#thread.tell("drop", [read]);
    };
    gone?.addEventListener("abort", end, { once: true });
    try {
      const first = await this.#thread.call("open", [read, project, focus]);
      if (first.kind === "missing") {
        end();
        return { kind: "missing" };
      }
      return { kind: "chunks", chunks: this.#chunks(read, first, end) };
    } catch (error) {
      end();
      throw error;
    }
  }

  end(): Promise<void> {
    return this.#thread.end();
  }

  async *#chunks(
    read: number,
    first: TreePiece,
    end: () => void,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
    try {
      for (let piece = first; ; piece = await this.#thread.call("next", [read])) {
        switch (piece.kind) {
          case "chunk":
            yield piece.bytes;
            break;
          case "gone":
            throw new TraceGoneError("The trace was deleted while it was read");
          case "damaged":
            throw new DamagedSegmentError(piece.traceId);
          case "missing":
          case "end":
            return;
        }
      }
    } finally {
      end();
    }
  }
}

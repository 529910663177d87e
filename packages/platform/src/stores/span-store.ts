import type { MessagePort, Transferable } from "node:worker_threads";
import type { ListContent } from "@agate/protocol";
import type { StoredSpan } from "@agate/spans";
import type { SpanNodes } from "@agate/spans/tree";
import type { ScorePart } from "./score-parts.ts";
import type { ScoreFiguresRequest, ScoreFiguresResult } from "./score-query.ts";
import type { ScoreBatch, ScoreOutcome } from "./score-store.ts";
import type {
  AnalyticsRequest,
  AnalyticsResult,
  EarliestRequest,
  ListPage,
  ListRequest,
  Traffic,
} from "./span-query.ts";
import type { ClickHouseAddress, PostgresAddress } from "./store-address.ts";
import type { TraceAdditions } from "./trace-additions.ts";

/** Spans that arrived together. Their order is the order of arrival: the last write of an id wins. */
export interface SpanBatch {
  readonly project: string;
  /** Microseconds since 1970; retention counts from here, not from the clients' clocks. */
  readonly receivedAt: number;
  readonly spans: readonly StoredSpan[];
}

/** A span that was not stored, since its trace is full. */
export interface RejectedSpan {
  readonly traceId: string;
  readonly spanId: string;
}

export type AppendOutcome =
  | { readonly kind: "committed" }
  /** All but some new spans, each named once: their traces hold as many spans as they may. */
  | {
      readonly kind: "partly-committed";
      readonly rejected: readonly RejectedSpan[];
      readonly maxSpansPerTrace: number;
    }
  /** The client should send the batch again: nothing of it was stored, or that is unknown. */
  | { readonly kind: "unavailable"; readonly reason: string };

export type DeleteOutcome =
  | { readonly kind: "deleted" }
  | { readonly kind: "missing" }
  /** The trace is still there; it can be deleted later. */
  | { readonly kind: "unavailable"; readonly reason: string };

/** The write side alone, as the ingest thread holds it. */
export interface SpanAppender {
  /** Resolves as committed only after the spans are on disk. Idempotent by (trace, span id). */
  append(batch: SpanBatch): Promise<AppendOutcome>;
  /**
   * Stores judgements of spans, which may arrive before their spans. Idempotent by the scores' ids. The reads of
   * trees, tops and lists show them in the records.
   */
  putScores(batch: ScoreBatch): Promise<ScoreOutcome>;
}

/** A write side that was opened on its own. */
export interface OpenAppender extends SpanAppender {
  /** Waits for what is under way. */
  close(): Promise<void>;
}

/** What to read: a whole trace from its top, or a span with its subtree. */
export type TreeFocus =
  | { readonly kind: "trace"; readonly traceId: string }
  | { readonly kind: "span"; readonly spanId: string };

export type TreeRead =
  | { readonly kind: "missing" }
  /**
   * The answer exactly as it goes out: the store had the tree assembled. The bytes are the caller's,
   * and so is all of the memory that they are in: it is freed once they are sent.
   */
  | { readonly kind: "assembled"; readonly json: Uint8Array<ArrayBuffer> }
  /** The same as a zstd frame. */
  | { readonly kind: "frame"; readonly zstd: Uint8Array<ArrayBuffer> }
  /** The trace's nodes, each id once; the tree is still to be built and its records fetched. */
  | {
      readonly kind: "nodes";
      readonly nodes: SpanNodes;
      /** The node that was asked for; null for the trace's top. */
      readonly focus: number | null;
      /** Null where the trace has none. */
      readonly added: TraceAdditions | null;
      /**
       * The open records (UTF-8) of these nodes, in this order; valid until the next call. Rejects
       * with {@link TraceGoneError} if the trace was deleted meanwhile.
       */
      openRecords(nodes: readonly number[]): Promise<readonly Uint8Array[]>;
    }
  /**
   * The answer as it goes out, in chunks that are read as they are taken. Rejects with
   * {@link TraceGoneError} if the trace was deleted meanwhile.
   */
  | {
      readonly kind: "chunks";
      readonly chunks: AsyncGenerator<Uint8Array<ArrayBuffer>, void, void>;
    };

export interface TopsOptions {
  /** Of whole records, also where previews of them are asked for: all of them are read. */
  readonly maxBytes?: number;
  /** Absent: all. */
  readonly traffic?: Traffic | undefined;
  /** Whole records by default. */
  readonly content?: ListContent | undefined;
}

/** The tops of some traces, as lists show them. */
export interface TopsRead {
  /** Listed span records, each one a JSON text. */
  readonly tops: readonly string[];
  /** How many of the traces were not read for lack of room. */
  readonly unread: number;
}

/** A trace was deleted while it was being read. */
export class TraceGoneError extends Error {
  override readonly name = "TraceGoneError";
}

export interface TraceSize {
  readonly project: string;
  readonly traceId: string;
  readonly spans: number;
}

export interface TraceSizePage {
  readonly items: readonly TraceSize[];
  /** Null at the end. */
  readonly next: string | null;
}

/** Traces on a page of {@link SpanStore.traceSizes}; tests cross it. */
export const TRACES_PER_PAGE = 1_000;

/** How much a store holds of one project. */
export interface ProjectCount {
  readonly project: string;
  readonly traces: number;
  readonly spans: number;
}

/**
 * A part of all that a store holds: spans of traces that belong to one project and whose last span
 * arrived at one moment, `receivedAt`.
 */
export interface SpanPart extends SpanBatch {
  /** Where to go on after this part; only the same store understands it. */
  readonly position: string;
}

/** A part ends at this many spans, or bytes of records; a store may exceed the limits by as much again. */
export const PART_LIMITS = { spans: 2_000, bytes: 4 * 1024 * 1024 } as const;

/** An active listener. */
export interface Watch {
  /** Resolves once the listener is active: it is told of every later commit, by any replica. */
  readonly ready: Promise<void>;
  stop(): void;
}

/** Sent after a commit, for live views. */
export interface TraceChange {
  readonly project: string;
  readonly traceId: string;
  /** True when the commit held the trace's first span. */
  readonly isNew: boolean;
}

/**
 * Where spans are kept. Append-only, idempotent, batch-first; every implementation passes the suite in
 * `contract/`. While its database is unavailable, append and delete answer `unavailable`, and everything
 * else rejects with a {@link StoreUnavailableError}; the store recovers automatically.
 */
export interface SpanStore extends SpanAppender {
  /** A write side for another thread; opened there with `openAppender`. */
  appenderHandle(): AppenderHandle;
  /**
   * Answers at once, without a promise, where that costs less than waiting for one.
   *
   * @param gone Makes a signal that fires when the client disconnects; called for reads that take long.
   */
  readTree(
    project: string,
    focus: TreeFocus,
    gone?: () => AbortSignal,
  ): TreeRead | Promise<TreeRead>;
  /**
   * The tops of these traces, in this order, up to the one that would take them beyond `maxBytes` ({@link
   * MOST_PAGE_BYTES} by default); at least one. A trace that is gone, or of other traffic, is left out.
   */
  readTops(project: string, traceIds: readonly string[], options?: TopsOptions): Promise<TopsRead>;
  /**
   * Lists and analytics may take long. They reject with a {@link QueryQueueFullError} when the queue is
   * full, with a {@link QueryTimeoutError} at their deadline, and with a {@link QueryAbandonedError} when
   * `gone` fires; what runs in the database is then stopped.
   */
  listTraces(request: ListRequest, gone?: AbortSignal): Promise<ListPage>;
  listSpans(request: ListRequest, gone?: AbortSignal): Promise<ListPage>;
  analytics(request: AnalyticsRequest, gone?: AbortSignal): Promise<AnalyticsResult>;
  /** Figures of the scores of the traces that a filter finds. */
  scoreFigures(request: ScoreFiguresRequest, gone?: AbortSignal): Promise<ScoreFiguresResult>;
  /** When the first of the traces that a filter finds started; null where it finds none. */
  earliestStart(request: EarliestRequest, gone?: AbortSignal): Promise<number | null>;
  /** Deletes a trace with its scores. */
  deleteTrace(project: string, traceId: string): Promise<DeleteOutcome>;
  /**
   * Deletes at most `limit` of the oldest traces whose last span arrived before `receivedBefore`, with their
   * scores, and at most as many older scores whose traces are not there; resolves with how many. Small enough
   * that appends do not wait for it.
   */
  expire(receivedBefore: number, limit: number): Promise<number>;
  /** When the last span arrived (microseconds since 1970); null where there is none. */
  newestArrival(): Promise<number | null>;
  /**
   * All traces with the number of their spans, a page at a time, in an order of the store's own.
   *
   * @param after The `next` of the page before; null: from the beginning.
   */
  traceSizes(after: string | null): Promise<TraceSizePage>;
  /** The number of spans of these traces, by id; missing traces are left out. */
  sizesOf(project: string, traceIds: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Every project that has traces, by its id. */
  countSpans(): Promise<readonly ProjectCount[]>;
  /**
   * Everything in parts ({@link PART_LIMITS}), each span once, as it was last appended; a large trace in
   * several. Traces are in the order in which their last spans arrived: one that grows after its part was
   * given comes again, whole, behind all others. Spans appended during the export may be left out.
   *
   * @param after The position of a part, perhaps of an earlier process: goes on behind it. Null: from the
   * beginning.
   */
  exportSpans(after: string | null): AsyncIterable<SpanPart>;
  /** How many scores every project has that has any, by its id. */
  countScores(): Promise<ReadonlyMap<string, number>>;
  /**
   * All scores in parts, each as it was last put, in the order of projects, traces and scores. Those that are
   * put during the export may be left out.
   *
   * @param after The position of a part, perhaps of an earlier process: goes on behind it. Null: from the
   * beginning.
   */
  exportScores(after: string | null): AsyncIterable<ScorePart>;
  /** Resolves when everything committed so far can be found by full-text search. */
  searchCaughtUp(): Promise<void>;
  /**
   * Lets the database delete old traces, where it can; null keeps everything.
   *
   * @returns `by-steps` where it cannot, and {@link expire} must be called regularly.
   */
  keepFor(keepMs: number | null): Promise<"by-database" | "by-steps">;
  /** Calls back after commits that changed traces, of other replicas too; changes may be joined. */
  watch(listener: (changes: readonly TraceChange[]) => void): Watch;
  /** Resolves when the database answers. Waits for no other statement: for readiness probes. */
  check(): Promise<void>;
  /** Commits what it has accepted, then releases everything. */
  close(): Promise<void>;
}

/** How another thread opens a store's write side; each store has its own kind. */
export type AppenderHandle = {
  /** Objects to transfer, not copy, with the handle. */
  readonly transfer: readonly Transferable[];
} & (
  | {
      readonly kind: "sqlite";
      /** To the writer's thread. */
      readonly port: MessagePort;
    }
  | {
      readonly kind: "postgres";
      readonly address: PostgresAddress;
      readonly maxSpansPerTrace: number;
    }
  | {
      readonly kind: "clickhouse";
      readonly address: ClickHouseAddress;
      readonly maxSpansPerTrace: number;
    }
);

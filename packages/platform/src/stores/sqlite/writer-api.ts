import type { MessagePort } from "node:worker_threads";
import type { BatchToWrite } from "../segments/batch-encoder.ts";
import type { AppendOutcome, DeleteOutcome, TraceChange } from "../span-store.ts";
import type { ForgetApi } from "./span-index-api.ts";

/** What anyone with a port to the writer's thread may ask of it. */
export type AppendApi = {
  append(batch: BatchToWrite): Promise<AppendOutcome>;
};

/** What the store itself asks of the writer's thread. */
export type WriterApi = AppendApi &
  ForgetApi & {
    /** Serves {@link AppendApi} and {@link ForgetApi} on another port, for another thread. */
    connect(port: MessagePort): Promise<void>;
    deleteTrace(project: string, traceId: string): Promise<DeleteOutcome>;
    expire(receivedBefore: number, limit: number): Promise<number>;
    /** Takes no more batches, commits what it has, closes the database. */
    close(): Promise<void>;
  };

export interface WriterData {
  readonly directory: string;
  readonly maxSpansPerTrace: number;
  /** Where commits are announced. */
  readonly changes: MessagePort;
  /** Where a `StoreTrouble` is reported. */
  readonly troubles: MessagePort;
  /** How much of a segment must be superseded before it is compacted. */
  readonly compactFromBytes: number | undefined;
}

/** Sent on `WriterData.changes` after each commit. */
export type CommitNotice = readonly TraceChange[];

import type { MessagePort } from "node:worker_threads";
import { connectThread, ThreadEndedError } from "../../threads/thread-rpc.ts";
import type { ScoreBatch, ScoreOutcome } from "../score-store.ts";
import type { BatchToWrite } from "../segments/segment-encoder.ts";
import { createBatchEncoder, transferablesOf } from "../segments/segment-encoder.ts";
import type { AppendOutcome, DeleteOutcome, SpanAppender, TraceChange } from "../span-store.ts";
import type { ForgetApi } from "./span-indexer.ts";

/** Appends from the thread that calls it: encodes here, writes in the writer's thread. */
export function createSqliteAppender(writer: MessagePort): SpanAppender {
  const client = connectThread<AppendApi>(writer);
  const encode = createBatchEncoder();
  return {
    async append(batch) {
      if (batch.spans.length === 0) return { kind: "committed" };
      const encoded = encode(batch);
      return unlessEnded(client.call("append", [encoded], transferablesOf(encoded)));
    },
    putScores: (batch) => unlessEnded(client.call("putScores", [batch])),
  };
}

/** The client retries, and finds a restarted server. */
async function unlessEnded<Outcome>(
  call: Promise<Outcome>,
): Promise<Outcome | { readonly kind: "unavailable"; readonly reason: string }> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ThreadEndedError)) throw error;
    return { kind: "unavailable", reason: "The writer has ended." };
  }
}

/** What the writer's thread offers on every port. */
export type AppendApi = {
  append(batch: BatchToWrite): Promise<AppendOutcome>;
  putScores(batch: ScoreBatch): Promise<ScoreOutcome>;
};

/** What the writer's thread offers to the store itself. */
export type WriterApi = AppendApi &
  ForgetApi & {
    /** Serves {@link AppendApi} and {@link ForgetApi} on another port, for another thread. */
    connect(port: MessagePort): Promise<void>;
    deleteTrace(project: string, traceId: string): Promise<DeleteOutcome>;
    expire(receivedBefore: number, limit: number): Promise<number>;
    /** Rejects new batches, commits the pending ones and closes the database. */
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
  /** How long a trace must have received nothing before it is packed. */
  readonly quietMs: number | undefined;
}

/** Sent on `WriterData.changes` after each commit. */
export type CommitNotice = readonly TraceChange[];

import type { MessagePort } from "node:worker_threads";
import { connectThread, ThreadEndedError } from "../../threads/thread-rpc.ts";
import { createBatchEncoder, transferablesOf } from "../segments/batch-encoder.ts";
import type { SpanAppender } from "../span-store.ts";
import type { AppendApi } from "./writer-api.ts";

/** Appends from the thread that calls it: encodes here, writes in the writer's thread. */
export function createSqliteAppender(writer: MessagePort): SpanAppender {
  const client = connectThread<AppendApi>(writer);
  const encode = createBatchEncoder();
  return {
    async append(batch) {
      if (batch.spans.length === 0) return { kind: "committed" };
      const encoded = encode(batch);
      try {
        return await client.call("append", [encoded], transferablesOf(encoded));
      } catch (error) {
        // A client that is told to try again finds a server that was started again.
        if (error instanceof ThreadEndedError) {
          return { kind: "unavailable", reason: "The writer has ended." };
        }
        throw error;
      }
    },
  };
}

import { once } from "node:events";
import { MessageChannel } from "node:worker_threads";
import type { AppenderHandle } from "../stores/appender-handle.ts";
import type { StoreTrouble } from "../stores/store-trouble.ts";
import { spawnThread } from "../threads/spawn-thread.ts";
import { connectThread, ThreadEndedError } from "../threads/thread-rpc.ts";
import type { IngestApi, IngestData } from "./ingest-api.ts";
import type { IngestOutcome, IngestRequest, IngestService } from "./ingest-service.ts";

export interface IngestOptions {
  readonly appender: AppenderHandle;
  /** Has been loaded once already, so it is known to be good. */
  readonly pricesFile: string | null;
  readonly maxDecompressedBytes: number;
  /** Bytes of requests that may wait before further ones are turned away. */
  readonly maxWaitingBytes: number;
  /** A span was stored, but could not be processed in full. */
  readonly onTrouble: (trouble: StoreTrouble) => void;
  /** The thread died of an unexpected error: nothing can be ingested any more. */
  readonly onFailure: (error: Error) => void;
}

const RETRY_AFTER_SECONDS = 1;

/** Starts the thread that decodes, maps and appends; the caller's thread only passes bytes on. */
export function startIngestThread(options: IngestOptions): IngestService {
  const { appender, pricesFile, maxDecompressedBytes } = options;
  const { port1, port2: troubles } = new MessageChannel();
  port1.on("message", options.onTrouble).unref();
  const data: IngestData = { appender, pricesFile, maxDecompressedBytes, troubles };
  const transfer = [troubles, ...appender.transfer];
  const worker = spawnThread(import.meta.url, "ingest-worker", data, transfer);
  const thread = connectThread<IngestApi>(worker);
  worker.on("error", (error) => {
    thread.fail(new ThreadEndedError("The ingest thread has ended", { cause: error }));
    options.onFailure(error);
  });
  let waitingBytes = 0;
  let closing = false;
  const underWay = new Set<Promise<IngestOutcome>>();

  async function pass(request: IngestRequest): Promise<IngestOutcome> {
    const size = request.body.byteLength;
    waitingBytes += size;
    try {
      return await thread.call("ingest", [request], [request.body.buffer]);
    } catch (error) {
      if (error instanceof ThreadEndedError) return unavailable(`${error.message}.`);
      throw error;
    } finally {
      waitingBytes -= size;
    }
  }

  return {
    async ingest(request) {
      if (closing) return unavailable("The server is shutting down.");
      // One request always gets in, however large: otherwise it never could.
      if (waitingBytes > 0 && waitingBytes + request.body.byteLength > options.maxWaitingBytes) {
        return { kind: "busy", retryAfterSeconds: RETRY_AFTER_SECONDS };
      }
      const outcome = pass(request);
      underWay.add(outcome);
      try {
        return await outcome;
      } finally {
        underWay.delete(outcome);
      }
    },
    async close() {
      if (closing) return;
      closing = true;
      await Promise.allSettled(underWay);
      // Together: should the thread die meanwhile, both reject.
      await Promise.all([once(worker, "exit"), thread.call("close", [])]);
    },
  };
}

function unavailable(reason: string): IngestOutcome {
  return { kind: "unavailable", reason, retryAfterSeconds: RETRY_AFTER_SECONDS };
}

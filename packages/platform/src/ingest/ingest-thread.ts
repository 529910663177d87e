import { once } from "node:events";
import type { ResourceLimits, Worker } from "node:worker_threads";
import { MessageChannel } from "node:worker_threads";
import type { AppenderHandle } from "../stores/span-store.ts";
import type { StoreTrouble } from "../stores/store-errors.ts";
import { spawnThread, YOUNG_GENERATION } from "../threads/spawn-thread.ts";
import type { ThreadClient } from "../threads/thread-rpc.ts";
import { connectThread, ThreadEndedError } from "../threads/thread-rpc.ts";
import { declaredSize } from "./decompress.ts";
import type {
  IngestApi,
  IngestData,
  IngestOutcome,
  IngestRequest,
  IngestService,
} from "./ingest-service.ts";
import { RETRY_AFTER_SECONDS } from "./ingest-service.ts";
import type { DecodeLimits } from "./otlp/decode-outcome.ts";

/** What a request takes besides its body: objects for its head, its connection and its answer. */
const BYTES_PER_REQUEST = 16 * 1024;

/** Room for one request, from the first byte of its body until it is answered. */
interface Reservation {
  /** Says how much the request takes now. @returns False when that is too much: nothing changes. */
  resize(bytes: number): boolean;
  release(): void;
}

/** Counts what all requests take that wait to be written. */
export class WaitingBytes {
  readonly #limit: number;
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  reserve(): Reservation {
    let own = 0;
    const resize = (bytes: number) => {
      const wanted = bytes + BYTES_PER_REQUEST;
      const others = this.#total - own;
      // One request always gets in, however large: otherwise it never could.
      if (others > 0 && others + wanted > this.#limit) return false;
      this.#total = others + wanted;
      own = wanted;
      return true;
    };
    const release = () => {
      this.#total -= own;
      own = 0;
    };
    return { resize, release };
  }
}

export interface IngestOptions {
  /** Makes a way to the store's write side, one for each thread that is started. */
  readonly makeAppender: () => AppenderHandle;
  /** Has been loaded once already, so it is known to be good. */
  readonly pricesFile: string | null;
  readonly maxDecompressedBytes: number;
  readonly decodeLimits: DecodeLimits;
  /** Bytes of requests that may wait before further ones are refused, counted as they are decoded. */
  readonly maxWaitingBytes: number;
  /** A span was stored, but could not be processed in full. */
  readonly onTrouble: (trouble: StoreTrouble) => void;
  /** The thread died. The requests that it had are refused; the next one starts another thread. */
  readonly onThreadEnded: (error: Error) => void;
  /** The redaction rules that a project has now, as JSON; null where it has none. */
  readonly redactionOf: (project: string) => string | null;
  /** The secrets of a project's running builds, as JSON; null where there are none. */
  readonly secretsOf?: (project: string) => string | null;
  /** Of the thread; by default what `YOUNG_GENERATION` has for its store. */
  readonly resourceLimits?: ResourceLimits;
}

/** A thread that cannot even start is not started for every request. */
const BETWEEN_STARTS_MS = 1_000;

interface Running {
  readonly worker: Worker;
  readonly thread: ThreadClient<IngestApi>;
}

/** Decodes, maps and appends in a thread of its own; the caller's thread only passes bytes on. */
export function startIngestThread(options: IngestOptions): IngestService {
  const waiting = new WaitingBytes(options.maxWaitingBytes);
  const underWay = new Set<Promise<IngestOutcome>>();
  let closing = false;
  let nextStartAt = 0;
  let running: Running | undefined = start(options, threadEnded);

  function threadEnded(error: Error): void {
    if (running === undefined) return;
    const { thread } = running;
    running = undefined;
    nextStartAt = performance.now() + BETWEEN_STARTS_MS;
    thread.fail(new ThreadEndedError("The ingest thread has ended", { cause: error }));
    options.onThreadEnded(error);
  }

  function current(): Running | undefined {
    if (running !== undefined || performance.now() < nextStartAt) return running;
    nextStartAt = performance.now() + BETWEEN_STARTS_MS;
    try {
      running = start(options, threadEnded);
    } catch (error) {
      options.onThreadEnded(error as Error);
    }
    return running;
  }

  async function pass(request: IngestRequest): Promise<IngestOutcome> {
    const thread = current()?.thread;
    if (thread === undefined) return unavailable("The ingest thread is being restarted.");
    try {
      const { project } = request;
      const secrets = options.secretsOf?.(project) ?? null;
      const hidden = [options.redactionOf(project), secrets] as const;
      return await thread.call("ingest", [request, ...hidden], [request.body.buffer]);
    } catch (error) {
      if (error instanceof ThreadEndedError) return unavailable(`${error.message}.`);
      throw error;
    }
  }

  async function ingest(request: IngestRequest): Promise<IngestOutcome> {
    const outcome = pass(request);
    underWay.add(outcome);
    try {
      return await outcome;
    } finally {
      underWay.delete(outcome);
    }
  }

  return {
    begin() {
      const reservation = waiting.reserve();
      return {
        arrived: reservation.resize,
        async ingest(request) {
          if (closing) return unavailable("The server is shutting down.");
          const { body, compression } = request;
          const size = declaredSize(body, compression, options.maxDecompressedBytes);
          if (reservation.resize(size)) return ingest(request);
          return { kind: "busy", retryAfterSeconds: RETRY_AFTER_SECONDS };
        },
        end: reservation.release,
      };
    },
    async close() {
      if (closing) return;
      closing = true;
      await Promise.allSettled(underWay);
      if (running === undefined) return;
      const { worker, thread } = running;
      // Together: should the thread die meanwhile, both reject.
      await Promise.all([once(worker, "exit"), thread.call("close", [])]);
    },
  };
}

function start(options: IngestOptions, onEnded: (error: Error) => void): Running {
  const { pricesFile, maxDecompressedBytes, decodeLimits } = options;
  const appender = options.makeAppender();
  const { ingest, ingestIntoDatabase } = YOUNG_GENERATION;
  const { resourceLimits = appender.kind === "sqlite" ? ingest : ingestIntoDatabase } = options;
  const { port1, port2: troubles } = new MessageChannel();
  port1.on("message", options.onTrouble).unref();
  const data: IngestData = { appender, pricesFile, maxDecompressedBytes, decodeLimits, troubles };
  const transfer = [troubles, ...appender.transfer];
  const worker = spawnThread(import.meta.url, "ingest-worker", data, transfer, resourceLimits);
  worker.on("error", onEnded);
  return { worker, thread: connectThread<IngestApi>(worker) };
}

function unavailable(reason: string): IngestOutcome {
  return { kind: "unavailable", reason, retryAfterSeconds: RETRY_AFTER_SECONDS };
}

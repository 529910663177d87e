import type { Worker } from "node:worker_threads";
import { spawnThread } from "../../threads/spawn-thread.ts";
import type { ThreadClient } from "../../threads/thread-rpc.ts";
import { connectThread, ThreadEndedError } from "../../threads/thread-rpc.ts";
import type { TraceSummary } from "./trace-summaries.ts";

export type SummaryApi = {
  summaryOf(traceNo: number): Promise<TraceSummary | undefined>;
};

export interface SummaryData {
  readonly directory: string;
}

/**
 * Summarises large traces in a separate thread: a million spans take seconds, during which nothing could be
 * written. Starts with the first trace, and restarts after the thread has died.
 */
export class SummaryThread {
  readonly #data: SummaryData;
  #running: { readonly worker: Worker; readonly client: ThreadClient<SummaryApi> } | undefined;

  constructor(directory: string) {
    this.#data = { directory };
  }

  /** @returns Undefined when the trace is not there. */
  async summaryOf(traceNo: number): Promise<TraceSummary | undefined> {
    this.#running ??= this.#start();
    return this.#running.client.call("summaryOf", [traceNo]);
  }

  /** Terminates the thread: the next start summarises the trace. */
  async end(): Promise<void> {
    await this.#running?.worker.terminate();
  }

  #start() {
    const worker = spawnThread(import.meta.url, "summary-worker", this.#data);
    const client = connectThread<SummaryApi>(worker);
    const running = { worker, client };
    const ended = (error: Error) => {
      if (this.#running === running) this.#running = undefined;
      client.fail(error);
    };
    worker.on("error", ended);
    worker.on("exit", () => ended(new ThreadEndedError("The thread for summaries has ended")));
    return running;
  }
}

import { once } from "node:events";
import type { Transferable, Worker } from "node:worker_threads";
import { isDescriptorShortage } from "../threads/descriptor-shortage.ts";
import type { ThreadApi, ThreadClient } from "../threads/thread-rpc.ts";
import { connectThread } from "../threads/thread-rpc.ts";
import { StoreUnavailableError } from "./store-unavailable-error.ts";

const NO_DESCRIPTORS = "No file descriptors are left to start a thread.";

/** Every thread of the store can be told to finish. */
export type ClosableApi = ThreadApi & { close(): Promise<void> };

/** A thread that starts with the first call: an idle one would still cost 12 MB. */
export class StoreThread<Api extends ClosableApi> {
  readonly #spawn: () => Worker;
  readonly #onFailure: (error: Error) => void;
  readonly #mayRestart: boolean;
  #running: { readonly worker: Worker; readonly client: ThreadClient<Api> } | undefined;

  /**
   * @param mayRestart Whether `spawn` can be called again: then a thread that cannot start for want
   *   of file descriptors is not the end of the store, and the next call tries again.
   */
  constructor(spawn: () => Worker, onFailure: (error: Error) => void, mayRestart = false) {
    this.#spawn = spawn;
    this.#onFailure = onFailure;
    this.#mayRestart = mayRestart;
  }

  call<Method extends keyof Api & string>(
    method: Method,
    args: Parameters<Api[Method]>,
    transfer: readonly Transferable[] = [],
  ): Promise<Awaited<ReturnType<Api[Method]>>> {
    this.#running ??= this.#start();
    return this.#running.client.call(method, args, transfer);
  }

  /** A call whose answer nobody waits for. Should the thread die of it, `onFailure` says so. */
  tell<Method extends keyof Api & string>(
    method: Method,
    args: Parameters<Api[Method]>,
    transfer: readonly Transferable[] = [],
  ): void {
    this.call(method, args, transfer).catch(() => {});
  }

  /** Lets the thread finish what it does; nothing to do when it never started. */
  async end(): Promise<void> {
    if (this.#running === undefined) return;
    const { worker, client } = this.#running;
    const { call } = client as ThreadClient<{ close(): Promise<void> }>;
    // Together: should the thread die meanwhile, both reject.
    await Promise.all([once(worker, "exit"), call("close", [])]);
  }

  #start() {
    const worker = this.#spawn();
    const client = connectThread<Api>(worker);
    const running = { worker, client };
    worker.on("error", (error) => {
      if (this.#mayRestart && isDescriptorShortage(error)) {
        if (this.#running === running) this.#running = undefined;
        client.fail(new StoreUnavailableError(NO_DESCRIPTORS, { cause: error }));
        return;
      }
      client.fail(error);
      this.#onFailure(error);
    });
    worker.on("exit", () => client.fail(new Error("A thread of the store has ended")));
    return running;
  }
}

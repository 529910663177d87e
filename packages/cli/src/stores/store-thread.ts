import { once } from "node:events";
import type { Transferable, Worker } from "node:worker_threads";
import type { ThreadApi, ThreadClient } from "../threads/thread-rpc.ts";
import { connectThread } from "../threads/thread-rpc.ts";

/** Every thread of the store can be told to finish. */
export type ClosableApi = ThreadApi & { close(): Promise<void> };

/** A thread that starts with the first call: an idle one would still cost 12 MB. */
export class StoreThread<Api extends ClosableApi> {
  readonly #spawn: () => Worker;
  readonly #onFailure: (error: Error) => void;
  #running: { readonly worker: Worker; readonly client: ThreadClient<Api> } | undefined;

  constructor(spawn: () => Worker, onFailure: (error: Error) => void) {
    this.#spawn = spawn;
    this.#onFailure = onFailure;
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
    worker.on("error", (error) => {
      client.fail(error);
      this.#onFailure(error);
    });
    worker.on("exit", () => client.fail(new Error("A thread of the store has ended")));
    return { worker, client };
  }
}

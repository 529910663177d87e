import { once } from "node:events";
import type { Transferable, Worker } from "node:worker_threads";
import { isDescriptorShortage } from "../threads/spawn-thread.ts";
import type { ThreadApi, ThreadClient } from "../threads/thread-rpc.ts";
import { connectThread } from "../threads/thread-rpc.ts";
import { StoreUnavailableError } from "./store-errors.ts";

const NO_DESCRIPTORS = "No file descriptors are left to start a thread.";
const ENDED = "A thread of the store has ended unexpectedly.";

/**
 * After which failures the next call restarts a thread: only if it could not start for lack of file
 * descriptors, or always, for a thread without state.
 */
export type ThreadRestart = "never" | "descriptor-shortage" | "always";

/** Every thread of the store can be closed. */
export type ClosableApi = ThreadApi & { close(): Promise<void> };

/** A thread that starts with the first call: an idle one would still cost 12 MB. */
export class StoreThread<Api extends ClosableApi> {
  readonly #spawn: () => Worker;
  readonly #onFailure: (error: Error) => void;
  readonly #restart: ThreadRestart;
  #running: { readonly worker: Worker; readonly client: ThreadClient<Api> } | undefined;
  #isEnding = false;

  /**
   * @param onFailure The thread died. Unless it is always restarted, the store cannot be used any more.
   * @param restart Other than `never`: `spawn` can be called again, and what the dead thread was asked
   * rejects with a {@link StoreUnavailableError}.
   */
  constructor(
    spawn: () => Worker,
    onFailure: (error: Error) => void,
    restart: ThreadRestart = "never",
  ) {
    this.#spawn = spawn;
    this.#onFailure = onFailure;
    this.#restart = restart;
  }

  /** The current thread, for calls that must not reach its successor. */
  client(): ThreadClient<Api> {
    this.#running ??= this.#start();
    return this.#running.client;
  }

  call<Method extends keyof Api & string>(
    method: Method,
    args: Parameters<Api[Method]>,
    transfer: readonly Transferable[] = [],
  ): Promise<Awaited<ReturnType<Api[Method]>>> {
    return this.client().call(method, args, transfer);
  }

  /** A call without a reply; none after {@link end}. If the thread dies of it, `onFailure` is called. */
  tell<Method extends keyof Api & string>(
    method: Method,
    args: Parameters<Api[Method]>,
    transfer: readonly Transferable[] = [],
  ): void {
    // It would start a thread that is never ended.
    if (this.#isEnding) return;
    this.call(method, args, transfer).catch(() => {});
  }

  /** Waits until the thread has finished its work; does nothing if it never started. */
  async end(): Promise<void> {
    this.#isEnding = true;
    if (this.#running === undefined) return;
    const { worker, client } = this.#running;
    const { call } = client as ThreadClient<{ close(): Promise<void> }>;
    // Together, because both reject if the thread dies.
    await Promise.all([once(worker, "exit"), call("close", [])]);
  }

  #start() {
    const worker = this.#spawn();
    const client = connectThread<Api>(worker);
    const running = { worker, client };
    const die = (error: Error) => {
      const isShortage = isDescriptorShortage(error);
      const isRestarted =
        this.#restart === "always" || (this.#restart === "descriptor-shortage" && isShortage);
      if (isRestarted && this.#running === running) this.#running = undefined;
      const reason = isShortage ? NO_DESCRIPTORS : ENDED;
      client.fail(isRestarted ? new StoreUnavailableError(reason, { cause: error }) : error);
      if (!(isRestarted && isShortage)) this.#onFailure(error);
    };
    worker.on("error", die);
    worker.on("exit", (code) => {
      const ended = new Error(`A thread of the store has ended with code ${code}`);
      // The thread was terminated without an error.
      const isUnexpected = this.#running === running && !this.#isEnding;
      if (isUnexpected && this.#restart === "always") die(ended);
      else client.fail(ended);
    });
    return running;
  }
}

import type { Cancellation } from "../context/call-state.ts";
import type { IncomingCall } from "./incoming-call.ts";

/** Why a call was ended from outside. */
export type AbortCause = "timeout" | "client-gone";

/** The step that a call is in, as a timeout error names it. */
export type CallStep =
  | "reading the request body"
  | "resolving the configuration"
  | "checking the configuration"
  | "checking the inputs"
  | "running the function"
  | "checking the output"
  | "streaming the output";

/** The longest that a timer takes: a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

type Reject = (reason: unknown) => void;

/**
 * The end of a call from outside: the client went away, or the route's time is up. The signal is
 * only made when the handler asks for it: making one costs more than most handlers' own work.
 */
export class CallSignal implements Cancellation {
  /** What the call is doing. */
  step: CallStep = "reading the request body";
  readonly #client: IncomingCall;
  readonly #timeout: number | undefined;
  // Made when something waits: most calls end without.
  #onAbort: Set<Reject> | undefined;
  #onDeadline: Set<Reject> | undefined;
  #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #cause: AbortCause | null = null;
  #reason: DOMException | undefined;
  #unwatch: (() => void) | undefined;
  #isSettled = false;

  /** @param timeout Milliseconds; without a limit where undefined or infinite. */
  constructor(client: IncomingCall, timeout: number | undefined) {
    this.#client = client;
    this.#timeout = timeout === Number.POSITIVE_INFINITY ? undefined : timeout;
    if (this.#timeout !== undefined) this.#startTimer(this.#timeout);
  }

  get cause(): AbortCause | null {
    return this.#cause;
  }

  get isCancelled(): boolean {
    return this.#cause === "client-gone";
  }

  /** What the signal is aborted with; undefined before. */
  get reason(): DOMException | undefined {
    return this.#reason;
  }

  /** Milliseconds; undefined without a limit. */
  get timeout(): number | undefined {
    return this.#timeout;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
      this.watchClient();
    }
    return this.#controller.signal;
  }

  /** Aborts the call when its client goes away, or has gone already. */
  watchClient(): void {
    if (this.#unwatch !== undefined || this.#isSettled) return;
    const { signal } = this.#client;
    const onGone = (): void => this.abort("client-gone");
    this.#unwatch = () => signal.removeEventListener("abort", onGone);
    if (signal.aborted) onGone();
    else signal.addEventListener("abort", onGone, { once: true });
  }

  /** Calls a function once, with the reason, when the call is aborted. Returns how to stop that. */
  onAbort(listener: (reason: unknown) => void): () => void {
    if (this.#reason !== undefined) listener(this.#reason);
    else this.#aborting().add(listener);
    return () => this.#onAbort?.delete(listener);
  }

  /** Settles as the work does; rejects with the reason as soon as the call is aborted. */
  beforeAbort<T>(work: PromiseLike<T>): Promise<T> {
    if (this.#reason === undefined) return settledBefore(work, this.#aborting());
    ignoreRejection(work);
    return Promise.reject(this.#reason);
  }

  /**
   * Settles as the work does; rejects when the route's time is up. A client that goes away does not
   * end the wait: work that observes `signal` ends soon, and its outcome is recorded.
   */
  beforeDeadline<T>(work: PromiseLike<T>): PromiseLike<T> {
    if (this.#timeout === undefined) return work;
    this.#onDeadline ??= new Set();
    return settledBefore(work, this.#onDeadline);
  }

  throwIfAborted(): void {
    if (this.#reason !== undefined) throw this.#reason;
  }

  abort(cause: AbortCause): void {
    if (this.#cause !== null || this.#isSettled) return;
    this.#cause = cause;
    this.#reason = reasonOf(cause);
    // First those that wait in here: what the handler's own listeners do comes after the abort.
    const waiting = [...(this.#onAbort ?? [])];
    this.#onAbort?.clear();
    for (const reject of waiting) reject(this.#reason);
    this.#controller?.abort(this.#reason);
  }

  /** The call is over: nothing aborts it any more. */
  settle(): void {
    this.#isSettled = true;
    clearTimeout(this.#timer);
    this.#unwatch?.();
  }

  #aborting(): Set<Reject> {
    this.#onAbort ??= new Set();
    return this.#onAbort;
  }

  #startTimer(remaining: number): void {
    const wait = Math.min(remaining, LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => {
      if (remaining > wait) this.#startTimer(remaining - wait);
      else this.#expire();
    }, wait);
  }

  #expire(): void {
    this.abort("timeout");
    for (const reject of this.#onDeadline ?? []) reject(this.#reason);
  }
}

/**
 * Unlike `Promise.race` with one long promise, which keeps every result of the work until that
 * promise settles, nothing of the work is held once it is done.
 */
function settledBefore<T>(work: PromiseLike<T>, waiting: Set<Reject>): Promise<T> {
  return new Promise((resolve, reject) => {
    waiting.add(reject);
    work.then(
      (value) => {
        waiting.delete(reject);
        resolve(value);
      },
      (thrown: unknown) => {
        waiting.delete(reject);
        reject(thrown);
      },
    );
  });
}

function ignoreRejection(work: PromiseLike<unknown>): void {
  work.then(undefined, () => {});
}

function reasonOf(cause: AbortCause): DOMException {
  return cause === "timeout"
    ? new DOMException("The route's timeout has passed.", "TimeoutError")
    : new DOMException("The client went away.", "AbortError");
}

import type { IncomingCall } from "./incoming-call.ts";

/** Why a call was ended from outside. */
export type AbortCause = "timeout" | "client-gone";

/**
 * The end of a call from outside: the client went away, or the route's time is up. The signal is
 * only made when the handler asks for it: making one costs more than most handlers' own work.
 */
export class CallSignal {
  readonly #client: IncomingCall;
  #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #cause: AbortCause | null = null;
  #ended: PromiseWithResolvers<never> | undefined;

  constructor(client: IncomingCall, timeout: number | undefined) {
    this.#client = client;
    if (timeout !== undefined) {
      this.#timer = setTimeout(() => this.abort("timeout"), timeout);
    }
  }

  get cause(): AbortCause | null {
    return this.#cause;
  }

  /** Rejects when the call is aborted. */
  get aborted(): Promise<never> {
    if (this.#ended === undefined) {
      this.#ended = Promise.withResolvers<never>();
      // Nobody may be listening any more when it is rejected.
      this.#ended.promise.catch(() => {});
      if (this.#cause !== null) this.#ended.reject(reasonOf(this.#cause));
    }
    return this.#ended.promise;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#cause !== null) this.#controller.abort(reasonOf(this.#cause));
      const { signal } = this.#client;
      if (signal.aborted) this.abort("client-gone");
      else signal.addEventListener("abort", () => this.abort("client-gone"), { once: true });
    }
    return this.#controller.signal;
  }

  abort(cause: AbortCause): void {
    if (this.#cause !== null) return;
    this.#cause = cause;
    clearTimeout(this.#timer);
    const reason = reasonOf(cause);
    this.#controller?.abort(reason);
    this.#ended?.reject(reason);
  }

  /** The call is over: its time no longer counts. */
  settle(): void {
    clearTimeout(this.#timer);
  }
}

function reasonOf(cause: AbortCause): DOMException {
  return cause === "timeout"
    ? new DOMException("The route's timeout has passed.", "TimeoutError")
    : new DOMException("The client went away.", "AbortError");
}

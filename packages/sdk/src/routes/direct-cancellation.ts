import type { Cancellation } from "../context/cancellation.ts";

/** The cancellation of a call from code: its consumer leaves the stream, or a signal is aborted. */
export class DirectCancellation implements Cancellation {
  readonly #given: AbortSignal | undefined;
  readonly #outer: Cancellation | undefined;
  #made: AbortSignal | undefined;
  #isLeft = false;

  constructor(given: AbortSignal | undefined, outer: Cancellation | undefined) {
    this.#given = given;
    this.#outer = outer;
  }

  /** The one that the caller passes, else that of the call around it. */
  get signal(): AbortSignal {
    this.#made ??= this.#given ?? this.#outer?.signal ?? new AbortController().signal;
    return this.#made;
  }

  get isCancelled(): boolean {
    const isAbortedByCaller = this.#given !== undefined && isAborted(this.#given);
    return this.#isLeft || isAbortedByCaller || this.#outer?.isCancelled === true;
  }

  leave(): void {
    this.#isLeft = true;
  }
}

function isAborted({ aborted, reason }: AbortSignal): boolean {
  const isTimeout = reason instanceof DOMException && reason.name === "TimeoutError";
  return aborted && !isTimeout;
}

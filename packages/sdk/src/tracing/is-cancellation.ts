import type { Cancellation } from "../context/call-state.ts";

/** How libraries name the error that an aborted signal makes: DOM and Node, Next.js, axios. */
const NAMES: readonly unknown[] = ["AbortError", "ResponseAborted", "CanceledError"];
/** Of the clients of OpenAI and Anthropic, whose errors have no `name` of their own. */
const CLASSES: readonly unknown[] = ["APIUserAbortError"];
const CODES: readonly unknown[] = ["ABORT_ERR", "ERR_CANCELED"];
/** A library may wrap the error of the one below it. */
const MOST_CAUSES = 8;

/**
 * Whether a function threw only because its call was cancelled. Another error, also after the
 * cancellation, is a failure.
 */
export function isCancellation(thrown: unknown, cancellation: Cancellation | undefined): boolean {
  if (!cancellation?.isCancelled) return false;
  const { aborted, reason } = cancellation.signal;
  try {
    let error = thrown;
    for (let depth = 0; depth < MOST_CAUSES; depth += 1) {
      if ((aborted && error === reason) || isAbortError(error)) return true;
      if (!(error instanceof Error) || error.cause === undefined) return false;
      error = error.cause;
    }
    return false;
  } catch {
    // A proxy or a getter that throws is no abort error of a library.
    return false;
  }
}

function isAbortError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { readonly code?: unknown };
  return (
    NAMES.includes(error.name) || CODES.includes(code) || CLASSES.includes(error.constructor.name)
  );
}

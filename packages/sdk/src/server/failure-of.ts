import { HttpError } from "../routes/http-error.ts";
import { describeThrown } from "../tracing/describe-thrown.ts";
import { messageOf } from "../tracing/message-of.ts";
import { type CallError, callError } from "./call-error.ts";
import type { CallSignal } from "./call-signal.ts";
import { OutputError } from "./check-output.ts";

/** What a client is told of something that a handler threw. */
export function failureOf(thrown: unknown, signal: CallSignal): CallError {
  // A handler that was aborted throws whatever its libraries make of it.
  if (signal.cause === "timeout") return callError("timeout", [], timeoutMessage(signal));
  const chosen = chosenAnswer(thrown);
  if (chosen !== undefined) return chosen;
  const { message, stack } = describeThrown(thrown);
  return { ...callError("function_failed", [], message), stack };
}

function timeoutMessage({ timeout, step }: CallSignal): string {
  return `The call took longer than the route's timeout of ${timeout} ms: it was ${step}.`;
}

/** The answer of an error that chooses it: an `HttpError`, or an output that was refused. */
function chosenAnswer(thrown: unknown): CallError | undefined {
  try {
    if (thrown instanceof OutputError) return { status: 500, detail: thrown.detail };
    return HttpError.isInstance(thrown) ? httpAnswer(thrown) : undefined;
  } catch {
    // A proxy that refuses to be looked at is a thrown value like any other.
    return undefined;
  }
}

function httpAnswer(thrown: HttpError): CallError {
  const { stack } = describeThrown(thrown);
  try {
    // Once more: another copy of this package, or code that changed the error, may not have checked.
    const { status, message, type, headers } = new HttpError(
      thrown.status,
      messageOf(thrown),
      thrown,
    );
    return { status, detail: [{ loc: [], msg: message, type }], headers, stack };
  } catch (fault) {
    return { ...callError("function_failed", [], messageOf(fault)), stack };
  }
}

/** True of what the developer should hear of: a function that failed, and not a call that was refused. */
export function isFailure({ detail }: CallError): boolean {
  return detail.some(({ type }) => type === "function_failed" || type === "output_invalid");
}

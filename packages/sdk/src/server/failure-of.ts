import { HttpError } from "../routes/http-error.ts";
import { type CallError, callError } from "./call-error.ts";
import type { CallSignal } from "./call-signal.ts";
import { OutputError } from "./check-output.ts";

/** What a client is told of something that a handler threw. */
export function failureOf(thrown: unknown, signal: CallSignal): CallError {
  // A handler that was aborted throws whatever its libraries make of it.
  if (signal.cause === "timeout") {
    return callError("timeout", [], "The function took longer than the route's timeout.");
  }
  if (signal.cause === "client-gone") {
    return callError("client_closed_request", [], "The client went away before the answer.");
  }
  if (HttpError.isInstance(thrown)) {
    const { status, message, type, headers, stack } = thrown;
    return { status, detail: [{ loc: [], msg: message, type }], headers, stack };
  }
  if (thrown instanceof OutputError) return { status: 500, detail: thrown.detail };
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const stack = thrown instanceof Error ? thrown.stack : undefined;
  return { ...callError("function_failed", [], message), stack };
}

/** True of what the developer should hear of: a function that failed, and not a call that was refused. */
export function isFailure({ detail }: CallError): boolean {
  return detail.some(({ type }) => type === "function_failed" || type === "output_invalid");
}

import type { ErrorDetail } from "@agate/protocol";
import { HttpError } from "../routes/http-error.ts";
import { describeThrown, messageOf } from "../tracing/describe-thrown.ts";
import type { CallSignal } from "./call-signal.ts";
import { OutputError } from "./check-output.ts";

/**
 * What the workflow endpoints answer with, beside what a configuration's own check reports, and its status.
 * A type is a promise to clients: it is never renamed. docs/reference/errors.md lists them with their
 * meanings, compared by a test.
 */
export const CALL_ERROR_STATUS = {
  body_not_json: 422,
  body_invalid: 422,
  unknown_field: 422,
  input_invalid: 422,
  host_not_allowed: 403,
  origin_not_allowed: 403,
  route_not_found: 404,
  config_not_found: 404,
  method_not_allowed: 405,
  body_too_large: 413,
  content_type_unsupported: 415,
  client_closed_request: 499,
  function_failed: 500,
  output_invalid: 500,
  http_error: 500,
  config_unavailable: 503,
  timeout: 504,
} as const satisfies Record<string, number>;

export type CallErrorType = keyof typeof CALL_ERROR_STATUS;

/** An answer that is not the function's result. */
export interface CallError {
  readonly status: number;
  readonly detail: readonly ErrorDetail[];
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Shown on playground endpoints only. */
  readonly stack?: string | undefined;
  /** True of what the function did not choose to tell: deployed endpoints tell it only where errors are exposed. */
  readonly isInternal?: true;
}

export function callError(
  type: CallErrorType,
  loc: ErrorDetail["loc"],
  msg: string,
  headers?: Readonly<Record<string, string>>,
): CallError {
  return { status: CALL_ERROR_STATUS[type], detail: [{ loc, msg, type }], headers };
}

/** What a client is told of something that a handler threw. */
export function failureOf(thrown: unknown, signal: CallSignal): CallError {
  // The handler's libraries turn the abort into errors of their own.
  if (signal.cause === "timeout") return callError("timeout", [], timeoutMessage(signal));
  const chosen = chosenAnswer(thrown);
  if (chosen !== undefined) return chosen;
  const { message, stack } = describeThrown(thrown);
  return functionFailed(message, stack);
}

function functionFailed(message: string, stack: string | undefined): CallError {
  return { ...callError("function_failed", [], message), stack, isInternal: true };
}

/** What a deployed endpoint answers in the place of an internal error. The trace has the rest. */
export function withoutInternals(error: CallError, traceId: string): CallError {
  const [first] = error.detail;
  const isOutput = first?.type === "output_invalid";
  const what = isOutput ? "The function's output is invalid." : "The function failed.";
  const detail = {
    loc: isOutput ? first.loc.slice(0, 1) : [],
    msg: `${what} Trace ${traceId} has the details.`,
    type: first?.type ?? "function_failed",
  };
  return { status: error.status, detail: [detail] };
}

function timeoutMessage({ timeout, step }: CallSignal): string {
  return `The call took longer than the route's timeout of ${timeout} ms: it was ${step}.`;
}

/** The answer of an error that chooses it: an `HttpError`, or an output that was refused. */
function chosenAnswer(thrown: unknown): CallError | undefined {
  try {
    if (thrown instanceof OutputError)
      return { status: 500, detail: thrown.detail, isInternal: true };
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
    return functionFailed(messageOf(fault), stack);
  }
}

/** True of what the developer should hear of: a function that failed, and not a call that was refused. */
export function isFailure({ detail }: CallError): boolean {
  return detail.some(({ type }) => type === "function_failed" || type === "output_invalid");
}

import type { ErrorDetail } from "@agate/protocol";
import { HttpError } from "../routes/http-error.ts";
import { describeThrown, messageOf } from "../tracing/describe-thrown.ts";
import type { CallSignal } from "./call-signal.ts";
import { OutputError } from "./check-output.ts";

/** How an error type of the workflow endpoints appears to clients. */
interface CallErrorInfo {
  readonly status: number;
  /** For docs/reference/errors.md. */
  readonly meaning: string;
}

/**
 * What the workflow endpoints answer with, beside what a configuration's own check reports. A type
 * is a promise to clients: it is never renamed. docs/reference/errors.md lists them, compared by a
 * test.
 */
export const CALL_ERROR_TYPES = {
  body_not_json: { status: 422, meaning: "The body is not JSON." },
  body_invalid: {
    status: 422,
    meaning: "The body is not an object with the fields of this endpoint.",
  },
  unknown_field: { status: 422, meaning: "The body has a field that this endpoint does not take." },
  input_invalid: { status: 422, meaning: "The inputs do not satisfy the route's input schema." },
  host_not_allowed: {
    status: 403,
    meaning:
      "The workflow listens on this machine only, and the `Host` header names another. Protects against DNS rebinding.",
  },
  origin_not_allowed: {
    status: 403,
    meaning: "A page of an origin that `cors` does not allow asked whether it may call the path.",
  },
  route_not_found: { status: 404, meaning: "There is nothing at this path." },
  config_not_found: {
    status: 404,
    meaning: "The environment, variant or revision has no configuration.",
  },
  method_not_allowed: {
    status: 405,
    meaning: "The path exists, but not for this method; `Allow` names those it has.",
  },
  body_too_large: { status: 413, meaning: "The body is larger than the limit." },
  content_type_unsupported: { status: 415, meaning: "The path takes `application/json`." },
  client_closed_request: { status: 499, meaning: "The client went away before the answer." },
  function_failed: { status: 500, meaning: "The function threw an error; its message is `msg`." },
  output_invalid: {
    status: 500,
    meaning:
      "What the function returned does not satisfy the route's output schema, or is not JSON.",
  },
  http_error: {
    status: 500,
    meaning: "The function threw an `ag.HttpError`, whose status this is.",
  },
  config_unavailable: {
    status: 503,
    meaning:
      "The registry, or the file of configurations, cannot be read and nothing is known from before.",
  },
  timeout: {
    status: 504,
    meaning: "The call took longer than the route's `timeout`; `msg` names the step it was in.",
  },
} as const satisfies Record<string, CallErrorInfo>;

export type CallErrorType = keyof typeof CALL_ERROR_TYPES;

/** An answer that is not the function's result. */
export interface CallError {
  readonly status: number;
  readonly detail: readonly ErrorDetail[];
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Shown on playground endpoints only. */
  readonly stack?: string | undefined;
}

export function callError(
  type: CallErrorType,
  loc: ErrorDetail["loc"],
  msg: string,
  headers?: Readonly<Record<string, string>>,
): CallError {
  return { status: CALL_ERROR_TYPES[type].status, detail: [{ loc, msg, type }], headers };
}

/** What a client is told of something that a handler threw. */
export function failureOf(thrown: unknown, signal: CallSignal): CallError {
  // The handler's libraries turn the abort into errors of their own.
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

import type { ErrorBody, ErrorDetail } from "../error-body.ts";

/** What a response with an error status says. */
export interface ErrorResponse {
  readonly status: number;
  /** The parsed body: workflows add `trace_id`, `trace` and `stack`. Undefined where it is not JSON. */
  readonly body: unknown;
  /** Null where the body is not the error body that Agate sends: a proxy, or another program, answered. */
  readonly detail: readonly ErrorDetail[] | null;
  /** Of a workflow's call that failed. */
  readonly traceId: string | null;
  readonly retryAfterMs: number | null;
}

/** @throws what reading the body throws: the connection was lost. */
export async function readErrorResponse(response: Response): Promise<ErrorResponse> {
  const body = parseJson(await response.text());
  const isAgate = isErrorBody(body);
  return {
    status: response.status,
    body,
    detail: isAgate ? body.detail : null,
    traceId: isAgate ? traceIdOf(body) : null,
    retryAfterMs: retryAfterMs(response),
  };
}

/** The error body of docs/reference/errors.md, as far as clients show it. */
export function isErrorBody(value: unknown): value is ErrorBody & { readonly trace_id?: unknown } {
  if (typeof value !== "object" || value === null || !("detail" in value)) return false;
  const { detail } = value;
  return (
    Array.isArray(detail) &&
    detail.length > 0 &&
    detail.every(
      (entry) =>
        typeof entry === "object" &&
        entry !== null &&
        typeof entry.msg === "string" &&
        Array.isArray(entry.loc),
    )
  );
}

/** The trace of a workflow's call that failed. */
export function traceIdOf({ trace_id }: { readonly trace_id?: unknown }): string | null {
  return typeof trace_id === "string" ? trace_id : null;
}

/** `Retry-After` in seconds, as the platform sends it. */
export function retryAfterMs({ headers }: Pick<Response, "headers">): number | null {
  const seconds = Number(headers.get("retry-after") || Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // An answer that is not JSON has no `detail`: the caller reports its type instead.
    return undefined;
  }
}

const MARKER = Symbol.for("agate.sdk.client-error");

interface Detail {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** Why a call failed. */
export type ClientErrorKind =
  /** The app, or a proxy in front of it, answered with an error; in a stream also after it had begun. */
  | "status"
  /** The answer points to another address. It is not followed: a POST would become a GET. */
  | "redirect"
  /** The answer is not one of an app: no JSON, nothing at all, a page of a proxy. */
  | "invalid_response"
  /** There was no connection, or it was lost before the answer was complete. */
  | "connection"
  /** No answer in time, by a signal of `AbortSignal.timeout` or a limit of the runtime. */
  | "timeout"
  /** The caller's signal was aborted, or a stream was left. */
  | "aborted";

interface About {
  readonly kind: ClientErrorKind;
  readonly url: string;
  readonly status?: number | null;
  readonly detail?: readonly Detail[];
  readonly traceId?: string | null;
  readonly retryAfter?: number | null;
  readonly code?: string | null;
  readonly cause?: unknown;
}

/**
 * A call that failed, and why: `kind` tells the reasons apart.
 *
 * @example
 * try {
 *   await client.summarize({ text });
 * } catch (error) {
 *   if (ClientError.isInstance(error) && error.status === 422) show(error.detail);
 * }
 */
export class ClientError extends Error {
  /** As `fetch` names what was aborted: `AbortError` or `TimeoutError`; else `ClientError`. */
  override readonly name: "ClientError" | "AbortError" | "TimeoutError";
  get [MARKER](): true {
    return true;
  }
  readonly kind: ClientErrorKind;
  /** What was called. */
  readonly url: string;
  /** The answer's status; 200 for a stream that failed after it had begun, null without an answer. */
  readonly status: number | null;
  readonly detail: readonly Detail[];
  readonly traceId: string | null;
  /** Seconds after which a 429 or 503 may be tried again. */
  readonly retryAfter: number | null;
  /** The code of the failure below, such as `ECONNRESET`; null where the runtime gives none. */
  readonly code: string | null;

  constructor(message: string, about: About) {
    super(message, about.cause === undefined ? undefined : { cause: about.cause });
    this.name = NAMES[about.kind] ?? "ClientError";
    this.kind = about.kind;
    this.url = about.url;
    this.status = about.status ?? null;
    this.detail = about.detail ?? [];
    this.traceId = about.traceId ?? null;
    this.retryAfter = about.retryAfter ?? null;
    this.code = about.code ?? null;
  }

  /** Also for errors of another copy of this package. */
  static isInstance(value: unknown): value is ClientError {
    return typeof value === "object" && value !== null && MARKER in value;
  }
}

const NAMES: { readonly [Kind in ClientErrorKind]?: ClientError["name"] } = {
  aborted: "AbortError",
  timeout: "TimeoutError",
};

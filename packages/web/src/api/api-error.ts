import type { ErrorBody, ErrorDetail } from "@agate/protocol";

/** The platform, or a workflow behind it, has refused a request and said why. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly detail: readonly ErrorDetail[];
  /** The whole body: workflows add `trace_id`, `trace` and `stack`. */
  readonly body: unknown;
  /** After how long the platform would answer otherwise; null where it does not say so. */
  readonly retryAfterMs: number | null;

  constructor(status: number, body: unknown, retryAfterMs: number | null = null) {
    const detail = (body as Partial<ErrorBody> | null)?.detail ?? [];
    super(detail.map(({ msg }) => msg).join(" ") || `The platform answered with ${status}.`);
    this.status = status;
    this.detail = detail;
    this.body = body;
    this.retryAfterMs = retryAfterMs;
  }

  /** @example error.has("revision_stale") */
  has(type: string): boolean {
    return this.detail.some((each) => each.type === type);
  }
}

/** No answer came: the platform is not running, or the network is away. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

import type { ErrorDetail } from "@agate/protocol";
import { isErrorBody } from "@agate/protocol/client";

/** An error response of the platform, or of a workflow behind it. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly detail: readonly ErrorDetail[];
  /** The whole body: workflows add `trace_id`, `trace` and `stack`. */
  readonly body: unknown;
  /** `Retry-After`, where the platform sent it. */
  readonly retryAfterMs: number | null;

  constructor(status: number, body: unknown, retryAfterMs: number | null = null) {
    const detail = isErrorBody(body) ? body.detail : [];
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

/** No response: the platform is not running, or the network is down. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}

/** Beyond that it is said, and left to the reader. */
const MOST_RETRIES = 5;

/**
 * Whether a question is to be asked once more: the platform has too much to do, or this key too many
 * requests, and says after how long it will answer.
 */
export function isForLater(failures: number, error: Error): boolean {
  return failures < MOST_RETRIES && retryAfter(error) !== null;
}

/** @example laterMs(0, error) // 1000, for `Retry-After: 1` */
export function laterMs(failures: number, error: Error): number {
  // A page asks for much at once: those that were refused together do not come back together.
  return (retryAfter(error) ?? 0) * (1 + failures * Math.random());
}

function retryAfter(error: Error): number | null {
  return error instanceof ApiError ? error.retryAfterMs : null;
}

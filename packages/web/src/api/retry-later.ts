import { ApiError } from "./api-error.ts";

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

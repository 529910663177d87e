/** The answers of a model that is busy: the call may succeed later. */
const OVERLOADED = [429, 503, 529] as const;
export type OverloadStatus = (typeof OVERLOADED)[number];

/** Where libraries keep the error below theirs: `lastError` and `errors` are the AI SDK's retries. */
const INNER = ["cause", "lastError", "error", "response", "errors"] as const;
/** An error that contains more is no chain of causes. */
const MOST_ERRORS = 64;

/**
 * The status of an overloaded model in a thrown error, wherever a library has put it: `status` or
 * `statusCode`, of the error itself or of one that it wraps. `undefined` for every other error.
 *
 * @example
 * overloadStatus(new Error("no answer", { cause: { status: 429 } })); // 429
 */
export function overloadStatus(thrown: unknown): OverloadStatus | undefined {
  return overloadOf(thrown)?.status;
}

/** An overloaded model, and when it wants to be asked again. */
export interface Overload {
  readonly status: OverloadStatus;
  readonly retryAfterMs?: number;
}

/** The overload in a thrown error: see `overloadStatus`. */
export function overloadOf(thrown: unknown): Overload | undefined {
  const queue: unknown[] = [thrown];
  const seen = new Set<unknown>();
  for (let at = 0; at < queue.length && seen.size < MOST_ERRORS; at++) {
    const error = queue[at];
    if (typeof error !== "object" || error === null || seen.has(error)) continue;
    seen.add(error);
    for (const name of ["status", "statusCode"]) {
      const status = member(error, name);
      const found = OVERLOADED.find((known) => known === status);
      if (found !== undefined) return { status: found, ...retryAfterOf(error) };
    }
    for (const name of INNER) {
      const inner = member(error, name);
      if (Array.isArray(inner)) queue.push(...inner.slice(0, MOST_ERRORS));
      else queue.push(inner);
    }
  }
  return undefined;
}

/** By the header, wherever a library keeps it: `responseHeaders` is the AI SDK's. */
function retryAfterOf(error: object): { readonly retryAfterMs?: number } {
  for (const name of ["headers", "responseHeaders"]) {
    const headers = member(error, name);
    if (typeof headers !== "object" || headers === null) continue;
    const get = member(headers, "get");
    const value: unknown =
      typeof get === "function" ? get.call(headers, "retry-after") : member(headers, "retry-after");
    const seconds = typeof value === "string" && value !== "" ? Number(value) : Number.NaN;
    if (seconds >= 0) return { retryAfterMs: Math.ceil(seconds * 1000) };
  }
  return {};
}

/** A getter or a proxy may throw, which must not hide the error that is looked at. */
function member(error: object, name: string): unknown {
  try {
    return (error as Readonly<Record<string, unknown>>)[name];
  } catch {
    return undefined;
  }
}

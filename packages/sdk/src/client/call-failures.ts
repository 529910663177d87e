import { ClientError } from "./client-error.ts";

/** An answer that has begun, and what was asked: a response of a custom `fetch` does not know its URL. */
export interface Answered {
  readonly url: string;
  readonly response: Response;
  readonly signal: AbortSignal | undefined;
}

/** How much of a body that is not understood is quoted in a message. */
const QUOTED = 200;

const TIMEOUTS = new Set([
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);
const RESETS = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);
/** What Node and Bun call an answer that is no HTTP, or not compressed as its header says. */
const MALFORMED = /^(?:HTTPParserError|HPE_|Z_|ERR__ERROR_|Malformed_|ZlibError|Brotli|Zstd)/;

/** A request that failed before its answer began. */
export function requestFailure(
  url: string,
  thrown: unknown,
  signal: AbortSignal | undefined,
): ClientError {
  return (
    abortOf(url, thrown, signal) ??
    transportFailure(url, thrown, null, ({ code, reason }) =>
      code !== null && RESETS.has(code)
        ? `The connection to ${url} was lost before it answered: ${reason}`
        : `${url} could not be reached: ${reason}`,
    )
  );
}

/** An answer whose body failed while it was read. */
export function bodyFailure({ url, response, signal }: Answered, thrown: unknown): ClientError {
  return (
    abortOf(url, thrown, signal) ??
    transportFailure(
      url,
      thrown,
      response.status,
      ({ reason }) => `The connection to ${url} was lost before the answer was complete: ${reason}`,
    )
  );
}

/** A stream that ended without an end. */
export function cutOff({ url, response }: Answered): ClientError {
  return new ClientError(`The connection to ${url} was lost before the stream was done.`, {
    kind: "connection",
    url,
    status: response.status,
  });
}

export function streamLeft(url: string): ClientError {
  return new ClientError(`The stream of ${url} was left before its end.`, { kind: "aborted", url });
}

/** @param expected What should have answered. */
export function invalidResponse(
  { url, response }: Answered,
  what: string,
  expected = "an Agate app",
): ClientError {
  return new ClientError(
    `${url} answered ${response.status} with ${what}. Is this the address of ${expected}?`,
    { kind: "invalid_response", url, status: response.status },
  );
}

/** A body as messages quote it. */
export function quotedBody(text: string): string {
  return text.length > QUOTED ? `${text.slice(0, QUOTED)}…` : text;
}

/** Where an answer points elsewhere; null where it does not. */
export function redirectOf({ url, response }: Answered): ClientError | null {
  const { status, headers, redirected, type } = response;
  const location = headers.get("location");
  const isRedirect = status >= 300 && status < 400 && location !== null;
  // A browser hides where it goes; a `fetch` of one's own may have followed already.
  if (!isRedirect && type !== "opaqueredirect" && !redirected) return null;
  const target = location ?? (redirected ? response.url : null);
  const where = target === null ? "another address" : absolute(target, url);
  return new ClientError(
    `${url} redirects to ${where}, and calls do not follow redirects. Call that address instead.`,
    { kind: "redirect", url, status: status === 0 ? null : status },
  );
}

function absolute(target: string, base: string): string {
  return URL.canParse(target, base) ? new URL(target, base).href : target;
}

function abortOf(
  url: string,
  thrown: unknown,
  signal: AbortSignal | undefined,
): ClientError | null {
  const reason: unknown = signal?.aborted ? signal.reason : thrown;
  const name = nameOf(reason);
  if (name === "TimeoutError") {
    const message = `${url} did not answer within the time that the call allows.`;
    return new ClientError(message, { kind: "timeout", url, cause: reason });
  }
  if (!signal?.aborted && name !== "AbortError") return null;
  return new ClientError(`The call of ${url} was aborted.`, {
    kind: "aborted",
    url,
    cause: reason,
  });
}

function nameOf(thrown: unknown): unknown {
  return typeof thrown === "object" && thrown !== null && "name" in thrown
    ? thrown.name
    : undefined;
}

interface Fault {
  readonly code: string | null;
  readonly reason: string;
  readonly isMalformed: boolean;
}

function transportFailure(
  url: string,
  thrown: unknown,
  status: number | null,
  messageOf: (fault: Fault) => string,
): ClientError {
  const fault = faultOf(thrown);
  const { code, reason } = fault;
  const about = { url, status, code, cause: thrown };
  if (code !== null && TIMEOUTS.has(code)) {
    return new ClientError(`${url} did not answer in time: ${reason}`, {
      ...about,
      kind: "timeout",
    });
  }
  if (fault.isMalformed) {
    return new ClientError(`${url} gave an answer that cannot be read: ${reason}`, {
      ...about,
      kind: "invalid_response",
    });
  }
  return new ClientError(messageOf(fault), { ...about, kind: "connection" });
}

/** `fetch` throws "fetch failed"; what failed is its cause, or that one's. */
function faultOf(thrown: unknown): Fault {
  let code: string | null = null;
  let reason = "";
  let isMalformed = false;
  let error: unknown = thrown;
  for (let depth = 0; depth < 5 && error instanceof Error; depth += 1) {
    if ("code" in error && typeof error.code === "string") code = error.code;
    isMalformed ||= MALFORMED.test(error.name) || MALFORMED.test(code ?? "");
    reason = error.message || reason;
    error = error.cause;
  }
  if (reason === "") reason = code ?? String(thrown);
  return {
    code,
    reason: code === null || reason.includes(code) ? reason : `${reason} (${code})`,
    isMalformed,
  };
}

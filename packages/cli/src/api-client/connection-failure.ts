import { ApiFailure } from "./api-failure.ts";

/** What went wrong below HTTP, in words. Anything that is not about the connection stays as it is. */
export function connectionFailure(url: string, error: unknown): unknown {
  // `fetch` and its streams throw a TypeError that has the reason as its cause.
  if (!(error instanceof TypeError) || !(error.cause instanceof Error)) return error;
  const { code = "", message } = error.cause as NodeJS.ErrnoException;
  const options = { cause: error };
  switch (code) {
    case "ECONNREFUSED":
      return new ApiFailure(url, { kind: "unreachable" }, options);
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new ApiFailure(url, { kind: "no-way", reason: "There is no such host" }, options);
    case "UND_ERR_CONNECT_TIMEOUT":
    case "UND_ERR_HEADERS_TIMEOUT":
    case "UND_ERR_BODY_TIMEOUT":
    case "ETIMEDOUT":
      return new ApiFailure(url, { kind: "timed-out" }, options);
    case "ECONNRESET":
    case "EPIPE":
    case "UND_ERR_SOCKET":
      return new ApiFailure(url, { kind: "broken-off" }, options);
    case "ERR_SSL_WRONG_VERSION_NUMBER":
      return new ApiFailure(
        url,
        { kind: "no-way", reason: "It does not speak TLS, so it is http:// instead of https://" },
        options,
      );
    default:
      return new ApiFailure(url, { kind: "no-way", reason: sentence(message || code) }, options);
  }
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replace(/\.$/, "");
}

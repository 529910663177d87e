import type { ErrorDetail } from "@agate/protocol";

/** Why a request did not get its answer. */
export type ApiFailureCause =
  /** The platform answered with an error status and an error body. */
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly detail: readonly ErrorDetail[];
      readonly retryAfterSeconds: number | null;
      /** The last lines that a build printed before it failed its checks. */
      readonly log: readonly string[];
      /** Of the failed call, where a workflow answered. */
      readonly traceId: string | null;
    }
  /** Connection refused. */
  | { readonly kind: "unreachable" }
  /** The host is unknown, its certificate is not trusted, or the network is down. */
  | { readonly kind: "connection-failed"; readonly reason: string }
  | { readonly kind: "timed-out" }
  /** The connection ended before the answer did. */
  | { readonly kind: "broken-off" }
  /** Something answers, but not as the platform does: a proxy, another program. */
  | { readonly kind: "not-agate"; readonly status: number; readonly reason: string };

/** A request that failed. It is thrown, because it ends the command: `report-failures.ts` prints it. */
export class ApiFailure extends Error {
  override readonly name = "ApiFailure";
  readonly why: ApiFailureCause;
  /** The platform, or the workflow, that was asked. */
  readonly url: string;

  constructor(url: string, why: ApiFailureCause, options?: ErrorOptions) {
    super(`The request to ${url} failed: ${why.kind}`, options);
    this.url = url;
    this.why = why;
  }
}

/** Turns an error of `fetch` or its streams into an ApiFailure. Any other error is returned as it is. */
export function connectionFailure(url: string, error: unknown): unknown {
  // Without a cause, the server closed the connection in the middle of a body.
  if (error instanceof TypeError && error.message === "terminated" && error.cause === undefined) {
    return new ApiFailure(url, { kind: "broken-off" }, { cause: error });
  }
  // They throw a TypeError that has the reason as its cause.
  if (!(error instanceof TypeError) || !(error.cause instanceof Error)) return error;
  const { code = "", message } = error.cause as NodeJS.ErrnoException;
  const options = { cause: error };
  switch (code) {
    case "ECONNREFUSED":
      return new ApiFailure(url, { kind: "unreachable" }, options);
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new ApiFailure(url, { kind: "connection-failed", reason: "Host not found" }, options);
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
        {
          kind: "connection-failed",
          reason: "The server does not use TLS: write http:// instead of https://",
        },
        options,
      );
    default:
      return new ApiFailure(
        url,
        { kind: "connection-failed", reason: sentence(message || code) },
        options,
      );
  }
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replace(/\.$/, "");
}

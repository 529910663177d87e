import type { IncomingMessage } from "node:http";

/** Headers about one connection, which end with it: RFC 9110, 7.6.1. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
]);
/** Headers that frame or route a message: ignored when `Connection` names them. */
const NEVER_NAMED: ReadonlySet<string> = new Set(["content-length", "host"]);

/** @param name In lower case. */
export function isHopByHop(name: string): boolean {
  return HOP_BY_HOP.has(name);
}

/**
 * The other headers that a `Connection` header names, in lower case; undefined where there are none,
 * as nearly always.
 *
 * @param connection The header's value, several joined by commas.
 */
export function namedByConnection(connection: string): ReadonlySet<string> | undefined {
  if (connection === "keep-alive" || connection === "close" || connection === "") return undefined;
  const names = connection
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => !NEVER_NAMED.has(name));
  return new Set(names);
}

/**
 * Headers that user code does not see. The key and the page's cookies are credentials for the platform:
 * with them a build could act as its caller. The platform itself has handled `expect`. Runs of evaluations
 * have sockets of their own: no client may make a call look like one of theirs.
 */
const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  "authorization",
  "cookie",
  "expect",
  "agate-run",
]);

/** Names the environment of a call. */
export const ENVIRONMENT_HEADER = "agate-environment";

/** Characters that would end the request line early. */
const NO_TARGET = /[\0-\x20\x7f]|^[^/]|^$/;

/** How a request's body is sent, as its head says. */
export type RequestBody =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly bytes: number }
  | { readonly kind: "chunked" };

/** How the body of a request comes; undefined where it is coded in a way that cannot be passed on. */
export function requestBody({ headers }: IncomingMessage): RequestBody | undefined {
  const coding = headers["transfer-encoding"];
  if (coding !== undefined) {
    return coding.toLowerCase() === "chunked" ? { kind: "chunked" } : undefined;
  }
  // Node's parser has refused what is no number.
  const length = headers["content-length"];
  return length === undefined ? { kind: "none" } : { kind: "length", bytes: Number(length) };
}

/**
 * The head of the request as the service gets it, ready to be written as latin1.
 *
 * @param path The path and query for the service.
 * @param environment The environment that the request's path named, which the service does not see.
 */
export function requestHead(
  incoming: IncomingMessage,
  path: string,
  body: RequestBody,
  environment: string | null = null,
): string {
  if (NO_TARGET.test(path)) throw new TypeError(`Not a request target: ${JSON.stringify(path)}`);
  const { rawHeaders, headers } = incoming;
  const named = namedByConnection(headers.connection ?? "");
  let head = `${incoming.method} ${path} HTTP/1.1\r\n`;
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = (rawHeaders[n] as string).toLowerCase();
    if (isHopByHop(name) || NOT_PASSED_ON.has(name) || named?.has(name)) continue;
    if (name === "x-forwarded-for") continue;
    if (environment !== null && name === ENVIRONMENT_HEADER) continue;
    head += `${rawHeaders[n]}: ${rawHeaders[n + 1]}\r\n`;
  }
  const peer = incoming.socket.remoteAddress ?? "unknown";
  const before = headers["x-forwarded-for"];
  head += `x-forwarded-for: ${before === undefined ? peer : `${before}, ${peer}`}\r\n`;
  if (headers["x-forwarded-proto"] === undefined) {
    head += `x-forwarded-proto: ${"encrypted" in incoming.socket ? "https" : "http"}\r\n`;
  }
  // HTTP/1.0 needs none, the service does.
  if (headers.host === undefined) head += "host: localhost\r\n";
  else if (headers["x-forwarded-host"] === undefined)
    head += `x-forwarded-host: ${headers.host}\r\n`;
  if (environment !== null) head += `${ENVIRONMENT_HEADER}: ${environment}\r\n`;
  if (body.kind === "chunked") head += "transfer-encoding: chunked\r\n";
  return `${head}\r\n`;
}

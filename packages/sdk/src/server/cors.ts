import { DeclarationError } from "../config/declaration-error.ts";
import { setting } from "../runtime/environment.ts";
import type { Answer } from "./answer.ts";
import { refusal } from "./answer.ts";
import { callError } from "./call-error.ts";
import type { IncomingCall } from "./incoming-call.ts";

/** Which pages of other origins may call an app from a browser. */
export interface CorsOptions {
  /** The pages' origins, such as `https://app.example`; `"*"` for every page. Else `AGATE_CORS_ORIGINS`. */
  readonly origins?: "*" | readonly string[] | undefined;
  /** Request headers that pages may send beside those that the app reads itself. */
  readonly headers?: readonly string[] | undefined;
  /** Whether pages may send cookies; not with `origins: "*"`. */
  readonly credentials?: boolean | undefined;
  /** Seconds that a browser may keep the answer to a preflight; 600. */
  readonly maxAge?: number | undefined;
}

/** What an app itself reads, and what tracing sends. */
const REQUEST_HEADERS = [
  "authorization",
  "content-type",
  "agate-variant",
  "traceparent",
  "tracestate",
  "baggage",
];
/** What pages may read where a wildcard does not count: with credentials. */
const RESPONSE_HEADERS = "traceparent, retry-after";
const DEFAULT_MAX_AGE = 600;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Answers for pages of other origins; null where no origin is allowed.
 *
 * @throws DeclarationError which says what to write instead.
 */
export function corsPolicy(options: CorsOptions | undefined): CorsPolicy | null {
  const { origins, headers = [], credentials = false, maxAge = DEFAULT_MAX_AGE } = options ?? {};
  const given = typeof origins === "object" ? origins.join() : origins;
  const allowed = setting(given, "AGATE_CORS_ORIGINS")
    ?.split(",")
    .map((origin) => origin.trim())
    .filter((origin) => origin !== "");
  if (allowed === undefined || allowed.length === 0) return null;
  const bad = allowed.find((origin) => origin !== "*" && originOf(origin) !== origin);
  if (bad !== undefined) throw new DeclarationError(badOrigin(bad));
  const isAny = allowed.includes("*");
  if (isAny && credentials) {
    throw new DeclarationError(
      'cors: with credentials, "*" is not allowed by browsers. List the origins: cors: { origins: ["https://app.example"], credentials: true }.',
    );
  }
  if (!(Number.isInteger(maxAge) && maxAge >= 0)) {
    throw new DeclarationError(`cors: maxAge is a number of seconds from 0, not ${maxAge}.`);
  }
  const badHeader = headers.find((name) => !HEADER_NAME.test(name));
  if (badHeader !== undefined) {
    throw new DeclarationError(`cors: ${JSON.stringify(badHeader)} is not the name of a header.`);
  }
  return new CorsPolicy(isAny ? "*" : new Set(allowed), {
    requestHeaders: [...REQUEST_HEADERS, ...headers].join(", "),
    credentials,
    maxAge,
  });
}

function badOrigin(text: string): string {
  const near = originOf(text);
  const advice = near === null ? 'such as "https://app.example"' : `write ${JSON.stringify(near)}`;
  return `cors: ${JSON.stringify(text)} is not an origin, which is a scheme, a host and a port: ${advice}.`;
}

/** The origin of a URL, as browsers send it; null where it is none. */
function originOf(text: string): string | null {
  if (text.includes("*") || !URL.canParse(text)) return null;
  const { origin, protocol, host } = new URL(text);
  if (origin !== "null") return origin;
  // Only the web's own schemes have an origin there, but applications and extensions send theirs.
  return host === "" ? null : `${protocol}//${host}`;
}

interface CorsRules {
  readonly requestHeaders: string;
  readonly credentials: boolean;
  readonly maxAge: number;
}

/** Who may read the answers of an app, and what a browser is told about it. */
export class CorsPolicy {
  readonly #origins: "*" | ReadonlySet<string>;
  readonly #rules: CorsRules;

  constructor(origins: "*" | ReadonlySet<string>, rules: CorsRules) {
    this.#origins = origins;
    this.#rules = rules;
  }

  /** The answer to a browser that asks whether a page may send a request; null for other requests. */
  preflight(incoming: IncomingCall, methods: string): Answer | null {
    const origin = incoming.header("origin");
    if (incoming.method !== "OPTIONS" || origin === null) return null;
    if (incoming.header("access-control-request-method") === null) return null;
    if (!this.#allows(origin)) {
      const msg = `Pages of ${JSON.stringify(origin)} may not call this app. Allow it: ag.init({ cors: { origins: […] } }).`;
      return refusal(callError("origin_not_allowed", ["header", "origin"], msg));
    }
    const headers = {
      "access-control-allow-methods": methods,
      "access-control-allow-headers": this.#rules.requestHeaders,
      "access-control-max-age": String(this.#rules.maxAge),
    };
    return { status: 204, headers, body: "" };
  }

  /** The answer with what lets a page read it. */
  readable(answer: Answer, incoming: IncomingCall): Answer {
    const origin = incoming.header("origin");
    const headers: Record<string, string> = { ...answer.headers };
    // Also where no page has asked: a cache must not hand the answer to one.
    if (this.#origins !== "*") addVary(headers);
    if (origin !== null && this.#allows(origin)) {
      const { credentials } = this.#rules;
      headers["access-control-allow-origin"] = this.#origins === "*" ? "*" : origin;
      headers["access-control-expose-headers"] = credentials ? RESPONSE_HEADERS : "*";
      if (credentials) headers["access-control-allow-credentials"] = "true";
    }
    return { ...answer, headers };
  }

  #allows(origin: string): boolean {
    return this.#origins === "*" || this.#origins.has(origin);
  }
}

/** A handler's own error may have the header already, in any case. */
function addVary(headers: Record<string, string>): void {
  const name = Object.keys(headers).find((each) => each.toLowerCase() === "vary") ?? "vary";
  headers[name] = headers[name] === undefined ? "Origin" : `${headers[name]}, Origin`;
}

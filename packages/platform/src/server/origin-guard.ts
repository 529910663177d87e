import type { IncomingMessage, ServerResponse } from "node:http";
import type { ResponseHead } from "../deployments/gateway/response-head.ts";
import { ALLOWED_PAGE, type Sender } from "./admit.ts";
import type { FullAnswer, Problem } from "./answer.ts";
import { PAGE_PATHS } from "./page/page-routes.ts";
import { sendAnswer } from "./send-answer.ts";

/**
 * `loopback`: the server listens on this machine only and needs no key, so it must not be reachable
 * through a browser that a stranger's page controls. `any`: keys protect it; the cookie that browsers
 * send automatically is guarded where it is read.
 */
export type HostPolicy = "loopback" | "any";

const HOSTNAME = String.raw`(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])`;
const LOOPBACK_HOST = new RegExp(`^${HOSTNAME}(?::\\d+)?$`, "i");
/** What a person opens in a browser: the page, and the API reference. */
const DOCUMENTS = ["/", "/docs", ...PAGE_PATHS].map(
  (path) => new RegExp(`^${path.replace(/\/$/, "").replace(/\/\*$/, "(?:/.*)?")}/?$`),
);
const LOOPBACK_ORIGIN = new RegExp(`^https?://${HOSTNAME}(?::\\d+)?$`, "i");

/** What the guard reads of a request. A Node request is one. */
export type GuardedRequest = Pick<IncomingMessage, "url" | "headers"> & Sender;

/** Why a request may not be served; undefined when it may. */
export function checkHost(policy: HostPolicy, request: GuardedRequest): Problem | undefined {
  if (policy === "any") return undefined;
  const { host, origin } = request.headers;
  if (host === undefined || !LOOPBACK_HOST.test(host)) {
    return {
      type: "host_not_allowed",
      loc: ["header", "host"],
      msg: "This server listens on this machine only: call it as localhost, 127.0.0.1 or [::1].",
    };
  }
  if (request[ALLOWED_PAGE]) return undefined;
  if (origin !== undefined && !LOOPBACK_ORIGIN.test(origin)) {
    return {
      type: "origin_not_allowed",
      loc: ["header", "origin"],
      msg: "This server listens on this machine only and does not answer pages from elsewhere.",
    };
  }
  // Images, scripts and forms of a foreign page send no origin; browsers say here where they are from.
  const isForeign = origin === undefined && request.headers["sec-fetch-site"] === "cross-site";
  if (isForeign && !opensThePage(request)) {
    return {
      type: "origin_not_allowed",
      loc: ["header", "sec-fetch-site"],
      msg: "This server listens on this machine only and does not answer pages from elsewhere. Open its own page, or call it from a program.",
    };
  }
  return undefined;
}

/** Whether a link to the platform's page, or to the API reference, was followed. */
function opensThePage({ method, url = "", headers }: GuardedRequest): boolean {
  const [path = ""] = url.split("?", 1);
  return (
    method === "GET" &&
    headers["sec-fetch-mode"] === "navigate" &&
    headers["sec-fetch-dest"] === "document" &&
    DOCUMENTS.some((document) => document.test(path))
  );
}

const ALLOWED: FullAnswer = {
  kind: "full",
  status: 204,
  contentType: null,
  body: "",
  headers: {
    // Calls of workflows, their health and their documents, and OTLP.
    "access-control-allow-methods": "GET, HEAD, POST",
    "access-control-allow-headers":
      "authorization, content-type, content-encoding, x-api-key, agate-project, agate-environment, agate-variant, traceparent, tracestate, baggage",
    "access-control-max-age": "600",
  },
};
const OWN_HEADER = /^access-control-/i;

export interface CorsOptions {
  /** Those of the pages that may call; `*` for every page. */
  readonly origins: readonly string[];
  readonly hostPolicy: HostPolicy;
  /** Whether pages may call what a request asks for. */
  readonly isOpen: (target: string) => boolean;
}

/** Pages of other origins that may call workflows and send traces: `--cors-origin`. */
export class Cors {
  readonly #origins: ReadonlySet<string>;
  readonly #options: CorsOptions;

  constructor(options: CorsOptions) {
    this.#origins = new Set(options.origins);
    this.#options = options;
  }

  /**
   * Answers a preflight. Other requests of an allowed page are marked as such, and every answer
   * to them, errors included, is made readable to it.
   *
   * @returns whether the request is answered.
   */
  handle(incoming: IncomingMessage & Sender, outgoing: ServerResponse): boolean {
    if (!this.#options.isOpen(incoming.url ?? "")) return false;
    const isAny = this.#origins.has("*");
    if (!isAny) outgoing.setHeader("vary", "Origin");
    const { origin } = incoming.headers;
    if (origin === undefined || !(isAny || this.#origins.has(origin))) return false;
    incoming[ALLOWED_PAGE] = true;
    // Another domain that resolves to this machine is refused like any other.
    if (checkHost(this.#options.hostPolicy, incoming) !== undefined) return false;
    outgoing.setHeader("access-control-allow-origin", isAny ? "*" : origin);
    outgoing.setHeader("access-control-expose-headers", "*");
    const asksFirst =
      incoming.method === "OPTIONS" && "access-control-request-method" in incoming.headers;
    if (asksFirst) void sendAnswer(ALLOWED, outgoing);
    return asksFirst;
  }
}

/** The platform decides which pages read a workflow's answer, not the workflow behind it. */
export function replaceCorsHeaders({ headers }: ResponseHead): void {
  for (let n = headers.length - 2; n >= 0; n -= 2) {
    const name = headers[n] as string;
    if (OWN_HEADER.test(name)) headers.splice(n, 2);
    else if (name.toLowerCase() === "vary") headers[n + 1] += ", Origin";
  }
}

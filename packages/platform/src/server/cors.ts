import type { IncomingMessage, ServerResponse } from "node:http";
import type { ResponseHead } from "../deployments/gateway/response-head.ts";
import type { FullAnswer } from "./answer.ts";
import { checkHost, type HostPolicy } from "./host-guard.ts";
import { sendAnswer } from "./send-answer.ts";
import { ALLOWED_PAGE, type Sender } from "./sender.ts";

const ALLOWED: FullAnswer = {
  kind: "full",
  status: 204,
  contentType: null,
  body: "",
  headers: {
    // Calls of workflows, their health and their documents, and OTLP.
    "access-control-allow-methods": "GET, HEAD, POST",
    "access-control-allow-headers":
      "authorization, content-type, content-encoding, agate-project, agate-variant, traceparent, tracestate, baggage",
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

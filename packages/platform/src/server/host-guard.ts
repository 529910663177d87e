import type { Problem } from "./answer.ts";
import { PAGE_PATHS } from "./page/page-routes.ts";
import { ALLOWED_PAGE } from "./sender.ts";

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

/** What tells which page, if any, sent a request. Header names in lower case. */
export interface GuardedRequest {
  [ALLOWED_PAGE]?: true;
  readonly method?: string | undefined;
  /** The request target, with its query. */
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Why a request may not be served; undefined when it may. */
export function checkHost(policy: HostPolicy, request: GuardedRequest): Problem | undefined {
  if (policy === "any") return undefined;
  const { host, origin } = request.headers as Record<string, string | undefined>;
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

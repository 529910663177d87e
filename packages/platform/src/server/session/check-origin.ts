import type { Problem } from "../errors/error-answer.ts";
import { ALLOWED_PAGE, type Sender } from "./sender.ts";

const PROBLEM: Problem = {
  type: "origin_not_allowed",
  loc: ["header", "origin"],
  msg: "The cookie is for this server's own page, and another page sent the request. Programs send an API key: `Authorization: Bearer KEY`.",
};

const FOREIGN_PAGE: Problem = {
  type: "origin_not_allowed",
  loc: ["header", "origin"],
  msg: "A page of another program sent the request. Without a key only programs and this server's own page may change anything.",
};

const SAFE = new Set(["GET", "HEAD"]);

/**
 * Why a request may not use the cookie, which browsers send automatically; undefined when it
 * may. Cookies know no ports: a page of any other program on this machine is of the same site, and
 * `SameSite` lets it through.
 */
export function checkOrigin({ method, headers }: Sender): Problem | undefined {
  return (isOwn(headers) ?? SAFE.has(method ?? "")) ? undefined : PROBLEM;
}

/** As {@link checkOrigin}, for what programs may do without a cookie: they send no such headers. */
export function checkOriginIfTold({ headers }: Sender): Problem | undefined {
  return (isOwn(headers) ?? true) ? undefined : PROBLEM;
}

/**
 * Why a request without a key may not change anything on a server that needs none; undefined when it
 * may. A browser sends a `POST` without a body for any page, without asking first; a page of another
 * port of this machine must not deploy or roll back that way. Pages that `--cors-origin` allows may
 * call what it opens to them.
 */
export function checkOperatorOrigin(sender: Sender): Problem | undefined {
  if (sender[ALLOWED_PAGE]) return undefined;
  return SAFE.has(sender.method ?? "") || (isOwn(sender.headers) ?? true)
    ? undefined
    : FOREIGN_PAGE;
}

/** Whether the page of this server has sent it; undefined where the browser does not tell. */
function isOwn({ host, origin, "sec-fetch-site": site }: Sender["headers"]): boolean | undefined {
  // No script can set it. It holds where a proxy has changed `Host`, which the other does not; but
  // browsers send it over TLS and to this machine only.
  if (site !== undefined) return site === "same-origin" || site === "none";
  if (origin !== undefined) return isOf(origin, host);
  return undefined;
}

/** Whether an origin is of this host, port included. */
function isOf(origin: string, host: string | undefined): boolean {
  const page = URL.parse(origin);
  // With the page's scheme, so that a port that goes without saying is the same as one that is said.
  return page !== null && page.host === URL.parse(`${page.protocol}//${host}`)?.host;
}

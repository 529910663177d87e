import type { IncomingMessage } from "node:http";
import { tryDecode } from "hono/utils/url";
import type { Problem } from "./errors/error-answer.ts";

/** What a request asks for. */
export interface RequestTarget {
  /** Decoded as far as it can be without changing where its segments end. */
  readonly path: string;
  /** As it was sent, without the `?`. */
  readonly query: string;
}

const PLAIN_TARGET = /^\/[!$&-;=?-[\]_a-z~]*$/;
const DOT_SEGMENT = /\/\.\.?(?:[/?#]|$)/;
const PLAIN_HOST = /^[a-z0-9._-]+(?::\d{1,5})?$/;

/** Reads the target of a request; a problem where it has none, or names no host. */
export function readTarget({ url = "", headers }: IncomingMessage): RequestTarget | Problem {
  const { host } = headers;
  const isAbsolute = url.startsWith("http://") || url.startsWith("https://");
  if (!isAbsolute) {
    if (host === undefined || host === "") return malformed("Missing host header.");
    if (PLAIN_HOST.test(host) && PLAIN_TARGET.test(url) && !DOT_SEGMENT.test(url)) {
      return split(url);
    }
    if (!url.startsWith("/")) return malformed("Invalid URL.");
  }
  if (/^[^?]*\\/.test(url)) return malformed("Backslash in request path.");
  const parsed = URL.parse(isAbsolute ? url : `http://${host}${url}`);
  if (parsed === null) return malformed(isAbsolute ? "Invalid absolute URL." : "Invalid URL.");
  // A host with a user, a path or a query in it is read as another.
  if (!isAbsolute && parsed.hostname !== host?.replace(/:\d+$/, "").toLowerCase()) {
    return malformed("Invalid host header.");
  }
  return split(`${parsed.pathname}${parsed.search}`);
}

/** The path of a request target, for the log: what follows `?` may be confidential. */
export function pathOf(target: string | undefined): string {
  if (target === undefined) return "";
  const end = target.indexOf("?");
  return end < 0 ? target : target.slice(0, end);
}

function split(target: string): RequestTarget {
  const start = target.indexOf("?");
  const path = start < 0 ? target : target.slice(0, start);
  return {
    path: path.includes("%") ? tryDecode(path.replaceAll("%25", "%2525"), decodeURI) : path,
    query: start < 0 ? "" : target.slice(start + 1),
  };
}

function malformed(msg: string): Problem {
  return { type: "request_malformed", loc: [], msg };
}

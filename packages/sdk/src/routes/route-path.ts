import { DeclarationError } from "../config/declaration-error.ts";

const SEGMENT = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})+$/;
/** A character that a segment may have as it is. */
const PLAIN = /^[A-Za-z0-9._~!$&'()*+,;=:@-]$/;

/**
 * Checks the path of a route: a valid HTTP path that no server or proxy rewrites on its way.
 *
 * @throws DeclarationError which says what to write instead.
 */
export function checkRoutePath(path: string): void {
  if (path === "/") return;
  const problem = pathProblem(path);
  if (problem !== null) {
    throw new DeclarationError(`${JSON.stringify(path)} is not a path for a route: ${problem}`);
  }
}

/** Why a path is not a valid one, with what to write instead; null where it is. */
export function pathProblem(path: string): string | null {
  if (typeof path !== "string") return 'write a string such as "/summarize".';
  if (!path.startsWith("/")) return `it must begin with "/". Write ${quotedPath(path)}.`;
  if (/[?#]/.test(path))
    return "it may not have a query or a fragment; what varies belongs in the inputs.";
  if (/[{}]/.test(path) || path.includes("/:")) {
    return "routes have no path parameters; what varies belongs in the inputs.";
  }
  if (path.endsWith("/")) return `it may not end with "/". Write ${quotedPath(path)}.`;
  const segments = path.slice(1).split("/");
  if (segments.includes("")) return `it has an empty segment. Write ${quotedPath(path)}.`;
  if (segments.some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) {
    return '"." and ".." are resolved before a request is sent. Name the route without them.';
  }
  const bad = segments.find((segment) => !SEGMENT.test(segment));
  if (bad === undefined) return null;
  return `${JSON.stringify(bad)} has characters that a URL cannot hold. Write ${quotedPath(path)}.`;
}

/**
 * The one spelling of a path: `/a%3ab` and `/a%3Ab` are `/a:b`. Clients and proxies encode more than
 * they must, and with digits of either case; what only an escape can express stays one.
 */
export function canonicalPath(path: string): string {
  if (!path.includes("%")) return path;
  return path.replaceAll(/%[0-9A-Fa-f]{2}/g, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return PLAIN.test(character) ? character : encoded.toUpperCase();
  });
}

/** The nearest valid path, as a suggestion. */
function quotedPath(path: string): string {
  const segments = path.split("/").filter((segment) => segment !== "");
  const safe = segments.map((segment) =>
    encodeURIComponent(segment.trim().replaceAll(/\s+/g, "-")),
  );
  return `"/${safe.join("/") || "summarize"}"`;
}

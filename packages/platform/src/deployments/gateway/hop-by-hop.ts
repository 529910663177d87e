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
/** These say where a message goes and ends: whoever names them in `Connection` is not obeyed. */
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

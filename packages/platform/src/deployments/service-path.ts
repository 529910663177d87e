/**
 * The path of a request in the spelling that routes are compared in: without its query and a slash at
 * its end, and decoded, since clients and proxies encode more than they must.
 */
export function servicePath(target: string): string {
  const query = target.indexOf("?");
  const path = query < 0 ? target : target.slice(0, query);
  const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  if (!trimmed.includes("%")) return trimmed;
  try {
    return decodeURIComponent(trimmed);
  } catch {
    return trimmed;
  }
}

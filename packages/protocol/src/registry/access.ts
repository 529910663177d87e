/**
 * What an API key allows. `ingest`: send spans. `read`: read traces and the registry. `run`: call
 * workflows with their deployed configuration. `playground`: call them with a configuration of the
 * caller's. `score`: judge spans as an end user, from a page. `evaluate`: judge spans in any way.
 * `deploy`: run code on the server. `backup`: take a backup of the whole platform. `admin`:
 * all of it except `deploy` and `backup`, and change the registry, delete traces, and create keys.
 */
export const SCOPES = [
  "ingest",
  "read",
  "run",
  "playground",
  "score",
  "evaluate",
  "deploy",
  "backup",
  "admin",
] as const;
export type Scope = (typeof SCOPES)[number];

/** Scopes that reach beyond the key's project. `admin` does not include them and cannot give them. */
export const SERVER_SCOPES = ["deploy", "backup"] as const satisfies readonly Scope[];

/**
 * Whether a caller with these scopes may use what requires `scope`. `admin` includes every scope that
 * stays within the project: its administrator need not be trusted with the whole server.
 */
export function includesScope(scopes: Iterable<Scope>, scope: Scope): boolean {
  const held = new Set(scopes);
  return held.has(scope) || (held.has("admin") && !isServerScope(scope));
}

function isServerScope(scope: Scope): boolean {
  return SERVER_SCOPES.some((each) => each === scope);
}

/** The id of the project that requests without a key belong to. Its slug may change. */
export const DEFAULT_PROJECT_ID = "default";

/**
 * What a key may do. `ingest`: send spans. `read`: read traces and the registry. `run`: call deployed
 * workflows. `deploy`: run code on the server. `admin`: all of it except `deploy`, and change the
 * registry, delete traces, and create keys.
 */
export const SCOPES = ["ingest", "read", "run", "deploy", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * Whether a caller with these scopes may use what requires `scope`. `admin` includes every other scope
 * but `deploy`: a project's administrator need not be trusted to run code on the server.
 */
export function includesScope(scopes: Iterable<Scope>, scope: Scope): boolean {
  for (const each of scopes) {
    if (each === scope || (each === "admin" && scope !== "deploy")) return true;
  }
  return false;
}

/** A key without its secret, which is shown once and never stored. */
export interface ApiKey {
  readonly id: string;
  /** The beginning of the key, to recognise it by. */
  readonly prefix: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly created_at: string;
  /** To the minute; null while it was never used. */
  readonly last_used_at: string | null;
}

/** The answer to making one. */
export interface CreatedApiKey extends ApiKey {
  /** The whole key. Nobody can show it again. */
  readonly key: string;
}

/**
 * What a key may do. `ingest`: send spans. `read`: read traces and the registry. `run`: call deployed
 * workflows. `admin`: all of it, and change the registry, deploy, and make keys.
 */
export const SCOPES = ["ingest", "read", "run", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

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

import type { Scope } from "./registry/api-key.ts";

/** Who the page's reader is to the platform: `GET /session`. */
export interface Session {
  /** Null: nobody yet, and the platform asks for an API key. */
  readonly caller: SessionCaller | null;
  /** The one project that the caller sees; null without a caller. */
  readonly project: { readonly id: string; readonly slug: string } | null;
}

export interface SessionCaller {
  /** The name of the key, or `local`. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Came without a key to a platform on its own machine: may choose the project and make new ones. */
  readonly is_operator: boolean;
}

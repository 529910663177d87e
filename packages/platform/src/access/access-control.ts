import type { Caller } from "./caller.ts";

/** What a request says about its sender. */
export interface Credentials {
  /** The `Authorization` header. */
  readonly authorization: string | undefined;
  /** What the page's cookie holds. Looked at where there is no `Authorization`. */
  readonly session?: string | undefined;
  /** The `agate-project` header: the slug or id of a project, for callers without a key. */
  readonly project: string | undefined;
}

export type Authentication =
  | { readonly kind: "caller"; readonly caller: Caller }
  | { readonly kind: "key-missing" }
  /** Malformed, unknown or revoked: which of them is none of the sender's business. */
  | { readonly kind: "key-invalid" }
  /** The header names a project that is not there, or not the key's. */
  | { readonly kind: "project-not-found"; readonly project: string }
  | { readonly kind: "rate-limited"; readonly retryAfterSeconds: number };

/** Tells who is calling. Answers at once: it is asked for every request. */
export interface AccessControl {
  authenticate(credentials: Credentials): Authentication;
}

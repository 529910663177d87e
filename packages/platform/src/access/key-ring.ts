import { apiKeyIn, hashApiKey } from "./api-key-text.ts";
import type { Caller } from "./caller.ts";
import type { TokenBucket } from "./token-bucket.ts";

/** A key that opens something now. */
export interface HeldKey {
  readonly hash: string;
  /** Null for a key of the platform's own, which is listed nowhere. */
  readonly id: string | null;
  readonly caller: Caller;
  /** Null where no limit holds. */
  readonly bucket: TokenBucket | null;
  /** Tells those who are still being answered that it was taken away. */
  readonly revocation: AbortController;
}

/** A process has a few keys in use at a time, each in one header. */
const MOST_RECENT = 1000;

/** Every key that opens something, in memory: each request asks for one. */
export class KeyRing {
  readonly #byHash = new Map<string, HeldKey>();
  /** `Authorization` headers that held a valid key. Others are not kept: anyone can send them. */
  readonly #byHeader = new Map<string, HeldKey>();

  add(key: HeldKey): void {
    this.#byHash.set(key.hash, key);
  }

  has(hash: string): boolean {
    return this.#byHash.has(hash);
  }

  /** Whether it still opens something. */
  holds(key: HeldKey): boolean {
    return this.#byHash.get(key.hash) === key;
  }

  keys(): Iterable<HeldKey> {
    return this.#byHash.values();
  }

  /** It opens nothing from now on. */
  remove(key: HeldKey): void {
    this.#byHash.delete(key.hash);
    this.#byHeader.clear();
    key.revocation.abort();
  }

  /** The key in an `Authorization` header; undefined when it opens nothing, whatever the reason. */
  find(authorization: string): HeldKey | undefined {
    const recent = this.#byHeader.get(authorization);
    if (recent !== undefined) return recent;
    const text = apiKeyIn(authorization);
    // Looked up by its hash: how long that takes says nothing about the keys that there are.
    const key = text === undefined ? undefined : this.#byHash.get(hashApiKey(text));
    if (key === undefined) return undefined;
    if (this.#byHeader.size >= MOST_RECENT) this.#byHeader.clear();
    this.#byHeader.set(authorization, key);
    return key;
  }
}

/** A key for the ring. */
export function heldKey(
  key: Pick<HeldKey, "hash" | "id" | "bucket">,
  caller: Pick<Caller, "project" | "name" | "scopes">,
): HeldKey {
  const revocation = new AbortController();
  const { project, name, scopes } = caller;
  return {
    ...key,
    caller: { project, name, keyId: key.id, scopes, isOperator: false, revoked: revocation.signal },
    revocation,
  };
}

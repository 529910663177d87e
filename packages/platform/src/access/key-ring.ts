import type { Scope } from "@agate/protocol";
import { apiKeyIn, hashApiKey, newApiKeyText } from "./api-key-text.ts";
import type { Caller } from "./caller.ts";
import { Revocation } from "./revocation.ts";

/** The sustained rate of a key, and the burst that it may send after a pause. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** A token bucket: limits requests to a rate, and tells rejected ones when to retry. */
export class TokenBucket {
  readonly #limit: RateLimit;
  #tokens: number;
  #filledAt: number;

  /** @param now Milliseconds. */
  constructor(limit: RateLimit, now: number) {
    this.#limit = limit;
    this.#tokens = limit.burst;
    this.#filledAt = now;
  }

  /** Takes a token: 0. Where there is none, the whole seconds until there is one. */
  take(now: number): number {
    const { perSecond, burst } = this.#limit;
    // A clock that was set back must not lock callers out.
    const elapsed = Math.max(0, now - this.#filledAt);
    this.#tokens = Math.min(burst, this.#tokens + (elapsed / 1000) * perSecond);
    this.#filledAt = now;
    if (this.#tokens < 1) return Math.max(1, Math.ceil((1 - this.#tokens) / perSecond));
    this.#tokens -= 1;
    return 0;
  }
}

/** A valid key. */
export interface HeldKey {
  readonly hash: string;
  /** Null for a key that the platform issued to its own program, which is not listed. */
  readonly id: string | null;
  readonly caller: Caller;
  /** Null: no rate limit. */
  readonly bucket: TokenBucket | null;
  /** What ends when the key is revoked. */
  readonly revocation: Revocation;
}

/** A process has a few keys in use at a time, each in one header. */
const MOST_RECENT = 1000;

/** All valid keys, in memory: every request looks one up. */
export class KeyRing {
  readonly #byHash = new Map<string, HeldKey>();
  /** `Authorization` headers with a valid key. Invalid ones are not cached: they would fill the memory. */
  readonly #byHeader = new Map<string, HeldKey>();

  add(key: HeldKey): void {
    this.#byHash.set(key.hash, key);
  }

  has(hash: string): boolean {
    return this.#byHash.has(hash);
  }

  /** Whether the key is still valid. */
  holds(key: HeldKey): boolean {
    return this.#byHash.get(key.hash) === key;
  }

  keys(): Iterable<HeldKey> {
    return this.#byHash.values();
  }

  /** Makes the key invalid, and ends streams that were opened with it. */
  remove(key: HeldKey): void {
    this.#byHash.delete(key.hash);
    this.#byHeader.clear();
    key.revocation.revoke();
  }

  /** The valid key in an `Authorization` header, if there is one. */
  find(authorization: string): HeldKey | undefined {
    const recent = this.#byHeader.get(authorization);
    if (recent !== undefined) return recent;
    const text = apiKeyIn(authorization);
    // By its hash: the time of the lookup reveals nothing about existing keys.
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
  caller: Pick<Caller, "project" | "name" | "scopes" | "environments" | "pair">,
): HeldKey {
  const revocation = new Revocation();
  const identity = { keyId: key.id, isOperator: false, revocation };
  return { ...key, caller: { ...caller, ...identity }, revocation };
}

/** Keys that the platform issues to programs that it runs itself. */
export interface InternalKeys {
  /**
   * A key that is kept in memory only and gone with the process. No rate limit holds for it.
   *
   * @example
   * const access = internalKeys.issue({ project, name: "build 3 of support", scopes: ["ingest", "read"] });
   * start({ AGATE_API_KEY: access.key });
   * access.revoke();
   */
  issue(key: InternalKeyRequest): InternalKey;
}

interface InternalKeyRequest {
  /** The project's id. */
  readonly project: string;
  readonly scopes: readonly Scope[];
  readonly name: string;
  readonly pair?: Caller["pair"];
}

interface InternalKey {
  readonly key: string;
  revoke(): void;
}

export function createInternalKeys(ring: KeyRing): InternalKeys {
  return {
    issue({ project, scopes, name, pair }) {
      const { key } = newApiKeyText();
      const held = heldKey(
        { hash: hashApiKey(key), id: null, bucket: null },
        { project, name, scopes: new Set(scopes), environments: null, ...(pair && { pair }) },
      );
      ring.add(held);
      return { key, revoke: () => ring.remove(held) };
    },
  };
}

import type { ConfigReference, ConfigResolution } from "./config-source.ts";
import type { RegistryAnswer } from "./registry-client.ts";

/** Younger is taken as current; also how long a negative answer holds, and how soon a failed check is repeated. */
export const FRESH = 1_000;
/** Younger is served while it is checked; older is checked first. */
export const SERVED_WHILE_CHECKED = 60_000;

export type Plan = "serve" | "serve-and-check" | "check-first";

/** What is known of one reference. */
export class CachedReference {
  readonly key: string;
  readonly reference: ConfigReference;
  /** Revisions never change. */
  readonly isImmutable: boolean;
  /** The check that is under way: there is never a second one. */
  check: Promise<void> | null = null;
  /** The application's epoch when the answer was asked for; 0 when it had none. */
  epoch = 0;
  #resolution: ConfigResolution | null = null;
  #etag: string | null = null;
  /** When the answer was last known to be the registry's. */
  #knownAt = Number.NEGATIVE_INFINITY;
  #attemptedAt = Number.NEGATIVE_INFINITY;
  /** When the request was sent whose answer this is. */
  #settledAt = Number.NEGATIVE_INFINITY;
  #hasFailed = false;

  constructor(key: string, reference: ConfigReference) {
    this.key = key;
    this.reference = reference;
    this.isImmutable = reference.by === "variant" && reference.revision !== null;
  }

  get etag(): string | null {
    return this.#etag;
  }

  get isResolved(): boolean {
    return this.#resolution?.kind === "resolved";
  }

  /** What to answer now; null before the first check has ended. */
  get resolution(): ConfigResolution | null {
    return this.#resolution;
  }

  plan(now: number, isLive: boolean): Plan {
    const sinceAttempt = now - this.#attemptedAt;
    if (this.#resolution === null) return "check-first";
    if (this.#resolution.kind !== "resolved") {
      return sinceAttempt < FRESH && this.check === null ? "serve" : "check-first";
    }
    if (isLive || this.isImmutable || now - this.#knownAt < FRESH) return "serve";
    // While the registry is away, one call a minute at most waits to find out.
    const isServed =
      now - this.#knownAt <= SERVED_WHILE_CHECKED ||
      (this.#hasFailed && sinceAttempt <= SERVED_WHILE_CHECKED);
    if (!isServed) return "check-first";
    return sinceAttempt < FRESH ? "serve" : "serve-and-check";
  }

  attempted(now: number): void {
    this.#attemptedAt = now;
  }

  /** The answer was the registry's until then at least. */
  knownUntil(time: number): void {
    this.#knownAt = Math.max(this.#knownAt, time);
  }

  /** A negative answer no longer holds. */
  expire(): void {
    this.#attemptedAt = Number.NEGATIVE_INFINITY;
  }

  /** Takes an answer to a request that was sent at a time and after a number of changes. */
  settle(answer: RegistryAnswer, sentAt: number, epoch: number): void {
    // On Cloudflare Workers each request asks for itself: a late answer must not undo a newer one.
    if (sentAt < this.#settledAt) return;
    this.#settledAt = sentAt;
    this.#hasFailed = answer.kind === "failed";
    if (answer.kind === "failed") {
      this.#resolution = this.#withoutRegistry(answer.reason);
      return;
    }
    this.epoch = epoch;
    this.knownUntil(sentAt);
    if (answer.kind === "missing") {
      this.#etag = null;
      this.#resolution = { kind: "not-found", reason: answer.reason };
    } else if (answer.kind === "config") {
      this.#etag = answer.etag;
      this.#resolution = { kind: "resolved", resolved: answer.resolved, stale: false };
    } else if (this.#resolution?.kind === "resolved") {
      this.#resolution = { ...this.#resolution, stale: false };
    }
  }

  #withoutRegistry(reason: string): ConfigResolution {
    return this.#resolution?.kind === "resolved"
      ? { ...this.#resolution, stale: true }
      : { kind: "unavailable", reason };
  }
}

/** A map that forgets what was least recently used once it is full. */
export class LruMap<Key, Value> {
  readonly #capacity: number;
  readonly #entries = new Map<Key, Value>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** Returns the value that had to go. */
  set(key: Key, value: Value): Value | undefined {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#capacity) return undefined;
    const [oldest, forgotten] = this.#entries.entries().next().value!;
    this.#entries.delete(oldest);
    return forgotten;
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }

  values(): IterableIterator<Value> {
    return this.#entries.values();
  }
}

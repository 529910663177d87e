import { restartDelay } from "../processes/restart-delay.ts";

interface Retry {
  readonly what: string;
  readonly failures: number;
  /** Undefined while it is being tried. */
  readonly timer: NodeJS.Timeout | undefined;
}

/** Tries again what has failed: later and later, until it is forgotten. */
export class Retries {
  readonly #retries = new Map<string, Retry>();

  /** Whether this, and nothing else, is to be tried again for the key. */
  isWaiting(key: string, what: string): boolean {
    const retry = this.#retries.get(key);
    return retry?.timer !== undefined && retry.what === what;
  }

  /** @returns in how many milliseconds it is tried. */
  later(key: string, what: string, again: () => void): number {
    const before = this.#retries.get(key);
    clearTimeout(before?.timer);
    const failures = before?.what === what ? before.failures + 1 : 1;
    // Never at once, as a build that has crashed is: this one did not even start.
    const inMs = restartDelay(failures + 1, Math.random());
    const timer = setTimeout(() => {
      this.#retries.set(key, { what, failures, timer: undefined });
      again();
    }, inMs);
    this.#retries.set(key, { what, failures, timer });
    return inMs;
  }

  forget(key: string): void {
    clearTimeout(this.#retries.get(key)?.timer);
    this.#retries.delete(key);
  }

  close(): void {
    for (const key of [...this.#retries.keys()]) this.forget(key);
  }
}

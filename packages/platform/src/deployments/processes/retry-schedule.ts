const FIRST_MS = 250;
const LONGEST_MS = 30_000;

/**
 * The back-off before a build is restarted: none after the first failure, as most crashes happen once;
 * then exponential, with jitter, so that not all applications restart at the same moment.
 *
 * @param failures Crashes and failed starts since the build last ran stably; at least 1.
 * @param random From 0 up to 1.
 */
export function restartDelay(failures: number, random: number): number {
  if (failures <= 1) return 0;
  const longest = Math.min(FIRST_MS * 2 ** (failures - 2), LONGEST_MS);
  return Math.round(longest * (0.5 + random / 2));
}

interface Retry {
  readonly version: string;
  readonly failures: number;
  /** Undefined while the retry is running. */
  readonly timer: NodeJS.Timeout | undefined;
}

/** Retries with back-off, one per key, until cancelled. */
export class RetrySchedule {
  readonly #retries = new Map<string, Retry>();

  /** Whether a retry of this version is scheduled for the key. */
  isWaiting(key: string, version: string): boolean {
    const scheduled = this.#retries.get(key);
    return scheduled?.timer !== undefined && scheduled.version === version;
  }

  /**
   * Schedules a retry, in place of an earlier one. A new version starts with the shortest delay.
   *
   * @returns the delay in milliseconds.
   */
  schedule(key: string, version: string, retry: () => void): number {
    const before = this.#retries.get(key);
    clearTimeout(before?.timer);
    const failures = before?.version === version ? before.failures + 1 : 1;
    // Never at once, as after a crash: this build did not even start.
    const inMs = restartDelay(failures + 1, Math.random());
    const timer = setTimeout(() => {
      this.#retries.set(key, { version, failures, timer: undefined });
      retry();
    }, inMs);
    this.#retries.set(key, { version, failures, timer });
    return inMs;
  }

  cancel(key: string): void {
    clearTimeout(this.#retries.get(key)?.timer);
    this.#retries.delete(key);
  }

  close(): void {
    for (const key of [...this.#retries.keys()]) this.cancel(key);
  }
}

/** Time, so that tests can be without sleeping. */
export interface Clock {
  /** Milliseconds since some moment; never runs backwards. */
  now(): number;
  /** Calls back later, without keeping the process alive for it. The returned function cancels. */
  after(milliseconds: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    // A number where timers have no handle.
    (timer as unknown as { unref?(): void }).unref?.();
    return () => clearTimeout(timer);
  },
};

const AGAIN_AFTER = 60_000;
const REMEMBERED = 100;

/** Passes a warning on, unless the same was passed on within the last minute. */
export function warnOnce(
  onWarning: ((message: string) => void) | undefined,
  clock: Clock,
): (message: string) => void {
  const warnedAt = new Map<string, number>();
  return (message) => {
    const now = clock.now();
    if (now - (warnedAt.get(message) ?? Number.NEGATIVE_INFINITY) < AGAIN_AFTER) return;
    if (warnedAt.size >= REMEMBERED) warnedAt.clear();
    warnedAt.set(message, now);
    onWarning?.(message);
  };
}

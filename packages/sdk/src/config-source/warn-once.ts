import type { Clock } from "./clock.ts";

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

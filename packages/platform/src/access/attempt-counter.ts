const QUIET_MS = 60_000;

/**
 * Counts attempts, and reports the first at once and those that follow at most once a minute: a
 * flood of them must not become a flood of log lines.
 *
 * @param now Milliseconds.
 */
export function attemptCounter(report: (attempts: number) => void, now: () => number): () => void {
  let unreported = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  return () => {
    unreported += 1;
    const time = now();
    if (time - reportedAt < QUIET_MS) return;
    report(unreported);
    unreported = 0;
    reportedAt = time;
  };
}

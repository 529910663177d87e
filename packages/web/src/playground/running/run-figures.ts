import type { Run } from "./run.ts";

/** What a run took; null where nobody knows. */
export interface RunFigures {
  /** Milliseconds: as the trace measured it, else by the page's clock. */
  readonly latency: number | null;
  readonly tokens: number | null;
  /** US dollars. */
  readonly cost: number | null;
}

export function figuresOf({ trace, elapsedMs }: Run): RunFigures {
  const total = trace?.metadata.total;
  return {
    latency: trace?.metadata.latency ?? elapsedMs,
    tokens: total?.usage?.total_tokens ?? null,
    cost: total?.cost ?? null,
  };
}

/** How much more (or less) than before, `+35%`; null where it cannot be said, or is the same. */
export function deltaText(before: number | null, now: number | null): string | null {
  if (before === null || now === null || before === now) return null;
  if (before === 0) return null;
  const percent = Math.round(((now - before) / before) * 100);
  if (percent === 0) return null;
  return `${percent > 0 ? "+" : "−"}${Math.abs(percent).toLocaleString("en")}%`;
}

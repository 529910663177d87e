/** How a figure has changed against the period before. */
export interface FigureChange {
  readonly direction: "up" | "down" | "same";
  /** Without its sign: `12%`, `1.5 points`. */
  readonly size: string;
}

/** Relative; null where either is unknown, or there was nothing to compare with. */
export function relativeChange(now: number | null, before: number | null): FigureChange | null {
  if (now === null || before === null || before === 0) return null;
  const change = (now - before) / before;
  const percent = Math.abs(change) * 100;
  const size = percent < 0.05 ? "0%" : percent > 999 ? "over 999%" : `${digits(percent)}%`;
  return { direction: directionOf(size === "0%" ? 0 : change), size };
}

/** Of shares, in percentage points; null where either is unknown. */
export function shareChange(now: number | null, before: number | null): FigureChange | null {
  if (now === null || before === null) return null;
  const points = (now - before) * 100;
  const size = Math.abs(points) < 0.05 ? 0 : Math.abs(points);
  return {
    direction: directionOf(size === 0 ? 0 : points),
    size: `${size === 0 ? "0" : digits(size)} ${digits(size) === "1" ? "point" : "points"}`,
  };
}

function directionOf(change: number): FigureChange["direction"] {
  return change > 0 ? "up" : change < 0 ? "down" : "same";
}

function digits(value: number): string {
  return value < 9.95 ? String(Number(value.toFixed(1))) : value.toFixed(0);
}

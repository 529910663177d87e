/** In seconds. */
const HOUR = 3600;
const DAY = 24 * HOUR;

/**
 * Milliseconds for people: three digits that matter, in the unit that fits.
 *
 * @example formatLatency(1934) // "1.93 s"
 */
export function formatLatency(milliseconds: number | null): string {
  if (milliseconds === null) return "–";
  if (milliseconds < 0.9995) return `${Math.round(milliseconds * 1000)} µs`;
  if (milliseconds < 999.5) return `${digits(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 59.95) return `${digits(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < HOUR) return `${Math.floor(whole / 60)} m ${whole % 60} s`;
  if (whole < 48 * HOUR)
    return `${Math.floor(whole / HOUR)} h ${Math.floor((whole % HOUR) / 60)} m`;
  const days = Math.floor(whole / DAY);
  // Of a clock that was never set, hours say nothing.
  if (days >= 1000) return `${days.toLocaleString("en")} d`;
  return `${days} d ${Math.floor((whole % DAY) / HOUR)} h`;
}

function digits(value: number): string {
  return value < 9.995 ? value.toFixed(2) : value < 99.95 ? value.toFixed(1) : value.toFixed(0);
}

/**
 * Milliseconds for people: three digits that matter, in the unit that fits.
 *
 * @example formatLatency(1934) // "1.93 s"
 */
export function formatLatency(milliseconds: number | null): string {
  if (milliseconds === null) return "–";
  if (milliseconds < 1) return `${Math.round(milliseconds * 1000)} µs`;
  if (milliseconds < 999.5) return `${digits(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 59.95) return `${digits(seconds)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} m ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} m`;
}

function digits(value: number): string {
  return value < 9.995 ? value.toFixed(2) : value < 99.95 ? value.toFixed(1) : value.toFixed(0);
}

const UNITS = [
  ["d", 86_400],
  ["h", 3600],
  ["min", 60],
  ["s", 1],
] as const;

/**
 * How long something was so, in its two largest units.
 *
 * @example formatDuration(93_780_000) // "1 d 2 h"
 */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  const largest = UNITS.findIndex(([, length]) => seconds >= length);
  if (largest === -1) return "0 s";
  const parts = UNITS.slice(largest, largest + 2).map(([name, length], index) => {
    const above = index === 0 ? seconds : seconds % (UNITS[largest]?.[1] ?? 1);
    return { name, count: Math.floor(above / length) };
  });
  return parts
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => `${count} ${name}`)
    .join(" ");
}

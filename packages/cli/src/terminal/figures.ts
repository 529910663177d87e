const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** What stands where there is nothing to say. */
export const NOTHING = "-";

/** @example formatDuration(1240) // "1.24 s" */
export function formatDuration(ms: number | null): string {
  if (ms === null || !Number.isFinite(ms)) return NOTHING;
  if (ms < 1) return `${(ms * 1000).toFixed(0)} µs`;
  if (ms < 999.5) return `${ms < 9.95 ? ms.toFixed(1) : ms.toFixed(0)} ms`;
  if (ms < 59_950) return `${ms < 9_995 ? (ms / SECOND).toFixed(2) : (ms / SECOND).toFixed(1)} s`;
  const seconds = Math.round(ms / SECOND);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
}

/** @example formatAgo("2026-11-15T10:00:00Z", Date.parse("2026-11-15T10:03:00Z")) // "3 min ago" */
export function formatAgo(time: string, now: number): string {
  const age = now - Date.parse(time);
  if (Number.isNaN(age)) return NOTHING;
  const [amount, unit] = largestUnit(Math.abs(age));
  if (amount === 0) return "just now";
  return age > 0 ? `${amount} ${unit} ago` : `in ${amount} ${unit}`;
}

function largestUnit(ms: number): readonly [amount: number, unit: string] {
  if (ms < MINUTE) return [Math.floor(ms / SECOND), "s"];
  if (ms < HOUR) return [Math.floor(ms / MINUTE), "min"];
  if (ms < 2 * DAY) return [Math.floor(ms / HOUR), "h"];
  return [Math.floor(ms / DAY), "days"];
}

/** @example formatTime("2026-11-15T10:03:12.123456Z") // "2026-11-15 10:03:12Z" */
export function formatTime(time: string): string {
  const instant = new Date(time);
  if (Number.isNaN(instant.getTime())) return NOTHING;
  return instant
    .toISOString()
    .replace("T", " ")
    .replace(/\.\d+Z$/, "Z");
}

/** @example formatCount(12345) // "12,345" */
export function formatCount(count: number | null): string {
  return count === null ? NOTHING : count.toLocaleString("en-GB");
}

/** US dollars, small ones to two figures. @example formatCost(0.000312) // "$0.00031" */
export function formatCost(cost: number | null): string {
  if (cost === null) return NOTHING;
  if (cost === 0) return "$0";
  if (cost >= 1) return `$${cost.toFixed(2)}`;
  if (cost >= 0.01) return `$${cost.toFixed(4)}`;
  return `$${Number(cost.toPrecision(2)).toFixed(10).replace(/0+$/, "")}`;
}

/** @example formatBytes(34_560) // "33.8 KB" */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 ** 2) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}

/** @example plural(2, "span") // "2 spans" */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

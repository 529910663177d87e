/**
 * An id for a new run, as `agate eval` makes them.
 *
 * @example newRunId() // "20261117-4f3a9c01"
 */
export function newRunId(now = new Date()): string {
  const day = now.toISOString().slice(0, 10).replaceAll("-", "");
  // `crypto.randomUUID` is missing on plain HTTP from another host.
  const bytes = crypto.getRandomValues(new Uint8Array(4));
  return `${day}-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

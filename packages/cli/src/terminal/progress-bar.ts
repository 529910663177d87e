import { durationBar } from "./duration-bar.ts";

const COLUMNS = 20;

/**
 * How much of something is done.
 *
 * @example progressBar(3, 8) // "███████▌░░░░░░░░░░░░  37%"
 */
export function progressBar(done: number, total: number): string {
  const share = total > 0 ? Math.min(1, done / total) : 1;
  // A bar is never empty; nothing done is.
  const bar = share > 0 ? durationBar({ start: 0, end: share }, { start: 0, end: 1 }, COLUMNS) : "";
  // Down: 100% is for what is over.
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  return `${bar.trimEnd().padEnd(COLUMNS, "░")} ${percent}`;
}

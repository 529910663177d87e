import { formatAgo, UNKNOWN } from "@agate/protocol/format";
import type { Terminal } from "../../terminal/terminal.ts";

/** What a time is shown by. */
export interface Clock {
  readonly terminal: Pick<Terminal, "columns">;
  readonly now: number;
}

/** In a table: the age on a terminal, the time itself in a pipe. */
export function timeCell({ terminal, now }: Clock, time: string | null): string {
  if (time === null) return UNKNOWN;
  return terminal.columns === undefined ? formatTime(time) : formatAgo(time, now);
}

/** With room for both. */
export function timeInFull({ now }: Pick<Clock, "now">, time: string): string {
  return `${formatTime(time)} (${formatAgo(time, now)})`;
}

/** @example formatTime("2026-11-15T10:03:12.123456Z") // "2026-11-15 10:03:12Z" */
export function formatTime(time: string): string {
  const instant = new Date(time);
  if (Number.isNaN(instant.getTime())) return UNKNOWN;
  return instant
    .toISOString()
    .replace("T", " ")
    .replace(/\.\d+Z$/, "Z");
}

import { formatAgo, formatTime, NOTHING } from "../../terminal/figures.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** What a time is shown by. */
export interface Clock {
  readonly terminal: Pick<Terminal, "columns">;
  readonly now: number;
}

/** In a table: how long ago for a person, the time itself in a pipe. */
export function timeCell({ terminal, now }: Clock, time: string | null): string {
  if (time === null) return NOTHING;
  return terminal.columns === undefined ? formatTime(time) : formatAgo(time, now);
}

/** With room for both. */
export function timeInFull({ now }: Pick<Clock, "now">, time: string): string {
  return `${formatTime(time)} (${formatAgo(time, now)})`;
}

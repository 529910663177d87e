import { setTimeout } from "node:timers/promises";
import type { Terminal } from "../../terminal/terminal.ts";

const FIRST_MS = 500;
const LONGEST_MS = 10_000;

/** Waits before the next attempt to connect, longer each time, and says so once. */
export async function waitToReconnect(terminal: Terminal, attempt: number): Promise<void> {
  if (attempt === 1) {
    terminal.note(terminal.paintNote("yellow", "The connection was lost. Trying again …"));
  }
  const ms = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
  await setTimeout(ms, undefined, { signal: terminal.unread }).catch(() => {
    // Nobody reads any more: there is nothing to wait for.
  });
}

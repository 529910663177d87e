import type { Terminal } from "../../terminal/terminal.ts";

/** Says on standard error that a list goes on. */
export function noteNextPage(terminal: Terminal, next: string | number | null): void {
  if (next === null) return;
  terminal.note(terminal.paintNote("dim", `There are more: --cursor ${next}`));
}

import type { Command } from "commander";
import { openTerminal, type Terminal } from "../terminal/terminal.ts";
import { reportFailures } from "./client/report-failures.ts";

interface LocalFlags {
  readonly json?: boolean;
}

/** Makes a command of work that asks no platform: what it throws that a person can mend is told in one form. */
export function onThisMachine<Arguments extends readonly unknown[], Flags extends LocalFlags>(
  command: Command,
  run: (session: { flags: Flags; terminal: Terminal }, ...args: Arguments) => Promise<void>,
): Command {
  return command.action(async (...all: unknown[]) => {
    // Commander appends the options and the command itself.
    const args = all.slice(0, -2) as unknown as Arguments;
    const flags = command.opts<Flags>();
    const terminal = openTerminal(process);
    await reportFailures(command, terminal, flags.json === true, () =>
      run({ flags, terminal }, ...args),
    );
  });
}

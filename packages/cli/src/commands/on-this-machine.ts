import type { Command } from "commander";
import { openTerminal, type Terminal } from "../terminal/terminal.ts";
import { reportFailures } from "./client/report-failures.ts";
import { processOf } from "./command-process.ts";

interface LocalFlags {
  readonly json?: boolean;
}

/** Runs a command that uses no platform, and reports expected failures in one format. */
export function onThisMachine<Arguments extends readonly unknown[], Flags extends LocalFlags>(
  command: Command,
  run: (session: { flags: Flags; terminal: Terminal }, ...args: Arguments) => Promise<void>,
): Command {
  return command.action(async (...all: unknown[]) => {
    // Commander appends the options and the command itself.
    const args = all.slice(0, -2) as unknown as Arguments;
    const flags = command.opts<Flags>();
    const terminal = openTerminal(processOf(command));
    await reportFailures(command, terminal, flags.json === true, () =>
      run({ flags, terminal }, ...args),
    );
  });
}

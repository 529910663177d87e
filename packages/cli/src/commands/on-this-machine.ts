import type { Command } from "commander";
import { openTerminal, type Terminal } from "../terminal/terminal.ts";
import { describeFailure } from "./client/describe-failure.ts";
import { CommandFailure, WrongUsage } from "./client/failures.ts";
import { EXIT_CODES } from "./exit-codes.ts";

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
    try {
      await run({ flags, terminal }, ...args);
    } catch (error) {
      if (error instanceof WrongUsage) command.error(`error: ${error.message}`);
      if (!(error instanceof CommandFailure)) throw error;
      const { lines, document } = describeFailure(error);
      if (flags.json) terminal.note(JSON.stringify({ error: document }));
      else for (const line of lines) terminal.note(line);
      process.exitCode = EXIT_CODES.failed;
    }
  });
}

import type { Command } from "commander";
import { ApiFailure } from "../../api-client/api-failure.ts";
import { UnusableName } from "../../api-client/api-path.ts";
import { printableJson } from "../../terminal/printable.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import { describeFailure } from "./describe-failure.ts";
import { CommandFailure, WrongUsage } from "./failures.ts";
import { fileRefusal } from "./file-refusal.ts";

/** Does a command's work. What it throws that a person can mend is told in one form; the rest is thrown on. */
export async function tellFailures(
  command: Command,
  terminal: Terminal,
  isJson: boolean,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const error = fileRefusal(thrown) ?? thrown;
    if (error instanceof WrongUsage || error instanceof UnusableName) {
      command.error(`error: ${error.message}`);
    }
    if (!(error instanceof ApiFailure || error instanceof CommandFailure)) throw error;
    const { lines, document } = describeFailure(error);
    if (isJson) terminal.note(printableJson(JSON.stringify({ error: document })));
    else for (const line of lines) terminal.note(line);
    process.exitCode = EXIT_CODES.failed;
  }
}

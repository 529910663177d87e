import { Option } from "commander";
import { askYesNo } from "../../terminal/ask.ts";
import { printableLine } from "../../terminal/printable.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { CommandFailure, WrongUsage } from "./failures.ts";

export interface ConfirmFlags {
  readonly yes?: boolean;
}

export function yesOption(): Option {
  return new Option("-y, --yes", "do it without asking");
}

/** Asks before something is lost or taken off the air; without anybody to ask, `--yes` is needed. */
export async function confirm(
  { terminal, flags }: { readonly terminal: Terminal; readonly flags: ConfirmFlags },
  question: string,
): Promise<void> {
  if (flags.yes) return;
  if (!terminal.canAsk) throw new WrongUsage("nobody can be asked here; say --yes to do it");
  if (!(await askYesNo(printableLine(question)))) throw new CommandFailure("Nothing was changed.");
}

import { Option } from "commander";
import { printableLine } from "../../terminal/printable.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { askYesNo } from "../../terminal/terminal.ts";
import { CommandFailure, WrongUsage } from "./failures.ts";

export interface ConfirmFlags {
  readonly yes?: boolean;
}

export function yesOption(): Option {
  return new Option("-y, --yes", "confirm without a prompt");
}

/** Prompts before data is deleted or a deployment is taken down. Without a terminal, `--yes` is required. */
export async function confirm(
  { terminal, flags }: { readonly terminal: Terminal; readonly flags: ConfirmFlags },
  question: string,
): Promise<void> {
  if (flags.yes) return;
  if (!terminal.canAsk) throw new WrongUsage("not a terminal: pass --yes to confirm");
  if (!(await askYesNo(printableLine(question)))) throw new CommandFailure("Nothing was changed.");
}

import { styleText } from "node:util";
import type { Command, HelpConfiguration } from "commander";

/** How help looks. Commander takes the colours away where a stream shows none. */
export const HELP_STYLES: HelpConfiguration = {
  styleTitle: (title) => styleText("bold", title, { validateStream: false }),
  // In the overview the names alone: what each takes is in its own help.
  subcommandTerm: (command) => [command.name(), ...argumentsOf(command)].join(" "),
};

function argumentsOf(command: Command): string[] {
  // The help command has no parent.
  if (command.parent === null || command.parent.parent === null) return [];
  return command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  );
}

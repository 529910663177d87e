import { closestName } from "@agate/protocol";
import { Command } from "commander";
import { examples } from "./command-help.ts";

interface Group {
  readonly name: string;
  readonly description: string;
  /** Its heading in the overview of all commands. */
  readonly heading: string;
  readonly examples: readonly string[];
  /** What the group's name alone does: `agate apps` lists. */
  readonly main: Command;
  readonly others: readonly Command[];
}

/** Commands about one thing: `agate apps`, `agate apps show APP`. */
export function commandGroup({
  name,
  description,
  heading,
  main,
  others,
  ...group
}: Group): Command {
  const command = new Command(name)
    .description(description)
    .helpGroup(heading)
    .helpCommand(false)
    .addHelpText("after", examples(...group.examples))
    .addCommand(main, { isDefault: true });
  for (const other of others) command.addCommand(other);
  return command.hook("preSubcommand", (_group, chosen) => {
    // `agate apps shwo` runs the main command, which would only see one argument too many.
    const [first = "", ...rest] = command.args.filter((arg) => !arg.startsWith("-"));
    const known = command.commands.map((sub) => sub.name());
    if (chosen !== main || known.includes(first)) return;
    const near = closestName(first, known);
    if (rest.length + 1 > main.registeredArguments.length && near !== undefined) {
      command.error(`error: unknown command '${first}' (Did you mean ${near}?)`);
    }
  });
}

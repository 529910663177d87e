import type { Command, Option } from "commander";

/** What can be written after a command, for completion. */
export interface CommandWords {
  /** `""` for the program itself, `deployments promote`. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly OptionWords[];
  /** Choices of its first argument, where it has some. */
  readonly choices: readonly string[];
}

export interface Word {
  readonly word: string;
  readonly description: string;
}

export interface OptionWords {
  /** `--follow` and `-f`. */
  readonly flags: readonly string[];
  readonly description: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/** Every command of a program that is not hidden. */
export function commandTree(program: Command): CommandWords[] {
  const tree: CommandWords[] = [];
  const waiting: { readonly command: Command; readonly path: string }[] = [
    { command: program, path: "" },
  ];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { command, path } = next;
    const help = command.createHelp();
    const commands = help.visibleCommands(command);
    // What a group does by its name alone can be said without naming it.
    const main = commands.find((sub) => sub.name() === "list" && path !== "");
    const options = new Map(
      [...help.visibleOptions(command), ...(main ? help.visibleOptions(main) : [])].map(
        (option) => [option.long ?? option.flags, optionWords(option)],
      ),
    );
    tree.push({
      path,
      commands: commands.map((sub) => ({
        word: sub.name(),
        description: firstSentence(sub.description()),
      })),
      options: [...options.values()],
      choices: command.registeredArguments[0]?.argChoices ?? [],
    });
    for (const sub of commands.filter((visible) => visible.parent !== null)) {
      waiting.push({ command: sub, path: `${path} ${sub.name()}`.trim() });
    }
  }
  return tree;
}

function optionWords(option: Option): OptionWords {
  return {
    flags: [option.long, option.short].filter((flag) => flag !== undefined),
    description: firstSentence(option.description),
    takesValue: option.required || option.optional,
    choices: option.argChoices ?? [],
  };
}

function firstSentence(text: string): string {
  return text.split(/[.:;] |\.$/)[0] ?? text;
}

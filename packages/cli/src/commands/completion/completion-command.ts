import { Argument, Command } from "commander";
import { HEADINGS } from "../client/command-help.ts";
import { processOf } from "../command-process.ts";
import { bashScript } from "./bash-script.ts";
import type { CommandWords } from "./command-tree.ts";
import { commandTree } from "./command-tree.ts";
import { fishScript } from "./fish-script.ts";
import { zshScript } from "./zsh-script.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const satisfies Record<
  string,
  (tree: readonly CommandWords[]) => string
>;

/** `agate completion`: the words of this very program, for a shell. */
export function completionCommand(): Command {
  return new Command("completion")
    .description("Print a shell completion script.")
    .helpGroup(HEADINGS.administer)
    .addArgument(new Argument("<shell>", "name of the shell").choices(Object.keys(SCRIPTS)))
    .addHelpText(
      "after",
      `
Examples:
  $ eval "$(agate completion bash)"        in ~/.bashrc
  $ eval "$(agate completion zsh)"         in ~/.zshrc, after compinit
  $ agate completion fish | source         in ~/.config/fish/config.fish`,
    )
    .action((shell: keyof typeof SCRIPTS, _flags: unknown, command: Command) => {
      processOf(command).stdout.write(SCRIPTS[shell](commandTree(command.parent ?? command)));
    });
}

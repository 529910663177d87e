import { Command } from "commander";
import { VERSION } from "../version.ts";
import { initCommand } from "./init-command.ts";
import { serverCommand } from "./server-command.ts";

/** The command line: `agate COMMAND …`. Throws a CommanderError where it would exit. */
export function createProgram(): Command {
  const program = new Command("agate")
    .description("The platform for LLM applications in TypeScript.")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(usageError(text)) });
  for (const command of [initCommand(), serverCommand()]) {
    program.addCommand(command.copyInheritedSettings(program));
  }
  return program;
}

/** Commander's message in the form of every other refusal: one line. */
function usageError(text: string): string {
  const [first = "", ...rest] = text.replace(/^error: /, "").trim();
  const sentence = (first.toUpperCase() + rest.join("")).replaceAll(/\s*\n\s*/g, " ");
  return `agate: ${sentence.replace(/\.?$/, ".")} Run it with --help to see what it takes.\n`;
}

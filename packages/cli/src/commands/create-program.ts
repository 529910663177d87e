import { Command } from "commander";
import { VERSION } from "../version.ts";
import { serverCommand } from "./server-command.ts";

/** The command line: `agate COMMAND …`. */
export function createProgram(): Command {
  return new Command("agate")
    .description("The platform for LLM applications in TypeScript.")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .showHelpAfterError("Run the command with --help to see what it takes.")
    .addCommand(serverCommand());
}

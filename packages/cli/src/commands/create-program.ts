import { styleText } from "node:util";
import { VERSION } from "@agate/platform/version";
import type { Command, HelpConfiguration } from "commander";
import { appsCommand } from "./apps-command.ts";
import { backupCommand } from "./backup-command.ts";
import { buildCommand } from "./build-command.ts";
import { runCommand } from "./calling/run-command.ts";
import { checkCommand } from "./check-command.ts";
import { HEADINGS } from "./client/command-help.ts";
import { addGlobalOptions } from "./client/on-platform.ts";
import { type CommandProcess, Program } from "./command-process.ts";
import { completionCommand } from "./completion/completion-command.ts";
import { buildsCommand } from "./deploying/builds-command.ts";
import { deployCommand } from "./deploying/deploy-command.ts";
import { deploymentsCommand } from "./deploying/deployments-command.ts";
import { logsCommand } from "./deploying/logs-command.ts";
import { devCommand } from "./dev-command.ts";
import { envCommand } from "./env-command.ts";
import { environmentsCommand } from "./environments-command.ts";
import { evalCommand } from "./eval-command.ts";
import { importCommand } from "./import-command.ts";
import { initCommand } from "./init-command.ts";
import { keysCommand } from "./keys-command.ts";
import { migrateRegistryCommand } from "./migrate-registry-command.ts";
import { migrateStoreCommand } from "./migrate-store-command.ts";
import { traceCommand } from "./observing/trace-command.ts";
import { tracesCommand } from "./observing/traces-command.ts";
import { projectsCommand } from "./projects-command.ts";
import { redactionCommand } from "./redaction-command.ts";
import { restoreCommand } from "./restore-command.ts";
import { revisionsCommand } from "./revisions/revisions-command.ts";
import { scorersCommand } from "./scorers-command.ts";
import { serveCommand } from "./serve-command.ts";
import { serverCommand } from "./server-command.ts";
import { testsetsCommand } from "./testsets/testsets-command.ts";
import { variantsCommand } from "./variants-command.ts";

/** The command line: `agate COMMAND …`. Throws a CommanderError where it would exit. */
export function createProgram(ownProcess: CommandProcess = process): Command {
  const { stdout, stderr } = ownProcess;
  const program = new Program("agate", ownProcess)
    .description("The platform for LLM applications in TypeScript.")
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .commandsGroup(HEADINGS.administer)
    .helpCommand("help [command]", "print help for a command")
    .configureHelp(HELP_STYLES)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      outputError: (text, write) => write(usageError(withGroup(text, program))),
    });
  for (const command of [
    initCommand(),
    devCommand(),
    serveCommand(),
    evalCommand(),
    serverCommand().helpGroup(HEADINGS.start),
    buildCommand(),
    ...clientCommands(),
    restoreCommand(),
    checkCommand(),
    migrateStoreCommand(),
    migrateRegistryCommand(),
    completionCommand(),
  ]) {
    program.addCommand(inherit(command, program));
  }
  return addGlobalOptions(program);
}

/** The clients of a platform, in the order of the overview. */
function clientCommands(): Command[] {
  return [
    deployCommand(),
    runCommand(),
    logsCommand(),
    buildsCommand(),
    deploymentsCommand(),
    appsCommand(),
    variantsCommand(),
    revisionsCommand(),
    environmentsCommand(),
    envCommand(),
    testsetsCommand(),
    scorersCommand(),
    tracesCommand(),
    traceCommand(),
    importCommand(),
    keysCommand(),
    projectsCommand(),
    redactionCommand(),
    backupCommand(),
  ];
}

/** Errors and help are the same at every depth, but for `help`, which only the program itself has. */
function inherit(command: Command, program: Command): Command {
  for (const sub of command.commands) inherit(sub, program);
  return command.copyInheritedSettings(program).helpCommand(false);
}

/** Names the groups that have a command which was looked for at the top: `agate promote`. */
function withGroup(text: string, program: Command): string {
  const name = /unknown command '([^']+)'\s*$/.exec(text)?.[1];
  const groups = program.commands.filter(({ commands }) =>
    commands.some((command) => command.name() === name),
  );
  if (groups.length === 0) return text;
  const meant = groups.map((group) => `agate ${group.name()} ${name}`).join(", ");
  return `${text.trimEnd()} (Did you mean ${meant}?)`;
}

/** Commander's message in the format of all other errors: one line. */
function usageError(text: string): string {
  const [first = "", ...rest] = text.replace(/^error: /, "").trim();
  const sentence = (first.toUpperCase() + rest.join("")).replaceAll(/\s*\n\s*/g, " ");
  return `agate: ${sentence.replace(/\.?$/, ".")} Run it with --help to see what it takes.\n`;
}

/** How help looks. Commander takes the colours away where a stream shows none. */
const HELP_STYLES: HelpConfiguration = {
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

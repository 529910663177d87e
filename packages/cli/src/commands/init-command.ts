import { relative, resolve } from "node:path";
import { isSlug } from "@agate/protocol";
import { Command } from "commander";
import { appName } from "../packing/project.ts";
import {
  type CreateOutcome,
  createProject,
  type InstallOutcome,
  installPackages,
  OWN_SPECS,
} from "../project-template/create-project.ts";
import { printableText } from "../terminal/printable.ts";
import { silentProgress, startProgress } from "../terminal/progress.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { examples, HEADINGS } from "./client/command-help.ts";
import { CommandFailure, WrongUsage } from "./client/failures.ts";
import { onThisMachine } from "./on-this-machine.ts";

interface InitFlags {
  readonly name?: string;
  readonly install: boolean;
  readonly sdk: string;
  readonly cli: string;
  readonly json?: boolean;
}

interface Session {
  readonly flags: InitFlags;
  readonly terminal: Terminal;
}

/** `agate init`: a new project. */
export function initCommand(): Command {
  const command = new Command("init")
    .description("Create a project: a working workflow with types and a test.")
    .helpGroup(HEADINGS.start)
    .argument("[folder]", "a new or empty folder", ".")
    .option("--name <name>", "name of the project (default: that of the folder)")
    .option("--no-install", "do not run `npm install`")
    .option("--sdk <spec>", "version or tarball of @agate/sdk to install", OWN_SPECS.sdk)
    .option("--cli <spec>", "version or tarball of @agate/cli to install", OWN_SPECS.cli)
    .option("--json", "print the result as JSON")
    .addHelpText("after", examples("agate init support", "agate init . --no-install"));
  return onThisMachine(command, runInit);
}

async function runInit(session: Session, folder: string): Promise<void> {
  const { flags, terminal } = session;
  const directory = resolve(folder);
  const name = nameFor(flags.name, directory);
  const specs = { sdk: packageSpec(flags.sdk), cli: packageSpec(flags.cli) };
  const created = await createProject({ directory, name, specs });
  if (created.kind !== "created") throw new CommandFailure(refusal(created, directory));
  if (!flags.json) {
    terminal.print(`Created ${name} in ${directory}:`);
    for (const file of created.files) terminal.print(`  ${file}`);
  }
  if (flags.install) expectInstalled(await install(session, directory), session);
  if (flags.json) {
    const { files } = created;
    terminal.print(JSON.stringify({ directory, name, files, installed: flags.install }));
  } else {
    printNextSteps(session, directory);
  }
}

function nameFor(given: string | undefined, directory: string): string {
  const name = given ?? appName({ folder: directory, json: {} }, {}) ?? "";
  if (isSlug(name)) return name;
  const fault =
    given === undefined ? "the folder's name makes none" : `not ${JSON.stringify(name)}`;
  throw new WrongUsage(
    `a project's name has lower-case letters and digits, with single "-", "_" or "." between them, ${fault}: give one with --name`,
  );
}

/** A tarball by its whole path: npm looks for it from the new folder, and who wrote it did not. */
function packageSpec(spec: string): string {
  const [, tarball] = /^(?:file:)?([^:]+\.tgz)$/.exec(spec) ?? [];
  return tarball === undefined ? spec : `file:${resolve(tarball)}`;
}

function refusal(outcome: Exclude<CreateOutcome, { kind: "created" }>, directory: string): string {
  if (outcome.kind === "not-a-directory") {
    return `${directory} is a file. Name another folder: agate init my-project.`;
  }
  const shown = outcome.present.slice(0, 8).join(", ");
  const more = outcome.present.length > 8 ? ` and ${outcome.present.length - 8} more` : "";
  return `${directory} is not empty: there is ${shown}${more}. Nothing was changed. Name a new folder: agate init my-project.`;
}

async function install({ flags, terminal }: Session, directory: string): Promise<InstallOutcome> {
  using progress = flags.json ? silentProgress : startProgress(terminal, "npm install".length);
  progress.begin("npm install");
  const outcome = await installPackages(directory);
  if (outcome.kind === "installed") progress.done();
  return outcome;
}

function expectInstalled(outcome: InstallOutcome, { flags, terminal }: Session): void {
  if (outcome.kind === "installed") return;
  if (outcome.kind === "failed" && !flags.json) terminal.note(printableText(outcome.said).trim());
  const reason = outcome.kind === "no-npm" ? "npm was not found" : "`npm install` failed";
  throw new CommandFailure(
    `The project was created, but ${reason}. Run \`npm install\` in it once that is fixed; the files are complete.`,
  );
}

function printNextSteps({ flags, terminal }: Session, directory: string): void {
  const way = relative(process.cwd(), directory);
  const steps = [
    ...(way === "" ? [] : [`cd ${shellWord(way)}`]),
    ...(flags.install ? [] : ["npm install"]),
    "npm run dev",
  ];
  terminal.print("\nNext:");
  for (const step of steps) terminal.print(`  ${terminal.paint("bold", step)}`);
}

/** A word as a shell takes it. */
function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

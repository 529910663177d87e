import type { Command } from "commander";
import { Option } from "commander";
import type { ApiClient } from "../../api-client/api-client.ts";
import { createApiClient } from "../../api-client/api-client.ts";
import { DEFAULT_URL, readConnection } from "../../api-client/connection.ts";
import type { ApiDocument } from "../../api-client/response-body.ts";
import { printableJson } from "../../terminal/printable.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { openTerminal } from "../../terminal/terminal.ts";
import { type CommandProcess, processOf } from "../command-process.ts";
import { WrongUsage } from "./failures.ts";
import { reportFailures } from "./report-failures.ts";

/** What a command works with. */
export interface Session<Flags> {
  readonly api: ApiClient;
  readonly process: CommandProcess;
  readonly terminal: Terminal;
  readonly flags: Flags;
  /** Whether standard output is for programs. */
  readonly json: boolean;
  /** The time that ages are relative to. */
  readonly now: number;
  /** Prints a document as it came with `--json`, else these lines of it. */
  show<Value>(document: ApiDocument<Value>, render: (value: Value) => Iterable<string>): void;
}

/**
 * Makes a command a client of the platform: adds the connection options and `--json`, and reports
 * expected failures in one format.
 */
export function onPlatform<Arguments extends readonly unknown[], Flags = unknown>(
  command: Command,
  run: (session: Session<Flags>, ...args: Arguments) => Promise<void>,
): Command {
  return addConnectionOptions(acceptAppOption(command)).action(async (...all: unknown[]) => {
    // Commander appends the options and the command itself.
    const args = all.slice(0, -2) as unknown as Arguments;
    const flags = {
      ...command.parent?.parent?.opts(),
      ...command.parent?.opts(),
      ...command.opts(),
    };
    const ownProcess = processOf(command);
    const terminal = openTerminal(ownProcess);
    await reportFailures(command, terminal, Boolean(flags.json), () =>
      run(openSession<Flags>(flags as ConnectionFlags & Flags, ownProcess, terminal), ...args),
    );
  });
}

function openSession<Flags>(
  flags: ConnectionFlags & Flags,
  ownProcess: CommandProcess,
  terminal: Terminal,
): Session<Flags> {
  const outcome = readConnection(flags, ownProcess.env);
  if (outcome.kind === "wrong") throw new WrongUsage(outcome.reason);
  const json = flags.json === true;
  return {
    api: createApiClient(outcome.connection),
    process: ownProcess,
    terminal,
    flags,
    json,
    now: Date.now(),
    show: (document, render) => {
      if (json) terminal.print(jsonFor(terminal, document.json));
      else for (const line of render(document.value)) terminal.print(line);
    },
  };
}

/** JSON for standard output: unchanged in a pipe, without control characters on a terminal. */
export function jsonFor(terminal: Terminal, json: string): string {
  return terminal.columns === undefined ? json : printableJson(json);
}

/**
 * Lets commands whose first argument is the application take it as `--app`, too: that is its name in
 * commands whose first argument is a file or a route.
 */
function acceptAppOption(command: Command): Command {
  if (command.registeredArguments[0]?.name() !== "app") return command;
  const parseOptions = command.parseOptions.bind(command);
  command.parseOptions = (args) => {
    const parsed = parseOptions(args);
    const app: unknown = command.getOptionValue("app");
    if (typeof app !== "string") return parsed;
    return { ...parsed, operands: [app, ...parsed.operands] };
  };
  return command.option("--app <name>", "the application, instead of <app>");
}

interface ConnectionFlags {
  readonly url?: string;
  readonly apiKey?: string;
  readonly project?: string;
  readonly json?: boolean;
}

const HEADING = "Platform:";

/** The options that name the platform and the caller. */
function connectionOptions(): Option[] {
  return [
    new Option(
      "--url <url>",
      `address of the platform (default: $AGATE_BASE_URL, else ${DEFAULT_URL})`,
    ),
    new Option("--api-key <key>", "key to use (default: $AGATE_API_KEY)"),
    new Option("--project <project>", "project to use, for callers that may choose one"),
  ];
}

/** The same options before the command: `agate --url URL apps`. */
export function addGlobalOptions(program: Command): Command {
  for (const option of connectionOptions()) program.addOption(option.helpGroup(HEADING));
  return program.hook("preAction", (_program, command) => {
    const [given] = program.options.filter(
      (option) => program.getOptionValue(option.attributeName()) !== undefined,
    );
    if (given === undefined || command.options.some(({ long }) => long === given.long)) return;
    command.error(
      `error: '${command.name()}' does not use a platform and has no option '${given.long}'`,
    );
  });
}

/** To a command that talks to the platform, after its own options. */
function addConnectionOptions(command: Command): Command {
  command.option("--json", "print the API's response as JSON");
  for (const option of connectionOptions()) command.addOption(option.helpGroup(HEADING));
  return command;
}

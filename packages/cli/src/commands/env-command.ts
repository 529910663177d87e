import { text } from "node:stream/consumers";
import { parseEnv } from "node:util";
import type { EnvironmentVariables, RekeyResult, Variable } from "@agate/protocol";
import { variableNameFault } from "@agate/protocol";
import { Command, Option } from "commander";
import type { ApiPath } from "../api-client/api-client.ts";
import { apiPath } from "../api-client/api-client.ts";
import { ENV_FILE } from "../dev/env-file.ts";
import { printableLine } from "../terminal/printable.ts";
import { askHidden } from "../terminal/terminal.ts";
import { commandGroup } from "./client/command-group.ts";
import { APP, ENVIRONMENT, examples, HEADINGS } from "./client/command-help.ts";
import { CommandFailure, WrongUsage } from "./client/failures.ts";
import type { Session } from "./client/on-platform.ts";
import { onPlatform } from "./client/on-platform.ts";
import { readInput } from "./client/option-values.ts";
import { listLines } from "./client/paged-list.ts";
import { timeCell } from "./client/times.ts";

/** `agate env`: the variables and secrets of an environment. */
export function envCommand(): Command {
  return commandGroup({
    name: "env",
    description: "List, set, unset and import variables and secrets of an environment.",
    heading: HEADINGS.registry,
    examples: [
      "agate env support production",
      "agate env set support production OPENAI_API_KEY",
      "agate env set support staging --plain REGION=eu",
      "agate env import support staging .env",
    ],
    main: listCommand(),
    others: [setCommand(), unsetCommand(), importCommand(), rekeyCommand()],
  });
}

interface PlainFlag {
  readonly plain?: true;
}

function plainOption(): Option {
  return new Option("--plain", "not secret: the value can be read again");
}

function variablesPath(app: string, environment: string): ApiPath {
  return apiPath`/registry/applications/${app}/environments/${environment}/variables`;
}

function listCommand(): Command {
  const command = new Command("list")
    .description("List the variables of an environment. Values of secrets are never shown.")
    .argument(...APP)
    .argument(...ENVIRONMENT);
  return onPlatform<[string, string]>(command, async (session, app, environment) => {
    const document = await session.api.get<EnvironmentVariables>(variablesPath(app, environment));
    session.show(document, ({ items }) => variableLines(session, items, app, environment));
  });
}

function variableLines(
  session: Session<unknown>,
  items: readonly Variable[],
  app: string,
  environment: string,
): Iterable<string> {
  const named = `${printableLine(environment)} of ${printableLine(app)}`;
  return listLines(
    session.terminal,
    [
      { title: "NAME", least: 12 },
      { title: "VALUE", least: 12 },
      { title: "VERSION" },
      { title: "SET" },
      { title: "BY", least: 8 },
    ],
    items.map((variable) => [
      { text: variable.name, style: "bold" },
      shownValueOf(variable),
      `${variable.version}`,
      timeCell(session, variable.updated_at),
      variable.updated_by,
    ]),
    `${named} has no variables. \`agate env set\` sets one.`,
  );
}

function shownValueOf({ secret, status, value }: Variable): string {
  if (status === "unreadable") return "(secret, unreadable: set it again)";
  return secret ? "(secret)" : JSON.stringify(value);
}

function setCommand(): Command {
  const command = new Command("set")
    .description("Set variables. Secret unless --plain.")
    .argument(...APP)
    .argument(...ENVIRONMENT)
    .argument(
      "<variables...>",
      "NAME=value, or one NAME: its value is asked for, or read from stdin",
    )
    .addOption(plainOption())
    .addHelpText(
      "after",
      examples(
        "agate env set support production OPENAI_API_KEY",
        "agate env set support production TLS_KEY < key.pem",
        "agate env set support staging --plain REGION=eu LOG_LEVEL=debug",
      ),
    );
  return onPlatform<[string, string, string[]], PlainFlag>(
    command,
    async (session, app, environment, given) => {
      const values = await valuesOf(given, session);
      await change(session, { app, environment }, { set: toSet(values, session.flags) });
    },
  );
}

async function valuesOf(
  given: readonly string[],
  session: Session<unknown>,
): Promise<ReadonlyMap<string, string>> {
  const [first = "", ...others] = given;
  if (!first.includes("=") && others.length === 0) {
    return new Map([[first, await readValue(first, session)]]);
  }
  return new Map(
    given.map((assignment) => {
      const at = assignment.indexOf("=");
      // Without the text, which may be the value.
      if (at < 1) throw new WrongUsage("Must be NAME=value, or one NAME alone.");
      return [assignment.slice(0, at), assignment.slice(at + 1)];
    }),
  );
}

/** From the terminal without an echo, else from standard input, without the line end that tools add. */
async function readValue(name: string, { terminal, process }: Session<unknown>): Promise<string> {
  if (terminal.canAsk) {
    const typed = await askHidden(`${printableLine(name)}: `);
    if (typed === null || typed === "") throw new CommandFailure("Nothing was changed.");
    return typed;
  }
  const value = (await text(process.stdin)).replace(/\r?\n$/, "");
  if (value === "") {
    throw new CommandFailure(
      `Standard input is empty. Pipe the value of ${printableLine(name)} into the command.`,
    );
  }
  return value;
}

function toSet(values: ReadonlyMap<string, string>, { plain }: PlainFlag): Record<string, unknown> {
  const entries = [...values].map(([name, value]) => [name, plain ? { value, plain } : value]);
  return Object.fromEntries(entries);
}

function unsetCommand(): Command {
  const command = new Command("unset")
    .description("Unset variables.")
    .argument(...APP)
    .argument(...ENVIRONMENT)
    .argument("<names...>", "names of the variables")
    .addHelpText("after", examples("agate env unset support staging REGION LOG_LEVEL"));
  return onPlatform<[string, string, string[]]>(command, (session, app, environment, unset) =>
    change(session, { app, environment }, { unset }),
  );
}

function importCommand(): Command {
  const command = new Command("import")
    .description("Set the variables of a .env file, as one change. Secret unless --plain.")
    .argument(...APP)
    .argument(...ENVIRONMENT)
    .argument("[file]", "file with NAME=value lines (- for standard input)", ENV_FILE)
    .addOption(plainOption())
    .addHelpText("after", examples("agate env import support staging .env.staging"));
  return onPlatform<[string, string, string], PlainFlag>(
    command,
    async (session, app, environment, file) => {
      const parsed = parseEnv(await readInput(file, session.process.stdin));
      const values = new Map<string, string>();
      for (const [name, value = ""] of Object.entries(parsed)) {
        const fault = variableNameFault(name);
        if (fault === undefined) values.set(name, value);
        else session.terminal.note(`Skipped ${printableLine(name)}. ${fault}.`);
      }
      if (values.size === 0) {
        throw new CommandFailure(`${printableLine(file)} has no variables to set.`);
      }
      await change(session, { app, environment }, { set: toSet(values, session.flags) });
    },
  );
}

async function change(
  session: Session<unknown>,
  { app, environment }: { readonly app: string; readonly environment: string },
  body: { readonly set?: Record<string, unknown>; readonly unset?: readonly string[] },
): Promise<void> {
  const path = variablesPath(app, environment);
  const document = await session.api.send<EnvironmentVariables>("PATCH", path, body);
  session.show(document, ({ version }) => {
    const named = `${printableLine(environment)} of ${printableLine(app)}`;
    const names = [...Object.keys(body.set ?? {}), ...(body.unset ?? [])].map(printableLine);
    const done = body.set === undefined ? "Unset" : "Set";
    return [`${done} ${names.join(", ")} in ${named} (version ${version}).`];
  });
}

function rekeyCommand(): Command {
  const command = new Command("rekey")
    .description("Encrypt all secrets of the server with the first of its keys.")
    .addHelpText("after", examples("agate env rekey"));
  return onPlatform(command, async ({ api, show }) => {
    const document = await api.send<RekeyResult>("POST", apiPath`/registry/rekey`);
    show(document, ({ rekeyed, unreadable }) => [
      `Encrypted ${rekeyed === 1 ? "1 secret" : `${rekeyed} secrets`} with the first key.`,
      ...(unreadable > 0 ? [`Unreadable, because their key is missing: ${unreadable}.`] : []),
    ]);
  });
}

import { resolve } from "node:path";
import type { RegistryAddress } from "@agate/platform/options";
import type { ApiKey, CreatedApiKey, Scope } from "@agate/protocol";
import {
  DEFAULT_PROJECT_ID,
  isKeyEnvironment,
  KEY_ENVIRONMENT_RULE,
  SCOPES,
} from "@agate/protocol";
import { Command, InvalidArgumentError, Option } from "commander";
import { apiPath } from "../api-client/api-client.ts";
import type { ApiDocument } from "../api-client/response-body.ts";
import { printableLine } from "../terminal/printable.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { commandGroup } from "./client/command-group.ts";
import { examples, HEADINGS } from "./client/command-help.ts";
import type { ConfirmFlags } from "./client/confirm.ts";
import { confirm, yesOption } from "./client/confirm.ts";
import { CommandFailure, WrongUsage } from "./client/failures.ts";
import { onPlatform } from "./client/on-platform.ts";
import type { Items } from "./client/paged-list.ts";
import { listLines } from "./client/paged-list.ts";
import { timeCell } from "./client/times.ts";
import { readRegistry } from "./database-options.ts";

/** `agate keys`: who may use a project. */
export function keysCommand(): Command {
  return commandGroup({
    name: "keys",
    description: "List, create and revoke the API keys of a project.",
    heading: HEADINGS.administer,
    examples: ["agate keys", "agate keys create ci --scope ingest,read"],
    main: listCommand(),
    others: [createCommand(), revokeCommand()],
  });
}

function listCommand(): Command {
  const command = new Command("list").description("List the keys of the project.");
  return onPlatform(command, async (session) => {
    const document = await session.api.get<Items<ApiKey>>(apiPath`/registry/keys`);
    session.show(document, ({ items }) => {
      const isAnyLimited = items.some(({ environments }) => environments !== null);
      return listLines(
        session.terminal,
        [
          { title: "KEY" },
          { title: "NAME", least: 10 },
          { title: "BEGINS WITH", dispensable: 1 },
          { title: "SCOPES", least: 8 },
          ...(isAnyLimited ? [{ title: "ENVIRONMENTS", least: 8 }] : []),
          { title: "CREATED" },
          { title: "LAST USED" },
        ],
        items.map((key) => [
          key.id,
          { text: key.name, style: "bold" },
          key.prefix,
          key.scopes.join(","),
          ...(isAnyLimited ? [key.environments?.join(",") ?? "all"] : []),
          timeCell(session, key.created_at),
          key.last_used_at === null ? "never" : timeCell(session, key.last_used_at),
        ]),
        "The project has no keys. `agate keys create NAME --scope read` creates one.",
      );
    });
  });
}

interface CreateFlags {
  readonly scope: readonly Scope[];
  readonly environment?: readonly string[];
  readonly dataDir?: string;
  /** True without an address: the variable has it. */
  readonly registry?: string | true;
  readonly url?: string;
  readonly apiKey?: string;
  readonly project?: string;
}

function createCommand(): Command {
  const command = new Command("create")
    .description("Create a key and print it. It is shown only once.")
    .argument("<name>", "purpose of the key, shown as the author in histories")
    .addOption(
      new Option("--scope <scopes>", `permissions, separated by commas: ${SCOPES.join(", ")}`)
        .argParser(collectScopes)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option(
        "--environment <names>",
        "limit the key to these environments, separated by commas: staging, or support/staging of one application",
      ).argParser(collectEnvironments),
    )
    .option(
      "--data-dir <folder>",
      "create the key directly in a stopped server's data directory (for the first key)",
    )
    .addOption(
      new Option(
        "--registry [url]",
        "create the key directly in a database: postgres://… (default: $AGATE_REGISTRY)",
      ).conflicts("dataDir"),
    )
    .addHelpText(
      "after",
      examples(
        "agate keys create ci --scope deploy,read",
        "agate keys create preview --scope run,playground --environment staging",
        "AGATE_API_KEY=$(agate keys create shop --scope ingest,read)",
        "agate keys create admin --scope admin,deploy --data-dir .agate",
        "AGATE_REGISTRY=postgres://agate:secret@db/agate agate keys create admin --scope admin,deploy --registry",
      ),
    );
  return onPlatform<[string], CreateFlags>(command, async (session, name) => {
    const { api, terminal, flags } = session;
    const body = {
      name,
      scopes: flags.scope,
      ...(flags.environment && { environments: flags.environment }),
    };
    const registry = registryOf(flags, session.process.env);
    const document =
      registry === undefined
        ? await api.send<CreatedApiKey>("POST", apiPath`/registry/keys`, body)
        : await createOffline(registry, body, flags, terminal);
    session.show(document, (created) => [printableLine(created.key)]);
    if (session.json) return;
    terminal.note(
      terminal.paintNote("dim", "Save it now: it is not shown again. Use it as AGATE_API_KEY."),
    );
  });
}

/** Where to make the key without asking a platform; undefined when one is to be asked. */
function registryOf(
  { dataDir, registry }: CreateFlags,
  env: NodeJS.ProcessEnv,
): RegistryAddress | undefined {
  if (dataDir !== undefined) return { kind: "sqlite", directory: resolve(dataDir) };
  if (registry === undefined) return undefined;
  const address = readRegistry(registry === true ? undefined : registry, env);
  if (address === undefined) {
    throw new WrongUsage("--registry needs an address, or AGATE_REGISTRY one to take");
  }
  return address;
}

/** Creates the first key of a server that requires one: no key exists yet that could create it over HTTP. */
async function createOffline(
  registry: RegistryAddress,
  key: {
    readonly name: string;
    readonly scopes: readonly Scope[];
    readonly environments?: readonly string[];
  },
  { url, apiKey, project = DEFAULT_PROJECT_ID }: CreateFlags,
  terminal: Terminal,
): Promise<ApiDocument<CreatedApiKey>> {
  if (url !== undefined || apiKey !== undefined) {
    const flag = registry.kind === "sqlite" ? "--data-dir" : "--registry";
    throw new WrongUsage(`with ${flag} no platform is asked: it takes no --url and no --api-key`);
  }
  // Loaded when it is needed: it opens databases, which other commands have nothing to do with.
  const { createKeyOffline } = await import("@agate/platform/offline");
  const outcome = await createKeyOffline(registry, { ...key, project });
  if (outcome.kind === "refused") throw new CommandFailure(outcome.reason);
  if (outcome.projectIsNew) {
    terminal.note(printableLine(`Created the project ${outcome.project.slug}.`));
  }
  return { value: outcome.key, json: JSON.stringify(outcome.key) };
}

/** `--scope ingest,read` and `--scope ingest --scope read` are the same. */
function collectScopes(text: string, before: readonly Scope[] = []): readonly Scope[] {
  const scopes = text.split(",").map((word) => {
    const scope = SCOPES.find((known) => known === word.trim());
    if (scope === undefined) {
      throw new InvalidArgumentError(`A scope is one of ${SCOPES.join(", ")}.`);
    }
    return scope;
  });
  return [...new Set([...before, ...scopes])];
}

/** As for scopes. */
function collectEnvironments(text: string, before: readonly string[] = []): readonly string[] {
  const names = text.split(",").map((word) => word.trim());
  const wrong = names.find((name) => !isKeyEnvironment(name));
  if (wrong !== undefined) {
    throw new InvalidArgumentError(`Must be ${KEY_ENVIRONMENT_RULE}.`);
  }
  return [...new Set([...before, ...names])];
}

function revokeCommand(): Command {
  const command = new Command("revoke")
    .description("Revoke a key. This can't be undone; requests with it get a 401.")
    .argument("<key>", "id of the key, from the list")
    .addOption(yesOption())
    .addHelpText("after", examples("agate keys revoke key_7k2m9q4x8w1n5t3r6v0p"));
  return onPlatform<[string], ConfirmFlags>(command, async (session, key) => {
    await confirm(session, `Revoke ${key}? Requests with it will get a 401.`);
    const document = await session.api.send("DELETE", apiPath`/registry/keys/${key}`);
    session.show(document, () => [printableLine(`Revoked ${key}.`)]);
  });
}

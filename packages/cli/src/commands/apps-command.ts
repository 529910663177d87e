import type { Application, ApplicationSchema, Environment, ServerStatus } from "@agate/protocol";
import { formatBytes, UNKNOWN } from "@agate/protocol/format";
import { Command } from "commander";
import type { ApiPath } from "../api-client/api-client.ts";
import { apiPath, createApiClient } from "../api-client/api-client.ts";
import { readBaseUrl, wrongUrl } from "../api-client/connection.ts";
import { readJson } from "../api-client/response-body.ts";
import { printableLine } from "../terminal/printable.ts";
import { renderFields } from "../terminal/table.ts";
import { commandGroup } from "./client/command-group.ts";
import { APP, examples, HEADINGS } from "./client/command-help.ts";
import { WrongUsage } from "./client/failures.ts";
import { createCommand, deleteCommand, renameCommand } from "./client/named-commands.ts";
import type { Session } from "./client/on-platform.ts";
import { onPlatform } from "./client/on-platform.ts";
import { readJsonInput } from "./client/option-values.ts";
import type { Items } from "./client/paged-list.ts";
import { listLines } from "./client/paged-list.ts";
import { timeCell, timeInFull } from "./client/times.ts";
import type { CommandProcess } from "./command-process.ts";
import { formatLive } from "./views/live-view.ts";
import { schemaLines } from "./views/schema-view.ts";

/** `agate apps`: applications. */
export function appsCommand(): Command {
  return commandGroup({
    name: "apps",
    description: "List applications; create, rename, delete, register them.",
    heading: HEADINGS.registry,
    examples: ["agate apps", "agate apps create support", "agate apps show support"],
    main: listCommand(),
    others: [
      showCommand(),
      createCommand({
        description: "Create an application, with development, staging and production.",
        arguments: [],
        path: () => apiPath`/registry/applications`,
        example: "agate apps create support",
      }),
      renameCommand({
        description: "Rename an application. The id stays; calls to the old name get a 404.",
        arguments: [APP],
        path: applicationPath,
        example: "agate apps rename support help-desk",
      }),
      deleteCommand({
        description: "Delete an application with its variants, histories and builds.",
        arguments: [APP],
        path: applicationPath,
        question: (app) => `Delete ${app} with all its variants, histories and builds?`,
        example: "agate apps delete support",
      }),
      registerCommand(),
    ],
  });
}

function applicationPath(app: string): ApiPath {
  return apiPath`/registry/applications/${app}`;
}

function listCommand(): Command {
  const command = new Command("list").description("List the applications.");
  return onPlatform(command, async (session) => {
    const { api, terminal } = session;
    const document = await api.get<Items<Application>>(apiPath`/registry/applications`);
    session.show(document, ({ items }) =>
      listLines(
        terminal,
        [
          { title: "APPLICATION", least: 12 },
          { title: "BUILD", align: "right" },
          { title: "ROUTES", least: 10 },
          { title: "CREATED" },
        ],
        items.map((app) => [
          { text: app.slug, style: "bold" },
          app.build === null ? UNKNOWN : String(app.build),
          app.routes?.join(" ") ?? UNKNOWN,
          timeCell(session, app.created_at),
        ]),
        "No applications. `agate deploy app.ts --app NAME` or `agate apps create NAME` creates one.",
      ),
    );
  });
}

function showCommand(): Command {
  const command = new Command("show")
    .description(
      "Show an application: its routes, the build and revision of each environment, and what each server runs.",
    )
    .argument(...APP)
    .addHelpText("after", examples("agate apps show support"));
  return onPlatform<[string]>(command, async (session, app) => {
    const { api, terminal } = session;
    const document = await api.get<Application>(applicationPath(app));
    const listOf = async <Item>(path: ApiPath) =>
      session.json ? [] : (await api.get<Items<Item>>(path)).value.items;
    const environments = await listOf<Environment>(
      apiPath`/registry/applications/${app}/environments`,
    );
    const servers = await listOf<ServerStatus>(apiPath`/registry/applications/${app}/servers`);
    session.show(document, (value) =>
      renderFields(
        [...applicationFields(session, value, environments), ...servers.map(serverField)],
        terminal.paint,
      ),
    );
  });
}

/** What one server runs in one environment. */
function serverField(status: ServerStatus): [string, string] {
  const { environment, build, state, processes, restarts, last_exit, memory_bytes } = status;
  const running = {
    serving: processes === 1 ? "1 process" : `${processes} processes`,
    idle: "no process until the next call",
    crash_loop: "crash loop",
  }[state];
  const again = restarts === 0 ? "" : `, ${restarts} ${restarts === 1 ? "restart" : "restarts"}`;
  const memory = memory_bytes === null ? "" : `, ${formatBytes(memory_bytes)}`;
  const exit = last_exit === null ? "" : `; last exit: ${printableLine(last_exit)}`;
  const what = `${environment}, build ${build ?? UNKNOWN}: ${running}${memory}${again}${exit}`;
  return [`server ${printableLine(status.server)}`, what];
}

function applicationFields(
  session: Session<unknown>,
  app: Application,
  environments: readonly Environment[],
): [string, string][] {
  return [
    ["application", app.slug],
    ["id", app.id],
    ["created", timeInFull(session, app.created_at)],
    ["routes", app.routes?.join(" ") ?? "not known yet"],
    ["default", environments.find(({ is_default }) => is_default)?.slug ?? "no environment"],
    ...environments.map(({ slug, deployment }): [string, string] => [
      slug,
      deployment === null
        ? "nothing is live"
        : `${formatLive(deployment)} since ${timeInFull(session, deployment.deployed_at)}`,
    ]),
  ];
}

function registerCommand(): Command {
  const command = new Command("register")
    .description(
      "Register a workflow that runs elsewhere: its /openapi.json says routes and fields.",
    )
    .argument(...APP)
    .requiredOption(
      "--from <source>",
      "address of the running workflow, or a file with its /openapi.json",
    )
    .option(
      "--environment <environment>",
      "environment that it runs as (default: the application's default, production)",
    )
    .addHelpText(
      "after",
      examples(
        "agate apps register support --from http://127.0.0.1:4101",
        "agate apps register support --from openapi.json --environment staging",
      ),
    );
  return onPlatform<[string], RegisterFlags>(command, async (session, app) => {
    const { api, terminal, flags } = session;
    const { from, environment } = flags;
    const body = await readOpenApi(from, session.process);
    const path = apiPath`/registry/applications/${app}/schema`;
    const response = await api.open(path, { method: "PUT", query: { environment }, body });
    const document = await readJson<ApplicationSchema>(response, api.connection.url);
    session.show(document, (schema) => schemaLines(schema, terminal));
  });
}

interface RegisterFlags {
  readonly from: string;
  readonly environment?: string;
}

/** What a running workflow answers as its `/openapi.json`, or a file that has it. */
async function readOpenApi(source: string, ownProcess: CommandProcess): Promise<unknown> {
  if (!/^https?:/i.test(source)) return await readJsonInput(source, ownProcess);
  const url = readBaseUrl(source.replace(/\/openapi\.json$/, ""));
  if (url === undefined) {
    throw new WrongUsage(`--from ${wrongUrl(source, "http://127.0.0.1:4101")}`);
  }
  // Without the API key: the workflow may belong to another party.
  const workflow = createApiClient({ url, apiKey: undefined, project: undefined });
  return (await workflow.get<unknown>(apiPath`/openapi.json`)).value;
}

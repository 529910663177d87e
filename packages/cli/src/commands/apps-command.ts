import type { Application, ApplicationSchema, Environment } from "@agate/protocol";
import { UNKNOWN } from "@agate/protocol/format";
import { Command } from "commander";
import type { ApiPath } from "../api-client/api-path.ts";
import { apiPath } from "../api-client/api-path.ts";
import { renderFields } from "../terminal/table.ts";
import { APP } from "./client/arguments.ts";
import { commandGroup } from "./client/command-group.ts";
import { examples } from "./client/examples.ts";
import { HEADINGS } from "./client/headings.ts";
import type { Items } from "./client/items.ts";
import { listLines } from "./client/list-lines.ts";
import { createCommand, deleteCommand, renameCommand } from "./client/named-commands.ts";
import type { Session } from "./client/on-platform.ts";
import { onPlatform } from "./client/on-platform.ts";
import { formatRevision } from "./client/revision-ref.ts";
import { timeCell, timeInFull } from "./client/times.ts";
import { readOpenApi } from "./read-openapi.ts";
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
        description: "Rename an application. Its id stays; callers of its old name get a 404.",
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
        "There are no applications. `agate deploy app.ts --app NAME` makes one, `agate apps create NAME` too.",
      ),
    );
  });
}

function showCommand(): Command {
  const command = new Command("show")
    .description("Show an application: what serves it, and what is live where.")
    .argument(...APP)
    .addHelpText("after", examples("agate apps show support"));
  return onPlatform<[string]>(command, async (session, app) => {
    const { api, terminal } = session;
    const document = await api.get<Application>(applicationPath(app));
    const environments = session.json
      ? []
      : (await api.get<Items<Environment>>(apiPath`/registry/applications/${app}/environments`))
          .value.items;
    session.show(document, (value) =>
      renderFields(applicationFields(session, value, environments), terminal.paint),
    );
  });
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
    ["build", app.build === null ? "none serves it" : String(app.build)],
    ["routes", app.routes?.join(" ") ?? "not known yet"],
    ...environments.map(({ slug, deployment }): [string, string] => [
      slug,
      deployment === null
        ? "nothing is live"
        : `${formatRevision(deployment.variant)} since ${timeInFull(session, deployment.deployed_at)}`,
    ]),
  ];
}

function registerCommand(): Command {
  const command = new Command("register")
    .description(
      "Tell the platform an application's routes and fields, from a workflow's /openapi.json.",
    )
    .argument(...APP)
    .requiredOption(
      "--from <source>",
      "address of the running workflow, or a file with its /openapi.json",
    )
    .addHelpText(
      "after",
      examples(
        "agate apps register support --from http://127.0.0.1:4101",
        "agate apps register support --from openapi.json",
      ),
    );
  return onPlatform<[string], { readonly from: string }>(command, async (session, app) => {
    const { api, terminal, flags } = session;
    const openapi = await readOpenApi(flags.from);
    const path = apiPath`/registry/applications/${app}/schema`;
    const document = await api.send<ApplicationSchema>("PUT", path, openapi);
    session.show(document, (schema) => schemaLines(schema, terminal));
  });
}

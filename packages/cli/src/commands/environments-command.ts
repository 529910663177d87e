import type { Environment } from "@agate/protocol";
import { UNKNOWN } from "@agate/protocol/format";
import { Argument, Command } from "commander";
import type { ApiPath } from "../api-client/api-client.ts";
import { apiPath } from "../api-client/api-client.ts";
import { printableLine } from "../terminal/printable.ts";
import { commandGroup } from "./client/command-group.ts";
import { APP, ENVIRONMENT, examples, HEADINGS } from "./client/command-help.ts";
import { createCommand, deleteCommand, renameCommand } from "./client/named-commands.ts";
import { onPlatform } from "./client/on-platform.ts";
import type { Items } from "./client/paged-list.ts";
import { listLines } from "./client/paged-list.ts";
import { formatRevision } from "./client/revision-ref.ts";
import { timeCell } from "./client/times.ts";

/** `agate environments`: where builds and revisions can be live. */
export function environmentsCommand(): Command {
  return commandGroup({
    name: "environments",
    description: "List environments; create, rename, delete them.",
    heading: HEADINGS.registry,
    examples: ["agate environments support", "agate environments create support preview"],
    main: listCommand(),
    others: [
      createCommand({
        description: "Create an environment.",
        arguments: [APP],
        path: (app) => apiPath`/registry/applications/${app}/environments`,
        example: "agate environments create support preview",
      }),
      renameCommand({
        description:
          "Rename an environment. Its deployment stays live, and the default stays the default.",
        arguments: [APP, ENVIRONMENT],
        path: environmentPath,
        example: "agate environments rename support preview canary",
      }),
      playgroundCommand(),
      deleteCommand({
        description:
          "Delete an environment with its history. Fails if something is live, and for the default.",
        arguments: [APP, ENVIRONMENT],
        path: environmentPath,
        question: (app, environment) => `Delete ${environment} of ${app} with its history?`,
        example: "agate environments delete support preview",
      }),
    ],
  });
}

function environmentPath(app: string, environment: string): ApiPath {
  return apiPath`/registry/applications/${app}/environments/${environment}`;
}

function playgroundCommand(): Command {
  const command = new Command("playground")
    .description("Switch the playground of an environment on or off.")
    .argument(...APP)
    .argument(...ENVIRONMENT)
    .addArgument(new Argument("<state>", "on or off").choices(["on", "off"]))
    .addHelpText("after", examples("agate environments playground support production off"));
  return onPlatform<[string, string, string]>(command, async (session, app, environment, state) => {
    const change = { playground: state === "on" };
    const path = environmentPath(app, environment);
    const document = await session.api.send<Environment>("PATCH", path, change);
    session.show(document, ({ slug, playground }) => [
      printableLine(`The playground of ${slug} is ${playground ? "on" : "off"}.`),
    ]);
  });
}

function listCommand(): Command {
  const command = new Command("list")
    .description("List the environments of an application, and what is live in each.")
    .argument(...APP);
  return onPlatform<[string]>(command, async (session, app) => {
    const path = apiPath`/registry/applications/${app}/environments`;
    const document = await session.api.get<Items<Environment>>(path);
    session.show(document, ({ items }) =>
      listLines(
        session.terminal,
        [
          { title: "ENVIRONMENT", least: 12 },
          { title: "BUILD", align: "right" },
          { title: "REVISION", least: 12 },
          { title: "PLAYGROUND", dispensable: 1 },
          { title: "SINCE" },
          { title: "BY", least: 8 },
          { title: "MESSAGE", least: 8, dispensable: 2 },
        ],
        items.map(({ slug, is_default, playground, deployment }) => [
          { text: is_default ? `${slug} (default)` : slug, style: "bold" },
          deployment?.build ? String(deployment.build.number) : UNKNOWN,
          deployment === null ? UNKNOWN : formatRevision(deployment.variant),
          playground ? "on" : { text: "off", style: "yellow" },
          timeCell(session, deployment?.deployed_at ?? null),
          deployment?.deployed_by ?? UNKNOWN,
          deployment?.message ?? "",
        ]),
        `${printableLine(app)} has no environments. \`agate environments create ${printableLine(app)} production\` creates one.`,
      ),
    );
  });
}

import type { RegistryVariant } from "@agate/protocol";
import { UNKNOWN } from "@agate/protocol/format";
import { Argument, Command } from "commander";
import type { ApiPath } from "../api-client/api-client.ts";
import { apiPath } from "../api-client/api-client.ts";
import { printableLine } from "../terminal/printable.ts";
import { renderFields } from "../terminal/table.ts";
import { commandGroup } from "./client/command-group.ts";
import { APP, examples, HEADINGS, VARIANT } from "./client/command-help.ts";
import { createCommand, deleteCommand, renameCommand } from "./client/named-commands.ts";
import { onPlatform } from "./client/on-platform.ts";
import { messageOption } from "./client/option-values.ts";
import type { Items } from "./client/paged-list.ts";
import { listLines } from "./client/paged-list.ts";
import type { VariantRef } from "./client/revision-ref.ts";
import { formatRevision, parseVariantRef } from "./client/revision-ref.ts";
import { timeCell, timeInFull } from "./client/times.ts";

/** `agate variants`: the lines of configurations of an application. */
export function variantsCommand(): Command {
  return commandGroup({
    name: "variants",
    description: "List variants; create, rename, delete, fork them.",
    heading: HEADINGS.registry,
    examples: ["agate variants support", "agate variants fork support default@3 shorter"],
    main: listCommand(),
    others: [
      showCommand(),
      createCommand({
        description: "Create an empty variant.",
        arguments: [APP],
        path: (app) => apiPath`/registry/applications/${app}/variants`,
        example: "agate variants create support shorter",
      }),
      renameCommand({
        description: "Rename a variant. Its id, revisions and deployments stay.",
        arguments: [APP, VARIANT],
        path: variantPath,
        example: "agate variants rename support shorter brief",
      }),
      deleteCommand({
        description: "Delete a variant with its revisions. Fails if one is live.",
        arguments: [APP, VARIANT],
        path: variantPath,
        question: (app, variant) => `Delete ${variant} of ${app} with all its revisions?`,
        example: "agate variants delete support shorter",
      }),
      forkCommand(),
    ],
  });
}

function variantPath(app: string, variant: string): ApiPath {
  return apiPath`/registry/applications/${app}/variants/${variant}`;
}

function listCommand(): Command {
  const command = new Command("list")
    .description("List the variants of an application.")
    .argument(...APP);
  return onPlatform<[string]>(command, async (session, app) => {
    const path = apiPath`/registry/applications/${app}/variants`;
    const document = await session.api.get<Items<RegistryVariant>>(path);
    session.show(document, ({ items }) =>
      listLines(
        session.terminal,
        [
          { title: "VARIANT", least: 12 },
          { title: "LATEST", align: "right" },
          { title: "FORKED FROM", least: 12 },
          { title: "CREATED" },
        ],
        items.map((variant) => [
          { text: variant.slug, style: "bold" },
          variant.latest_revision === 0 ? UNKNOWN : String(variant.latest_revision),
          variant.forked_from === null ? UNKNOWN : formatRevision(variant.forked_from),
          timeCell(session, variant.created_at),
        ]),
        `${printableLine(app)} has no variants. \`agate variants create ${printableLine(app)} default\` creates one.`,
      ),
    );
  });
}

function showCommand(): Command {
  const command = new Command("show")
    .description("Show a variant.")
    .argument(...APP)
    .argument(...VARIANT)
    .addHelpText("after", examples("agate variants show support default"));
  return onPlatform<[string, string]>(command, async (session, app, variant) => {
    const document = await session.api.get<RegistryVariant>(variantPath(app, variant));
    session.show(document, (value) =>
      renderFields(
        [
          ["variant", value.slug],
          ["id", value.id],
          ["created", timeInFull(session, value.created_at)],
          [
            "latest",
            value.latest_revision === 0
              ? "nothing is committed"
              : formatRevision({ ...value, revision: value.latest_revision }),
          ],
          ["forked from", value.forked_from === null ? UNKNOWN : formatRevision(value.forked_from)],
        ],
        session.terminal.paint,
      ),
    );
  });
}

function forkCommand(): Command {
  const command = new Command("fork")
    .description("Create a variant from a revision of another.")
    .argument(...APP)
    .addArgument(
      new Argument("<source>", "variant, or variant@revision").argParser(parseVariantRef),
    )
    .argument("<name>", "name of the new variant")
    .addOption(messageOption())
    .addHelpText("after", examples("agate variants fork support default@3 shorter"));
  return onPlatform<[string, VariantRef, string], { readonly message?: string }>(
    command,
    async ({ api, flags, show }, app, { variant, revision }, slug) => {
      const path = apiPath`/registry/applications/${app}/variants/${variant}/fork`;
      const document = await api.send<RegistryVariant>("POST", path, {
        slug,
        ...(revision !== null && { revision }),
        ...(flags.message !== undefined && { message: flags.message }),
      });
      show(document, ({ slug: made, forked_from: source }) => [
        printableLine(
          `Created ${made}@1${source === null ? "" : ` from ${formatRevision(source)}`}.`,
        ),
      ]);
    },
  );
}

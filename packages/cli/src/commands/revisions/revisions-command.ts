import type { ConfigDiff, ListedRevision, Revision } from "@agate/protocol";
import { UNKNOWN } from "@agate/protocol/format";
import { Argument, Command } from "commander";
import { apiPath } from "../../api-client/api-client.ts";
import { printableLine, printableText } from "../../terminal/printable.ts";
import { renderFields } from "../../terminal/table.ts";
import { commandGroup } from "../client/command-group.ts";
import { APP, examples, HEADINGS, VARIANT } from "../client/command-help.ts";
import { EXIT_CODES } from "../client/failures.ts";
import { onPlatform } from "../client/on-platform.ts";
import type { Page, PageFlags } from "../client/paged-list.ts";
import { cursorOption, limitOption, listLines, noteNextPage } from "../client/paged-list.ts";
import type { VariantRef } from "../client/revision-ref.ts";
import { formatRevision, parseVariantRef } from "../client/revision-ref.ts";
import { timeCell, timeInFull } from "../client/times.ts";
import { diffLines } from "../views/diff-view.ts";
import { commitCommand } from "./commit-command.ts";

/** `agate revisions`: the configurations of a variant, one after the other. */
export function revisionsCommand(): Command {
  return commandGroup({
    name: "revisions",
    description: "List revisions; show, commit, compare them.",
    heading: HEADINGS.registry,
    examples: [
      "agate revisions support default",
      "agate revisions commit support default --set /summarize.temperature=0.2 -m 'less wild'",
      "agate revisions diff support default@3 env:production",
    ],
    main: listCommand(),
    others: [showCommand(), commitCommand(), diffCommand()],
  });
}

function listCommand(): Command {
  const command = new Command("list")
    .description("List the revisions of a variant, newest first.")
    .argument(...APP)
    .argument(...VARIANT)
    .addOption(limitOption(20))
    .addOption(cursorOption());
  return onPlatform<[string, string], PageFlags>(command, async (session, app, variant) => {
    const { api, terminal, flags } = session;
    const path = apiPath`/registry/applications/${app}/variants/${variant}/revisions`;
    const { limit, cursor } = flags;
    const document = await api.get<Page<ListedRevision>>(path, { limit, cursor });
    session.show(document, ({ items }) =>
      listLines(
        terminal,
        [
          { title: "REVISION", align: "right" },
          { title: "COMMITTED" },
          { title: "BY", least: 8 },
          { title: "LIVE IN", least: 10 },
          { title: "MESSAGE", least: 8 },
        ],
        items.map((revision) => [
          String(revision.variant.revision),
          timeCell(session, revision.created_at),
          revision.created_by,
          { text: revision.environments.join(" ") || UNKNOWN, style: "green" },
          revision.message,
        ]),
        printableLine(`${variant} has no revisions. \`agate revisions commit\` makes the first.`),
      ),
    );
    if (!session.json) noteNextPage(terminal, document.value.next_cursor);
  });
}

function showCommand(): Command {
  const command = new Command("show")
    .description("Show a revision and its configuration.")
    .argument(...APP)
    .addArgument(
      new Argument("<revision>", "variant (its latest), or variant@revision").argParser(
        parseVariantRef,
      ),
    )
    .addHelpText(
      "after",
      examples(
        "agate revisions show support default",
        "agate revisions show support default@3 --json",
      ),
    );
  return onPlatform<[string, VariantRef]>(command, async (session, app, ref) => {
    const path = apiPath`/registry/applications/${app}/variants/${ref.variant}/revisions/${String(ref.revision ?? "latest")}`;
    const document = await session.api.get<Revision>(path);
    const { paint } = session.terminal;
    session.show(document, (revision) => [
      ...renderFields(
        [
          ["revision", formatRevision(revision.variant)],
          ["committed", `${timeInFull(session, revision.created_at)} by ${revision.created_by}`],
          ["message", revision.message],
          ["live in", revision.environments.join(" ") || UNKNOWN],
        ],
        paint,
      ),
      "",
      ...printableText(JSON.stringify(revision.params, null, 2)).split("\n"),
    ]);
  });
}

/** `agate revisions diff`: how two configurations differ. */
function diffCommand(): Command {
  const command = new Command("diff")
    .description("Compare two revisions, per route and field.")
    .argument(...APP)
    .argument("<from>", "variant, variant@revision, or env:environment for what is live there")
    .argument("<to>", "the same")
    .option("--exit-code", "exit with 1 if they differ")
    .addHelpText(
      "after",
      examples(
        "agate revisions diff support default@3 default",
        "agate revisions diff support env:production env:staging --exit-code",
      ),
    );
  return onPlatform<[string, string, string], { readonly exitCode?: boolean }>(
    command,
    async (session, app, from, to) => {
      const { api, terminal, flags } = session;
      const path = apiPath`/registry/applications/${app}/diff`;
      const document = await api.get<ConfigDiff>(path, { from, to });
      session.show(document, (diff) => diffLines(diff, terminal.paint));
      const differ = document.value.routes.length > 0;
      if (flags.exitCode && differ) session.process.exitCode = EXIT_CODES.failed;
    },
  );
}

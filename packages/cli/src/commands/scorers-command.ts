import type { ListedScorersRevision, ScorersRevision } from "@agate/protocol";
import { Argument, Command, InvalidArgumentError } from "commander";
import { type ApiClient, apiPath } from "../api-client/api-client.ts";
import { ApiFailure } from "../api-client/api-failure.ts";
import { printableLine, printableText } from "../terminal/printable.ts";
import { renderFields } from "../terminal/table.ts";
import { commandGroup } from "./client/command-group.ts";
import { APP, examples, HEADINGS } from "./client/command-help.ts";
import { onPlatform } from "./client/on-platform.ts";
import { messageOption, readObjectInput } from "./client/option-values.ts";
import type { Page, PageFlags } from "./client/paged-list.ts";
import { cursorOption, limitOption, listLines, noteNextPage } from "./client/paged-list.ts";
import { timeCell, timeInFull } from "./client/times.ts";
import { parseWholeNumber } from "./option-parsers.ts";

/** `agate scorers`: the configurations of an application's scorers. */
export function scorersCommand(): Command {
  return commandGroup({
    name: "scorers",
    description: "List configurations of scorers; show, commit them.",
    heading: HEADINGS.registry,
    examples: [
      "agate scorers support",
      "agate scorers commit support scorers.json -m 'a stricter rubric'",
    ],
    main: listCommand(),
    others: [showCommand(), commitCommand()],
  });
}

function listCommand(): Command {
  const command = new Command("list")
    .description("List the revisions of the scorers' configurations, newest first.")
    .argument(...APP)
    .addOption(limitOption(20))
    .addOption(cursorOption());
  return onPlatform<[string], PageFlags>(command, async (session, app) => {
    const { api, terminal, flags } = session;
    const path = apiPath`/registry/applications/${app}/scorers`;
    const { limit, cursor } = flags;
    const document = await api.get<Page<ListedScorersRevision>>(path, { limit, cursor });
    session.show(document, ({ items }) =>
      listLines(
        terminal,
        [
          { title: "REVISION", align: "right" },
          { title: "COMMITTED" },
          { title: "BY", least: 8 },
          { title: "MESSAGE", least: 8 },
        ],
        items.map((revision) => [
          String(revision.revision),
          timeCell(session, revision.created_at),
          revision.created_by,
          revision.message,
        ]),
        printableLine(
          `${app} has no configurations of scorers. \`agate scorers commit\` makes the first.`,
        ),
      ),
    );
    if (!session.json) noteNextPage(terminal, document.value.next_cursor);
  });
}

function showCommand(): Command {
  const command = new Command("show")
    .description("Show a revision and its configurations.")
    .argument(...APP)
    .addArgument(
      new Argument("[revision]", "number of the revision (default: the latest)").argParser(
        parseRevision,
      ),
    )
    .addHelpText("after", examples("agate scorers show support", "agate scorers show support 2"));
  return onPlatform<[string, number | undefined]>(command, async (session, app, revision) => {
    const path = apiPath`/registry/applications/${app}/scorers/${String(revision ?? "latest")}`;
    const document = await session.api.get<ScorersRevision>(path);
    session.show(document, (value) => [
      ...renderFields(
        [
          ["revision", String(value.revision)],
          ["committed", `${timeInFull(session, value.created_at)} by ${value.created_by}`],
          ["message", value.message],
        ],
        session.terminal.paint,
      ),
      "",
      ...printableText(JSON.stringify(value.configs, null, 2)).split("\n"),
    ]);
  });
}

interface CommitFlags {
  readonly base?: number;
  readonly message?: string;
}

function commitCommand(): Command {
  const command = new Command("commit")
    .description("Add a revision of the scorers' configurations.")
    .argument(...APP)
    .argument("<file>", "JSON file with a configuration for each scorer; - is standard input")
    .option(
      "--base <revision>",
      "fail if this is no longer the latest revision (default: the latest)",
      parseWholeNumber,
    )
    .addOption(messageOption())
    .addHelpText(
      "after",
      `
The file names scorers as their eval files declare them, and has the fields that differ
from the code's defaults: {"helpful": {"rubric": "Is the problem solved?"}}. Runs check
the values before their first call.
${examples("agate scorers commit support scorers.json -m 'a stricter rubric'")}`,
    );
  return onPlatform<[string, string], CommitFlags>(command, async (session, app, file) => {
    const { api, flags } = session;
    const configs = await readObjectInput(file, session.process);
    const document = await api.send<ScorersRevision>(
      "POST",
      apiPath`/registry/applications/${app}/scorers`,
      {
        configs,
        base_revision: flags.base ?? (await latestRevision(api, app)),
        ...(flags.message !== undefined && { message: flags.message }),
      },
    );
    session.show(document, ({ revision }) => [`Committed scorers@${revision}.`]);
  });
}

async function latestRevision(api: ApiClient, app: string): Promise<number> {
  try {
    const path = apiPath`/registry/applications/${app}/scorers/latest`;
    return (await api.get<ScorersRevision>(path)).value.revision;
  } catch (error) {
    const isFirst =
      error instanceof ApiFailure &&
      error.why.kind === "refused" &&
      error.why.detail.some(({ type }) => type === "revision_not_found");
    if (isFirst) return 0;
    throw error;
  }
}

function parseRevision(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Must be the number of a revision, such as 2.");
}

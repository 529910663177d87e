import type { TestRow, TestSet, TestSetRevision } from "@agate/protocol";
import { shownValue } from "@agate/protocol";
import { UNKNOWN } from "@agate/protocol/format";
import { Command } from "commander";
import { apiPath } from "../../api-client/api-client.ts";
import { printableLine } from "../../terminal/printable.ts";
import { commandGroup } from "../client/command-group.ts";
import { examples, HEADINGS } from "../client/command-help.ts";
import type { ConfirmFlags } from "../client/confirm.ts";
import { confirm, yesOption } from "../client/confirm.ts";
import { deleteCommand } from "../client/named-commands.ts";
import { onPlatform } from "../client/on-platform.ts";
import type { Items, Page, PageFlags } from "../client/paged-list.ts";
import { cursorOption, limitOption, listLines, noteNextPage } from "../client/paged-list.ts";
import { timeCell } from "../client/times.ts";
import { addCommand } from "./add-command.ts";
import { bindCommand } from "./bind-command.ts";
import { diffCommand } from "./diff-command.ts";
import { pullCommand } from "./pull-command.ts";
import { pushCommand } from "./push-command.ts";
import { SET, type TestSetAt, testSetArgument } from "./test-set-ref.ts";

/** `agate testsets`: the cases of a project. */
export function testsetsCommand(): Command {
  return commandGroup({
    name: "testsets",
    description: "List test sets; push, pull, add to, bind, show, compare, purge, delete them.",
    heading: HEADINGS.registry,
    examples: [
      "agate testsets",
      "agate testsets push golden.jsonl",
      "agate testsets pull golden@3 -o golden.jsonl",
    ],
    main: listCommand(),
    others: [
      pushCommand(),
      pullCommand(),
      addCommand(),
      bindCommand(),
      showCommand(),
      historyCommand(),
      diffCommand(),
      purgeCommand(),
      deleteCommand({
        description: "Delete a test set with its revisions and rows.",
        arguments: [SET],
        path: (set) => apiPath`/registry/testsets/${set}`,
        question: (set) => `Delete ${set} with all its revisions?`,
        example: "agate testsets delete golden",
      }),
    ],
  });
}

function listCommand(): Command {
  const command = new Command("list").description("List the test sets of the project.");
  return onPlatform(command, async (session) => {
    const document = await session.api.get<Items<TestSet>>(apiPath`/registry/testsets`);
    session.show(document, ({ items }) =>
      listLines(
        session.terminal,
        [
          { title: "TEST SET", least: 12 },
          { title: "REVISION", align: "right" },
          { title: "ROWS", align: "right" },
          { title: "ROUTE", least: 10 },
          { title: "DESCRIPTION", least: 12 },
        ],
        items.map(({ slug, latest_revision, rows, bound_to: route, description }) => [
          { text: slug, style: "bold" },
          latest_revision === 0 ? UNKNOWN : String(latest_revision),
          String(rows),
          route === null ? UNKNOWN : `${route.application} ${route.route}`,
          description,
        ]),
        "The project has no test sets. `agate testsets push FILE` makes one from a file.",
      ),
    );
  });
}

function showCommand(): Command {
  const command = new Command("show")
    .description("Show rows of a test set.")
    .addArgument(testSetArgument())
    .addOption(limitOption(20))
    .addOption(cursorOption())
    .addHelpText("after", examples("agate testsets show golden", "agate testsets show golden@3"));
  return onPlatform<[TestSetAt], PageFlags>(command, async (session, { name, revision }) => {
    const { limit, cursor } = session.flags;
    const path = apiPath`/registry/testsets/${name}/revisions/${revision}/rows`;
    const document = await session.api.get<Page<TestRow>>(path, { limit, cursor });
    session.show(document, ({ items }) =>
      listLines(
        session.terminal,
        [
          { title: "ROW", least: 8 },
          { title: "INPUTS", least: 20 },
          { title: "EXPECTED", least: 10 },
          { title: "TAGS", least: 6 },
        ],
        items.map((row) => [
          { text: row.id, style: "bold" },
          row.purged ? "purged" : shortJson(row.inputs),
          row.expected === undefined ? UNKNOWN : shortJson(row.expected),
          row.tags.length === 0 ? UNKNOWN : row.tags.join(", "),
        ]),
        `${printableLine(name)} has no rows there.`,
      ),
    );
    if (!session.json) noteNextPage(session.terminal, document.value.next_cursor);
  });
}

const LONGEST_CELL = 60;

/** On one line; `--json` prints all of it. */
function shortJson(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length > LONGEST_CELL ? `${json.slice(0, LONGEST_CELL)}…` : json;
}

function historyCommand(): Command {
  const command = new Command("history")
    .description("List the revisions of a test set, newest first.")
    .argument(...SET)
    .addOption(limitOption(20))
    .addOption(cursorOption())
    .addHelpText("after", examples("agate testsets history golden"));
  return onPlatform<[string], PageFlags>(command, async (session, set) => {
    const { limit, cursor } = session.flags;
    const path = apiPath`/registry/testsets/${set}/revisions`;
    const document = await session.api.get<Page<TestSetRevision>>(path, { limit, cursor });
    session.show(document, ({ items }) =>
      listLines(
        session.terminal,
        [
          { title: "REVISION", align: "right" },
          { title: "ROWS", align: "right" },
          { title: "CHANGES", least: 12 },
          { title: "BY", least: 6 },
          { title: "CREATED" },
          { title: "MESSAGE", least: 12 },
        ],
        items.map((revision) => [
          { text: String(revision.test_set.revision), style: "bold" },
          String(revision.rows),
          `+${revision.added} ~${revision.changed} -${revision.removed}`,
          revision.created_by,
          timeCell(session, revision.created_at),
          revision.message,
        ]),
        `${printableLine(set)} has no revision yet. \`agate testsets push FILE --name ${printableLine(set)}\` makes one.`,
      ),
    );
    if (!session.json) noteNextPage(session.terminal, document.value.next_cursor);
  });
}

function purgeCommand(): Command {
  const command = new Command("purge")
    .description("Delete the content of a row from all revisions. Its id stays.")
    .argument(...SET)
    .argument("<row>", "id of the row")
    .addOption(yesOption())
    .addHelpText("after", examples("agate testsets purge golden ticket-7"));
  return onPlatform<[string, string], ConfirmFlags>(command, async (session, set, row) => {
    const question = `Delete the content of ${shownValue(row)} from all revisions of ${set}? This can't be undone.`;
    await confirm(session, question);
    const path = apiPath`/registry/testsets/${set}/rows/${row}/purge`;
    const document = await session.api.send("POST", path);
    session.show(document, () => [printableLine(`Purged ${row} of ${set}.`)]);
  });
}

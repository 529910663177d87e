import type { RowDiff, TestSetDiff } from "@agate/protocol";
import { leafChanges, pathText } from "@agate/protocol";
import { Command } from "commander";
import { apiPath } from "../../api-client/api-client.ts";
import { printableLine } from "../../terminal/printable.ts";
import { examples } from "../client/command-help.ts";
import { onPlatform } from "../client/on-platform.ts";
import type { PageFlags } from "../client/paged-list.ts";
import { cursorOption, limitOption, noteNextPage } from "../client/paged-list.ts";
import { parseWholeNumber } from "../option-parsers.ts";
import { SET } from "./test-set-ref.ts";

const LONGEST_VALUE = 60;

/** `diff SET FROM TO` */
export function diffCommand(): Command {
  const command = new Command("diff")
    .description("Show the rows that differ between two revisions.")
    .argument(...SET)
    .argument("<from>", "number of the revision before", parseWholeNumber)
    .argument("<to>", "number of the revision after", parseWholeNumber)
    .addOption(limitOption(50))
    .addOption(cursorOption())
    .addHelpText("after", examples("agate testsets diff golden 2 3"));
  return onPlatform<[string, number, number], PageFlags>(
    command,
    async (session, set, from, to) => {
      const { limit, cursor } = session.flags;
      const path = apiPath`/registry/testsets/${set}/diff`;
      const document = await session.api.get<TestSetDiff>(path, { from, to, limit, cursor });
      session.show(document, ({ items, added, changed, removed }) => [
        `${added} added, ${changed} changed, ${removed} removed`,
        ...items.flatMap(rowLines),
      ]);
      if (!session.json) noteNextPage(session.terminal, document.value.next_cursor);
    },
  );
}

function rowLines(row: RowDiff): string[] {
  if (row.change === "added") return [`+ ${printableLine(row.id)}`];
  if (row.change === "removed") return [`- ${printableLine(row.id)}`];
  const changes = leafChanges(row.from, row.to).map(
    ({ path, from, to }) =>
      `    ${printableLine(`${pathText(path)}: ${shown(from)} → ${shown(to)}`)}`,
  );
  return [`~ ${printableLine(row.id)}`, ...changes];
}

function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? "(absent)";
  return json.length > LONGEST_VALUE ? `${json.slice(0, LONGEST_VALUE)}…` : json;
}

import { basename, extname } from "node:path";
import type { TestSet, TestSetCommit } from "@agate/protocol";
import { isSlug } from "@agate/protocol";
import { Command } from "commander";
import { apiPath } from "../../api-client/api-client.ts";
import { readJson } from "../../api-client/response-body.ts";
import { printableLine } from "../../terminal/printable.ts";
import { examples } from "../client/command-help.ts";
import { WrongUsage } from "../client/failures.ts";
import type { Session } from "../client/on-platform.ts";
import { onPlatform } from "../client/on-platform.ts";
import { messageOption, readInput } from "../client/option-values.ts";
import type { Items } from "../client/paged-list.ts";

interface PushFlags {
  readonly name?: string;
  readonly id?: string;
  readonly inputs?: string;
  readonly expected?: string;
  readonly message?: string;
}

const TYPES: Readonly<Record<string, string>> = {
  ".jsonl": "application/jsonl",
  ".ndjson": "application/jsonl",
  ".csv": "text/csv",
};

/** `push FILE` */
export function pushCommand(): Command {
  const command = new Command("push")
    .description(
      "Make the rows of a file the next revision of a test set, and create it if needed.",
    )
    .argument("<file>", "rows as .jsonl or .csv")
    .option("--name <set>", "test set (default: the name of the file)")
    .option("--id <column>", "CSV: column with the ids of the rows")
    .option("--inputs <columns>", "CSV: columns that are inputs, separated by commas")
    .option("--expected <columns>", "CSV: expected columns; one is the value itself")
    .addOption(messageOption())
    .addHelpText(
      "after",
      examples(
        "agate testsets push golden.jsonl",
        "agate testsets push tickets.csv --name golden --id key --inputs text --expected label",
      ),
    );
  return onPlatform<[string], PushFlags>(command, async (session, file) => {
    const type = TYPES[extname(file).toLowerCase()];
    if (type === undefined) throw new WrongUsage("the file must end with .jsonl or .csv");
    const name = session.flags.name ?? basename(file, extname(file)).toLowerCase();
    if (session.flags.name === undefined && !isSlug(name)) {
      throw new WrongUsage("the name of the file is no name of a test set: pass --name");
    }
    const content = await readInput(file, session.process.stdin);
    const { slug, latest_revision: base } = await findOrCreate(session, name);
    const { id, inputs, expected, message } = session.flags;
    const response = await session.api.open(apiPath`/registry/testsets/${slug}/import`, {
      method: "POST",
      query: { base_revision: base, id, inputs, expected, message },
      bytes: { content: new TextEncoder().encode(content), type },
      timeoutMs: null,
    });
    const document = await readJson<TestSetCommit>(response, session.api.connection.url);
    session.show(document, (commit) => [printableLine(commitLine(commit, base))]);
  });
}

/** The test set of this name or id; made where there is none. */
async function findOrCreate({ api }: Session<PushFlags>, name: string): Promise<TestSet> {
  const { value } = await api.get<Items<TestSet>>(apiPath`/registry/testsets`);
  const found = value.items.find(({ slug, id }) => slug === name || id === name);
  if (found !== undefined) return found;
  return (await api.send<TestSet>("POST", apiPath`/registry/testsets`, { slug: name })).value;
}

function commitLine(commit: TestSetCommit, base: number): string {
  const { test_set: set, added, changed, removed, moved, unchanged } = commit;
  if (set.revision === base) return `${set.slug}@${base} has these rows already: ${unchanged}.`;
  const others = moved > 0 ? `, ${moved} moved` : "";
  return `Committed ${set.slug}@${set.revision}: ${added} added, ${changed} changed, ${removed} removed${others}, ${unchanged} unchanged.`;
}

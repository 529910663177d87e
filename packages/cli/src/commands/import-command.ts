import { plural } from "@agate/protocol/format";
import { Argument, Command } from "commander";
import { ImportFailure, importExport } from "../importing/import-export.ts";
import type { ImportTally } from "../importing/import-tally.ts";
import type { Product } from "../importing/imported-row.ts";
import { langfuse } from "../importing/langfuse-product.ts";
import { phoenix } from "../importing/phoenix-product.ts";
import { printableLine } from "../terminal/printable.ts";
import { silentProgress, startProgress } from "../terminal/progress.ts";
import { examples, HEADINGS } from "./client/command-help.ts";
import { CommandFailure } from "./client/failures.ts";
import type { Session } from "./client/on-platform.ts";
import { onPlatform } from "./client/on-platform.ts";

const PRODUCTS: Readonly<Record<string, Product>> = { langfuse, phoenix };

/** `agate import`: traces and scores that another product has stored. */
export function importCommand(): Command {
  const product = new Argument("<product>", "product that wrote the files").choices(
    Object.keys(PRODUCTS),
  );
  const command = new Command("import")
    .description("Import traces and scores from exports of Langfuse or Phoenix.")
    .helpGroup(HEADINGS.observe)
    .addArgument(product)
    .argument("<files...>", "exports as JSON, JSONL or, of Langfuse, CSV; also gzipped")
    .addHelpText(
      "after",
      examples(
        "agate import langfuse observations.jsonl.gz scores.jsonl.gz",
        "agate import phoenix spans.jsonl annotations.jsonl",
      ),
    );
  return onPlatform<[string, string[]]>(command, async (session, name, files) => {
    const tally = await runImport(session, PRODUCTS[name] as Product, files);
    const value = documentOf(tally);
    session.show({ value, json: JSON.stringify(value) }, () => [summary(tally)]);
    if (!session.json) for (const line of skippedLines(tally)) session.terminal.note(line);
    if (tally.spans + tally.scores === 0) throw new CommandFailure("Nothing was imported.");
  });
}

async function runImport(
  { api, terminal, json }: Session<unknown>,
  product: Product,
  files: readonly string[],
): Promise<ImportTally> {
  const isShown = terminal.canAnimate && !json;
  using progress = isShown ? startProgress(terminal, "import".length) : silentProgress;
  progress.begin("import", "reading");
  const onProgress = (tally: ImportTally) => progress.update(summary(tally));
  try {
    const signal = new AbortController().signal;
    return await importExport({ api, product, files, signal, onProgress });
  } catch (error) {
    progress.failed();
    throw error instanceof ImportFailure ? new CommandFailure(error.message) : error;
  }
}

function summary({ spans, scores }: ImportTally): string {
  return `Imported ${plural(spans, "span")}${scores === 0 ? "" : ` and ${plural(scores, "score")}`}.`;
}

function skippedLines({ skipped }: ImportTally): string[] {
  return skipped.map(({ reason, count, first }) => {
    const where = first === null ? "" : ` (first: ${first.file}, row ${first.row})`;
    return printableLine(`Skipped ${count}: ${reason}${where}`);
  });
}

function documentOf({ spans, scores, skipped }: ImportTally) {
  return { spans, scores, skipped };
}

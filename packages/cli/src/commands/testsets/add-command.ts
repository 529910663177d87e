import type { AddedSpans } from "@agate/protocol";
import { plural } from "@agate/protocol/format";
import { Command } from "commander";
import { apiPath } from "../../api-client/api-client.ts";
import { printableLine } from "../../terminal/printable.ts";
import { examples } from "../client/command-help.ts";
import { WrongUsage } from "../client/failures.ts";
import { onPlatform } from "../client/on-platform.ts";
import { collect, messageOption } from "../client/option-values.ts";
import { SET } from "./test-set-ref.ts";

interface AddFlags {
  readonly trace: readonly string[];
  readonly span?: string;
  readonly withOutput?: boolean;
  readonly message?: string;
}

/** `add SET --trace ID` */
export function addCommand(): Command {
  const command = new Command("add")
    .description("Add recorded calls to a test set. Redacted and truncated ones are refused.")
    .argument(...SET)
    .requiredOption("--trace <id>", "trace whose call to add; may be repeated", collect)
    .option("--span <id>", "span of the trace (default: its top span)")
    .option("--with-output", "take the output as the expected value")
    .addOption(messageOption())
    .addHelpText(
      "after",
      examples(
        "agate testsets add golden --trace 0af7651916cd43dd8448eb211c80319c",
        "agate testsets add golden --trace 0af7651916cd43dd8448eb211c80319c --with-output",
      ),
    );
  return onPlatform<[string], AddFlags>(command, async (session, set) => {
    const { trace: traces, span: span_id, withOutput: with_output, message } = session.flags;
    if (span_id !== undefined && traces.length > 1) {
      throw new WrongUsage("--span needs exactly one --trace");
    }
    const spans = traces.map((trace_id) => ({ trace_id, span_id, with_output }));
    const path = apiPath`/registry/testsets/${set}/spans`;
    const document = await session.api.send<AddedSpans>("POST", path, { spans, message });
    session.show(document, (added) => [printableLine(addedLine(added))]);
  });
}

function addedLine({ test_set: { slug, revision }, added, skipped }: AddedSpans): string {
  if (added === 0) return `Nothing added: ${slug}@${revision} has rows with these inputs.`;
  const rest = skipped > 0 ? `, ${skipped} skipped: there are rows with their inputs` : "";
  return `Committed ${slug}@${revision}: ${plural(added, "row")} added${rest}.`;
}

import type { SpanRecord } from "@agate/protocol";
import { Command } from "commander";
import { apiPath } from "../../api-client/api-client.ts";
import { bodyText, readJson } from "../../api-client/response-body.ts";
import { examples, HEADINGS } from "../client/command-help.ts";
import { CommandFailure } from "../client/failures.ts";
import type { Session } from "../client/on-platform.ts";
import { jsonFor, onPlatform } from "../client/on-platform.ts";
import { parseWholeNumber } from "../option-parsers.ts";
import { spanDetails } from "./span-details.ts";
import { traceLines } from "./trace-view.ts";

interface TraceFlags {
  readonly depth?: number;
  readonly span?: string;
}

/** `agate trace`: one call as a tree. */
export function traceCommand(): Command {
  const command = new Command("trace")
    .description("Show a trace as a tree, with durations, tokens and cost.")
    .helpGroup(HEADINGS.observe)
    .argument("<id>", "id of the trace")
    .option("--depth <number>", "maximum depth of the tree", parseWholeNumber)
    .option("--span <id>", "show this span, its children and its recorded data")
    .addHelpText(
      "after",
      examples(
        "agate trace 0af7651916cd43dd8448eb211c80319c",
        "agate trace 0af7651916cd43dd8448eb211c80319c --span b7ad6b7169203331",
      ),
    );
  return onPlatform<[string], TraceFlags>(command, showTrace);
}

async function showTrace(session: Session<TraceFlags>, traceId: string): Promise<void> {
  const { api, terminal, flags, json, now } = session;
  const path =
    flags.span === undefined
      ? apiPath`/observability/traces/${traceId}/`
      : apiPath`/observability/spans/${flags.span}/`;
  const response = await api.open(path, { timeoutMs: null, signal: terminal.unread });
  const { url } = api.connection;
  if (json && flags.span === undefined) {
    // As it comes: it may be larger than one would like to hold.
    for await (const text of bodyText(response, url)) await terminal.write(jsonFor(terminal, text));
    terminal.print("");
    return;
  }
  const document = await readJson<SpanRecord>(response, url);
  const top = document.value;
  if (flags.span !== undefined && top.trace_id !== canonicalId(traceId)) {
    throw new CommandFailure(`Span ${flags.span} belongs to another trace: ${top.trace_id}.`);
  }
  session.show(document, function* () {
    const { paint, columns } = terminal;
    yield* traceLines(top, { paint, columns, now, depth: flags.depth ?? Number.POSITIVE_INFINITY });
    if (flags.span !== undefined) yield* spanDetails(top, paint);
  });
}

/** A dashed UUID, and hex in upper case, name the same trace as its 32 digits. */
function canonicalId(id: string): string {
  const digits = id.replaceAll("-", "");
  return /^[0-9a-f]{32}$/i.test(digits) ? digits.toLowerCase() : id;
}

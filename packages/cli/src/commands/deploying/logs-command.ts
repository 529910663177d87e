import type { LogLine } from "@agate/protocol";
import { Command } from "commander";
import { apiPath } from "../../api-client/api-path.ts";
import { bodyLines } from "../../api-client/response-body.ts";
import { printableText } from "../../terminal/printable.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { APP } from "../client/arguments.ts";
import { examples } from "../client/examples.ts";
import { HEADINGS } from "../client/headings.ts";
import { keepFollowing } from "../client/keep-following.ts";
import type { Session } from "../client/on-platform.ts";
import { jsonFor, onPlatform } from "../client/on-platform.ts";
import { formatTime } from "../client/times.ts";
import { parseWholeNumber } from "../option-parsers.ts";
import { SeenLines } from "./seen-lines.ts";

interface LogsFlags {
  readonly build?: number;
  readonly tail: number;
  readonly follow?: boolean;
}

/** `agate logs`: what the builds of an application print. */
export function logsCommand(): Command {
  const command = new Command("logs")
    .description(
      "Show what the builds of an application print, or the program that `agate dev` runs.",
    )
    .helpGroup(HEADINGS.deploy)
    .argument(...APP)
    .option("--build <number>", "only of this build; 0 is what `agate dev` runs", parseWholeNumber)
    .option("--tail <number>", "how many of the last lines", parseWholeNumber, 100)
    .option("-f, --follow", "go on with new lines until Ctrl-C; with --json a document a line")
    .addHelpText("after", examples("agate logs support", "agate logs support --follow --tail 10"));
  return onPlatform<[string], LogsFlags>(command, async (session, app) => {
    const seen = new SeenLines();
    if (!session.flags.follow) {
      await showLines(session, app, seen, () => {});
      return;
    }
    await keepFollowing(session.terminal, async (connected) => {
      // It begins with lines that the stream before it had.
      seen.reconnected();
      await showLines(session, app, seen, connected);
    });
  });
}

/** Until the stream ends or breaks. */
async function showLines(
  { api, terminal, flags, json }: Session<LogsFlags>,
  app: string,
  seen: SeenLines,
  connected: () => void,
): Promise<void> {
  const { url } = api.connection;
  const response = await api.open(apiPath`/registry/applications/${app}/logs`, {
    query: { build: flags.build, tail: flags.tail, follow: flags.follow ? "true" : undefined },
    accept: "application/x-ndjson",
    signal: terminal.unread,
  });
  connected();
  for await (const text of bodyLines(response, url)) {
    const line = JSON.parse(text) as LogLine;
    if (!seen.isNew(line)) continue;
    terminal.print(json ? jsonFor(terminal, text) : formatLine(line, terminal));
  }
}

function formatLine({ time, build, stream, line }: LogLine, { paint }: Terminal): string {
  const text = printableText(line).trimEnd();
  const shown = stream === "platform" ? paint("cyan", text) : text;
  const origin = build === 0 ? "dev" : `#${build}`;
  return `${paint("dim", `${formatTime(time)} ${origin}`)} ${shown}`;
}

import { Command } from "commander";
import { ApiFailure } from "../../api-client/api-failure.ts";
import { apiPath } from "../../api-client/api-path.ts";
import { bodyLines } from "../../api-client/body-stream.ts";
import { formatTime } from "../../terminal/figures.ts";
import { printableText } from "../../terminal/printable.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { APP } from "../client/arguments.ts";
import { examples } from "../client/examples.ts";
import { HEADINGS } from "../client/headings.ts";
import { parseWholeNumber } from "../client/option-values.ts";
import type { Session } from "../client/platform-command.ts";
import { jsonFor, onPlatform } from "../client/platform-command.ts";
import { waitToReconnect } from "../client/reconnect.ts";
import type { LogLine } from "./seen-lines.ts";
import { SeenLines } from "./seen-lines.ts";

interface LogsFlags {
  readonly build?: number;
  readonly tail: number;
  readonly follow?: boolean;
}

/** `agate logs`: what the builds of an application print. */
export function logsCommand(): Command {
  const command = new Command("logs")
    .description("Show what the builds of an application print.")
    .helpGroup(HEADINGS.deploy)
    .argument(...APP)
    .option("--build <number>", "only of this build", parseWholeNumber)
    .option("--tail <number>", "how many of the last lines", parseWholeNumber, 100)
    .option("-f, --follow", "go on with new lines until Ctrl-C; with --json a document a line")
    .addHelpText("after", examples("agate logs support", "agate logs support --follow --tail 10"));
  return onPlatform<[string], LogsFlags>(command, async (session, app) => {
    const seen = new SeenLines();
    await showLines(session, app, seen);
    if (!session.flags.follow) return;
    // The stream of a platform that is started anew ends: the log itself goes on.
    for (let attempt = 0; !session.terminal.unread.aborted; attempt++) {
      await waitToReconnect(session.terminal, attempt);
      seen.reconnected();
      try {
        if (await showLines(session, app, seen)) attempt = 0;
      } catch (error) {
        if (!(error instanceof ApiFailure) || error.why.kind === "refused") throw error;
      }
    }
  });
}

/** Until the stream ends. True when a line came. */
async function showLines(
  { api, terminal, flags, json }: Session<LogsFlags>,
  app: string,
  seen: SeenLines,
): Promise<boolean> {
  const response = await api.open(apiPath`/registry/applications/${app}/logs`, {
    query: { build: flags.build, tail: flags.tail, follow: flags.follow ? "true" : undefined },
    accept: "application/x-ndjson",
    signal: terminal.unread,
  });
  let any = false;
  try {
    for await (const text of bodyLines(response, api.connection.url)) {
      if (text === "") continue;
      const line = JSON.parse(text) as LogLine;
      if (!seen.isNew(line)) continue;
      any = true;
      terminal.print(json ? jsonFor(terminal, text) : formatLine(line, terminal));
    }
  } catch (error) {
    if (terminal.unread.aborted) return any;
    if (!flags.follow || !(error instanceof ApiFailure)) throw error;
  }
  return any;
}

function formatLine({ time, build, stream, line }: LogLine, { paint }: Terminal): string {
  const text = printableText(line).trimEnd();
  const shown = stream === "platform" ? paint("cyan", text) : text;
  return `${paint("dim", `${formatTime(time)} #${build}`)} ${shown}`;
}

import { DEV_BUILD, type LogLine } from "@agate/protocol";
import { Command } from "commander";
import { apiPath } from "../../api-client/api-client.ts";
import { bodyLines } from "../../api-client/response-body.ts";
import { printableLine, printableText } from "../../terminal/printable.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { APP, examples, HEADINGS } from "../client/command-help.ts";
import { keepFollowing } from "../client/keep-following.ts";
import type { Session } from "../client/on-platform.ts";
import { jsonFor, onPlatform } from "../client/on-platform.ts";
import { formatTime } from "../client/times.ts";
import { parseWholeNumber } from "../option-parsers.ts";

interface LogsFlags {
  readonly environment?: string;
  readonly build?: number;
  readonly tail: number;
  readonly follow?: boolean;
}

/** `agate logs`: what the builds of an application print. */
export function logsCommand(): Command {
  const command = new Command("logs")
    .description(
      "Show the output of an application's builds, or of the program that `agate dev` runs.",
    )
    .helpGroup(HEADINGS.deploy)
    .argument(...APP)
    .option("--environment <environment>", "only of this environment")
    .option("--build <number>", "only of this build; 0 is what `agate dev` runs", parseWholeNumber)
    .option("--tail <number>", "number of last lines", parseWholeNumber, 100)
    .option(
      "-f, --follow",
      "keep printing new lines until Ctrl-C; with --json one document per line",
    )
    .addHelpText(
      "after",
      examples("agate logs support --environment staging", "agate logs support --follow --tail 10"),
    );
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
  const { environment, build, tail } = flags;
  const response = await api.open(apiPath`/registry/applications/${app}/logs`, {
    query: { environment, build, tail, follow: flags.follow ? "true" : undefined },
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

function formatLine(
  { time, build, environment, stream, line }: LogLine,
  { paint }: Terminal,
): string {
  const text = printableText(line).trimEnd();
  const shown = stream === "platform" ? paint("cyan", text) : text;
  const origin =
    build === DEV_BUILD ? "dev" : printableLine(`${environment ?? ""} #${build}`.trim());
  return `${paint("dim", `${formatTime(time)} ${origin}`)} ${shown}`;
}

/**
 * Tells lines that were shown already from new ones, where a stream was lost and the last lines of
 * the log come again. Lines of the same time are counted: a program may say the same thing twice.
 */
export class SeenLines {
  #latest = "";
  #shownAtLatest = new Map<string, number>();
  /** While lines come again: how many of each. */
  #repeated: Map<string, number> | undefined;

  /** From now on lines may come a second time. */
  reconnected(): void {
    this.#repeated = new Map();
  }

  isNew({ time, build, environment, stream, line }: LogLine): boolean {
    if (time > this.#latest) {
      this.#latest = time;
      this.#shownAtLatest.clear();
      this.#repeated = undefined;
    }
    const identity = JSON.stringify([build, environment, stream, line]);
    if (this.#repeated !== undefined) {
      if (time < this.#latest) return false;
      const count = (this.#repeated.get(identity) ?? 0) + 1;
      this.#repeated.set(identity, count);
      if (count <= (this.#shownAtLatest.get(identity) ?? 0)) return false;
    }
    this.#shownAtLatest.set(identity, (this.#shownAtLatest.get(identity) ?? 0) + 1);
    return true;
  }
}

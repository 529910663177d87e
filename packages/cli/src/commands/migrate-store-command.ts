import { resolve } from "node:path";
import type { MigrationOutcome } from "@agate/platform/offline";
import { parseStoreAddress } from "@agate/platform/options";
import { plural } from "@agate/protocol/format";
import { Command, InvalidArgumentError } from "commander";
import type { Terminal } from "../terminal/terminal.ts";
import { examples, HEADINGS } from "./client/command-help.ts";
import { CommandFailure } from "./client/failures.ts";
import { jsonFor } from "./client/on-platform.ts";
import { readAddress } from "./database-options.ts";
import { onThisMachine } from "./on-this-machine.ts";
import { parseWholeNumber } from "./option-parsers.ts";
import { catchSignals } from "./stop-signals.ts";
import {
  differenceLines,
  moreLines,
  showMigration,
  silentMigration,
} from "./views/migration-view.ts";

interface MigrateFlags {
  readonly sample: number;
  readonly state: string;
  readonly restart?: true;
  readonly json?: true;
}

interface Session {
  readonly flags: MigrateFlags;
  readonly terminal: Terminal;
}

/** They are kept in memory and in the state's file. */
const LARGEST_SAMPLE = 100_000;

/** `agate migrate-store`: from one database to another. */
export function migrateStoreCommand(): Command {
  const command = new Command("migrate-store")
    .description("Copy all spans and scores from one store to another, and compare the two.")
    .helpGroup(HEADINGS.administer)
    .argument("<from>", "sqlite:FOLDER, postgres://…, clickhouse://…, or env:VARIABLE that has one")
    .argument("<to>", "the same; existing spans are kept")
    .option(
      "--sample <number>",
      "number of traces to compare byte by byte at the end",
      parseSample,
      1000,
    )
    .option(
      "--state <file>",
      "progress file, so that an interrupted run can resume",
      "agate-migration.json",
    )
    .option("--restart", "ignore the progress file and copy everything again")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      examples(
        "agate migrate-store sqlite:.agate postgres://agate:secret@db/agate",
        "AGATE_STORE=clickhouse://agate:secret@ch/agate agate migrate-store sqlite:.agate env:AGATE_STORE",
      ),
    );
  return onThisMachine(command, runMigration);
}

function parseSample(text: string): number {
  const size = parseWholeNumber(text);
  if (size > LARGEST_SAMPLE) {
    throw new InvalidArgumentError(`Must be ${LARGEST_SAMPLE} or less.`);
  }
  return size;
}

async function runMigration(session: Session, fromText: string, toText: string): Promise<void> {
  const { flags, terminal } = session;
  const from = readAddress("<from>", fromText, parseStoreAddress);
  const to = readAddress("<to>", toText, parseStoreAddress);
  const ended = new AbortController();
  const stopped = catchSignals(ended);
  // Not before: every other command starts without it.
  const { migrateStore } = await import("@agate/platform/offline");
  let outcome: MigrationOutcome;
  {
    using observer = flags.json ? silentMigration : showMigration(terminal);
    const { sample, state, restart = false } = flags;
    outcome = await migrateStore(
      { from, to, stateFile: resolve(state), restart, sampleSize: sample, signal: ended.signal },
      observer,
    );
    if (outcome.kind === "finished") observer.finished();
  }
  tell(session, outcome, stopped());
}

type Finished = Extract<MigrationOutcome, { kind: "finished" }>;

function tell(
  { flags, terminal }: Session,
  outcome: MigrationOutcome,
  signal: NodeJS.Signals | undefined,
): void {
  switch (outcome.kind) {
    case "interrupted":
      terminal.note("Stopped. Run the same command again to resume.");
      // Ends by the same signal, so that a script that runs the command stops too.
      process.kill(process.pid, signal);
      return;
    case "refused":
      throw new CommandFailure(outcome.reason);
    case "damaged":
      if (flags.json) {
        const found = { damaged_traces: [{ trace_id: outcome.traceId }] };
        terminal.print(jsonFor(terminal, JSON.stringify(found)));
      }
      throw new CommandFailure(
        `What is stored of ${outcome.traceId === null ? "a trace" : `the trace ${outcome.traceId}`} in the first store is damaged. Delete that trace or restore it from a backup, and run the same command again to resume.`,
      );
    case "broken-off":
      throw new CommandFailure(`${outcome.reason} Run the same command again to resume.`);
    case "finished": {
      const differences = differenceLines(outcome);
      if (flags.json) terminal.print(jsonFor(terminal, documentOf(outcome)));
      if (differences.length > 0) {
        throw new CommandFailure(
          "The stores are not equal. If a server still writes to the first one, stop it and run the same command again; otherwise run it with --restart.",
          differences,
        );
      }
      if (flags.json) return;
      for (const line of moreLines(outcome)) terminal.note(line);
      terminal.print(summary(outcome));
    }
  }
}

function summary({ copied, copiedScores, trees }: Finished): string {
  const scores = copiedScores === 0 ? "" : ` and ${plural(copiedScores, "score")}`;
  const done = `Copied ${plural(copied, "span")}${scores}.`;
  if (trees.compared === 0) return done;
  return `${done} Both stores answer the same for ${plural(trees.compared, "trace")} chosen at random.`;
}

function documentOf({ copied, copiedScores, counts, missing, trees }: Finished): string {
  return JSON.stringify({
    copied_spans: copied,
    copied_scores: copiedScores,
    projects: counts,
    missing_traces: missing.map(({ project, traceId }) => ({ project, trace_id: traceId })),
    compared_traces: trees.compared,
    differing_traces: trees.differing.map(({ project, traceId }) => ({
      project,
      trace_id: traceId,
    })),
  });
}

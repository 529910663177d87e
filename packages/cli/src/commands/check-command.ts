import { basename, resolve } from "node:path";
import type {
  CompactableFile,
  CompactedFile,
  DamagedTrace,
  FolderReport,
} from "@agate/platform/offline";
import { formatBytes, formatCount, plural } from "@agate/protocol/format";
import { Command, Option } from "commander";
import { printableLine } from "../terminal/printable.ts";
import { silentProgress, startProgress } from "../terminal/progress.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { asFailure } from "./backup-command.ts";
import { examples, HEADINGS } from "./client/command-help.ts";
import { CommandFailure } from "./client/failures.ts";
import { jsonFor } from "./client/on-platform.ts";
import { onThisMachine } from "./on-this-machine.ts";

interface CheckFlags {
  readonly dataDir: string;
  readonly repairIndex?: true;
  readonly compact?: true;
  readonly json?: true;
}

/** `agate check`: is everything in a data directory as it was written? */
export function checkCommand(): Command {
  const command = new Command("check")
    .description("Verify the checksums in a stopped server's data directory.")
    .helpGroup(HEADINGS.administer)
    .addOption(
      new Option("--data-dir <folder>", "the data directory to check").makeOptionMandatory(),
    )
    .option("--repair-index", "rebuild the indexes and trace summaries from the recorded spans")
    .option("--compact", "then, if nothing is damaged, rewrite the databases without free space")
    .option("--json", "print the result as JSON")
    .addHelpText(
      "after",
      examples(
        "agate check --data-dir .agate",
        "agate check --data-dir .agate --repair-index --json",
        "agate check --data-dir .agate --compact",
      ),
    );
  return onThisMachine(command, check);
}

async function check({ flags, terminal }: { flags: CheckFlags; terminal: Terminal }) {
  const { checkFolder, compactFolder } = await import("@agate/platform/offline");
  let report: FolderReport;
  let lines: readonly string[];
  let compacted: readonly CompactedFile[] = [];
  {
    const isShown = terminal.canAnimate && flags.json === undefined;
    using progress = isShown ? startProgress(terminal, "compact".length) : silentProgress;
    progress.begin("check");
    try {
      report = checkFolder(resolve(flags.dataDir), {
        repairIndex: flags.repairIndex === true,
        signal: new AbortController().signal,
        onProgress: (traces) => progress.update(plural(traces, "trace")),
      });
    } catch (error) {
      throw asFailure(error);
    }
    progress.done(plural(report.traces, "trace"));
    lines = problemLines(report);
    if (flags.compact && lines.length === 0) {
      progress.begin("compact");
      try {
        compacted = compactFolder(resolve(flags.dataDir));
      } catch (error) {
        throw asFailure(error);
      }
      progress.done();
    }
  }
  const compactable = compacted.length === 0 ? report.compactable : [];
  if (flags.json) {
    const result = documentOf(report, compacted, compactable);
    terminal.print(jsonFor(terminal, JSON.stringify(result)));
  }
  if (lines.length > 0) {
    throw new CommandFailure(adviceFor(report), lines);
  }
  if (flags.json) return;
  terminal.print(
    `No damage found: ${plural(report.traces, "trace")} in ${plural(report.segments, "segment")}.`,
  );
  if (report.withoutChecksum > 0) {
    terminal.note(
      `${formatCount(report.withoutChecksum)} of the segments are older than checksums: only their structure was checked.`,
    );
  }
  if (report.repaired) terminal.note("The indexes were rebuilt.");
  for (const { file, freeBytes } of compactable) {
    terminal.note(
      `${basename(file)} has ${formatBytes(freeBytes)} of free space. Run the command with --compact to give it back to the disk.`,
    );
  }
  for (const { file, bytesBefore, bytesAfter } of compacted) {
    terminal.note(
      `${basename(file)}: ${formatBytes(bytesBefore)} before, ${formatBytes(bytesAfter)} now.`,
    );
  }
}

function problemLines(report: FolderReport): string[] {
  const { damaged, listedWrongly, problems, indexProblems } = report;
  return [
    ...[...damaged, ...listedWrongly].map(({ traceId, project, reason }) =>
      printableLine(`Trace ${traceId} of the project ${project}: ${reason}.`),
    ),
    ...problems.map(printableLine),
    ...indexProblems.map(printableLine),
  ];
}

function adviceFor({ damaged, problems, repaired }: FolderReport): string {
  if (repaired) {
    return "Damage was found, and the indexes were rebuilt. Run it again to see what is left.";
  }
  if (damaged.length === 0 && problems.length === 0) {
    return "Lists or indexes do not fit the recorded spans, which are whole. Run the command again with --repair-index.";
  }
  return "The data is damaged. Restore a backup, or run the command with --repair-index and delete the traces that are still named.";
}

function documentOf(
  report: FolderReport,
  compacted: readonly CompactedFile[],
  compactable: readonly CompactableFile[],
) {
  return {
    traces: report.traces,
    segments: report.segments,
    segments_without_checksum: report.withoutChecksum,
    damaged_traces: report.damaged.map(traceDocument),
    wrongly_listed_traces: report.listedWrongly.map(traceDocument),
    problems: report.problems,
    index_problems: report.indexProblems,
    repaired_index: report.repaired,
    compacted_files: compacted.map(({ file, bytesBefore, bytesAfter }) => ({
      file,
      bytes_before: bytesBefore,
      bytes_after: bytesAfter,
    })),
    compactable_files: compactable.map(({ file, freeBytes }) => ({ file, free_bytes: freeBytes })),
  };
}

function traceDocument({ project, traceId, reason }: DamagedTrace) {
  return { project, trace_id: traceId, reason };
}

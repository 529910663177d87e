import { resolve } from "node:path";
import type { BackupManifest } from "@agate/platform/offline";
import { Command, Option } from "commander";
import { printableLine } from "../terminal/printable.ts";
import { silentProgress, startProgress } from "../terminal/progress.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { asFailure } from "./backup-command.ts";
import { examples, HEADINGS } from "./client/command-help.ts";
import { CommandFailure } from "./client/failures.ts";
import { jsonFor } from "./client/on-platform.ts";
import { onThisMachine } from "./on-this-machine.ts";
import { catchSignals } from "./stop-signals.ts";
import { backupLines, restoredDocument } from "./views/backup-view.ts";

interface RestoreFlags {
  readonly dataDir: string;
  readonly replace?: true;
  readonly json?: true;
}

interface Session {
  readonly flags: RestoreFlags;
  readonly terminal: Terminal;
}

/** `agate restore`: the opposite of `agate backup`. */
export function restoreCommand(): Command {
  const command = new Command("restore")
    .description("Restore a backup into the data directory of a stopped server.")
    .helpGroup(HEADINGS.administer)
    .argument("<backup>", "a file that `agate backup` wrote")
    .addOption(
      new Option(
        "--data-dir <folder>",
        "data directory; created if it does not exist",
      ).makeOptionMandatory(),
    )
    .option("--replace", "replace existing data in the folder")
    .option("--json", "print the result as JSON")
    .addHelpText("after", examples("agate restore agate.tar --data-dir .agate"));
  return onThisMachine(command, restore);
}

async function restore({ flags, terminal }: Session, backup: string): Promise<void> {
  const dataDirectory = resolve(flags.dataDir);
  const ended = new AbortController();
  const stopped = catchSignals(ended);
  const { restoreBackup } = await import("@agate/platform/offline");
  let manifest: BackupManifest;
  {
    const isShown = terminal.canAnimate && flags.json === undefined;
    using progress = isShown ? startProgress(terminal, "check".length) : silentProgress;
    try {
      manifest = await restoreBackup({
        backup: resolve(backup),
        dataDirectory,
        replace: flags.replace === true,
        signal: ended.signal,
        onStep: (step) => progress.begin(step),
      });
    } catch (error) {
      const signal = stopped();
      if (signal === undefined) throw missingFile(error) ?? asFailure(error);
      terminal.note("Stopped. Nothing was restored.");
      process.kill(process.pid, signal);
      return;
    }
    progress.done();
  }
  stopped();
  if (flags.json) {
    terminal.print(jsonFor(terminal, JSON.stringify(restoredDocument(dataDirectory, manifest))));
    return;
  }
  terminal.print(
    printableLine(`Restored the backup of ${manifest.created_at} to ${dataDirectory}.`),
  );
  for (const line of backupLines(manifest)) terminal.note(line);
}

function missingFile(error: unknown): CommandFailure | undefined {
  const { code, path } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return new CommandFailure(`File not found: ${path}.`);
  if (code === "EISDIR") return new CommandFailure("A backup is a file, not a folder.");
  return undefined;
}

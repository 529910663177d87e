import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { SavedBackup } from "@agate/platform/offline";
import { formatBytes } from "@agate/protocol/format";
import { Command } from "commander";
import { apiPath } from "../api-client/api-client.ts";
import { bodyBytes } from "../api-client/response-body.ts";
import { printableLine } from "../terminal/printable.ts";
import { silentProgress, startProgress } from "../terminal/progress.ts";
import { examples, HEADINGS } from "./client/command-help.ts";
import { CommandFailure, WrongUsage } from "./client/failures.ts";
import type { Session } from "./client/on-platform.ts";
import { onPlatform } from "./client/on-platform.ts";
import { catchSignals } from "./stop-signals.ts";
import { backupDocument, backupLines } from "./views/backup-view.ts";

interface BackupFlags {
  readonly dataDir?: string;
  readonly url?: string;
  readonly apiKey?: string;
}

/** `agate backup`: everything that a platform keeps in its data directory, in one file. */
export function backupCommand(): Command {
  const command = new Command("backup")
    .description("Back up the platform while it runs: spans, registry and builds, in one file.")
    .helpGroup(HEADINGS.administer)
    .argument("<file>", "a new file, or a folder to write a file named after the time to")
    .option("--data-dir <folder>", "back up a stopped server's data directory, without a platform")
    .addHelpText(
      "after",
      examples(
        "agate backup agate.tar",
        "AGATE_API_KEY=… agate backup /backups --url https://agate.example",
        "agate backup agate.tar --data-dir .agate",
      ),
    );
  return onPlatform<[string], BackupFlags>(command, backUp);
}

async function backUp(session: Session<BackupFlags>, file: string): Promise<void> {
  const { terminal, flags, json } = session;
  if (flags.dataDir !== undefined && (flags.url ?? flags.apiKey) !== undefined) {
    throw new WrongUsage(
      "with --data-dir no platform is asked: it takes no --url and no --api-key",
    );
  }
  const path = newFile(file);
  const ended = new AbortController();
  const stopped = catchSignals(ended);
  let saved: SavedBackup;
  {
    const isShown = terminal.canAnimate && !json;
    using progress = isShown ? startProgress(terminal, "backup".length) : silentProgress;
    progress.begin("backup", "copying the databases");
    const onProgress = (bytes: number) => progress.update(formatBytes(bytes));
    try {
      saved = await save(session, path, ended.signal, onProgress);
    } catch (error) {
      const signal = stopped();
      if (signal === undefined) throw asFailure(error);
      terminal.note("Stopped. No backup was written.");
      process.kill(process.pid, signal);
      return;
    }
    progress.done(formatBytes(saved.bytes));
  }
  stopped();
  const value = backupDocument(path, saved);
  session.show({ value, json: JSON.stringify(value) }, () => [
    printableLine(`Backed up to ${path} (${formatBytes(saved.bytes)}).`),
  ]);
  if (!json) for (const line of backupLines(saved.manifest)) terminal.note(line);
}

async function save(
  { api, flags }: Session<BackupFlags>,
  path: string,
  signal: AbortSignal,
  onProgress: (bytes: number) => void,
): Promise<SavedBackup> {
  // Loaded when it is needed: it opens databases, which other commands have nothing to do with.
  const { backUpFolder, saveBackup } = await import("@agate/platform/offline");
  if (flags.dataDir !== undefined) return backUpFolder(resolve(flags.dataDir), path, onProgress);
  const response = await api.open(apiPath`/backups`, {
    method: "POST",
    accept: "application/x-tar",
    timeoutMs: null,
    signal,
  });
  return saveBackup(bodyBytes(response, api.connection.url), path, onProgress);
}

function newFile(file: string): string {
  const path = resolve(file);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return path;
  if (!found.isDirectory()) {
    throw new CommandFailure(`${path} exists already. Name a new file: a backup replaces none.`);
  }
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const named = join(path, `agate-${time}.tar`);
  if (existsSync(named)) throw new CommandFailure(`${named} exists already. Try again.`);
  return named;
}

/** By their names: importing their classes would load the databases' code with every command. */
const EXPECTED_ERRORS = ["StoreRefusalError", "DamagedBackupError"];

/** An expected error of a backup as a failure of the command, whose message the user reads. */
export function asFailure(error: unknown): unknown {
  return error instanceof Error && EXPECTED_ERRORS.includes(error.name)
    ? new CommandFailure(error.message)
    : error;
}

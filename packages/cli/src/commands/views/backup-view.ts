import type { BackupManifest, SavedBackup } from "@agate/platform/offline";
import { printableLine } from "../../terminal/printable.ts";

export interface BackupDocument {
  readonly file: string;
  readonly bytes: number;
  readonly created_at: string;
  readonly spans: string;
  readonly registry: string;
  readonly builds: number;
  readonly lost_builds: readonly string[];
}

/** What `agate backup --json` prints. */
export function backupDocument(file: string, { manifest, bytes }: SavedBackup): BackupDocument {
  return { file, bytes, ...contentsOf(manifest) };
}

/** What `agate restore --json` prints. */
export function restoredDocument(dataDirectory: string, manifest: BackupManifest) {
  return { data_directory: dataDirectory, ...contentsOf(manifest) };
}

function contentsOf(manifest: BackupManifest) {
  const { created_at, spans, registry, lost_builds, files } = manifest;
  const builds = new Set(
    files.filter(({ path }) => path.startsWith("builds/")).map(({ path }) => path.split("/")[1]),
  );
  return { created_at, spans, registry, builds: builds.size, lost_builds };
}

/** What a backup does not hold, and what to do about it. */
export function backupLines({ spans, registry, lost_builds }: BackupManifest): string[] {
  const lines: string[] = [];
  if (spans === "elsewhere") {
    lines.push("Spans are not in it: back up the database that --store names with its own tools.");
  }
  if (registry === "elsewhere") {
    lines.push(
      "The registry is not in it: back up the database that --registry names with its own tools.",
    );
  }
  for (const id of lost_builds) {
    lines.push(
      printableLine(`The files of the live build ${id} are missing or damaged: deploy it again.`),
    );
  }
  return lines;
}

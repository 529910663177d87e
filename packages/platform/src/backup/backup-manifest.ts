/** The last entry of a backup. An archive without it was not written to its end. */
export const BACKUP_MANIFEST = "backup.json";

/** What a backup holds of the spans, or of the registry. */
export type BackupPart = "included" | "elsewhere";

export interface BackupFile {
  /** With slashes, relative to the data directory. */
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

/** A backup's description of itself: what a restore compares every byte with. */
export interface BackupManifest {
  readonly format: 1;
  readonly agate_version: string;
  readonly created_at: string;
  /** `elsewhere`: in a database that has tools of its own for this. */
  readonly spans: BackupPart;
  readonly registry: BackupPart;
  /** Live builds whose files were lost or damaged already when the backup was taken: ids. */
  readonly lost_builds: readonly string[];
  readonly files: readonly BackupFile[];
}

/** A file is one of these: an archive that names anything else is refused. */
const RESTORABLE = /^(?:spans\.db|registry\.db|builds\/[\w-]+\/[^\0]+)$/;

/** Reads a manifest; undefined where it is none, or names a file outside the data directory. */
export function parseBackupManifest(text: string): BackupManifest | undefined {
  let value: Partial<BackupManifest>;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (value?.format !== 1 || !isPart(value.spans) || !isPart(value.registry)) return undefined;
  if (typeof value.agate_version !== "string" || typeof value.created_at !== "string") {
    return undefined;
  }
  const { files, lost_builds } = value;
  if (!Array.isArray(files) || !files.every(isFile) || !Array.isArray(lost_builds)) {
    return undefined;
  }
  return value as BackupManifest;
}

function isPart(value: unknown): value is BackupPart {
  return value === "included" || value === "elsewhere";
}

function isFile(value: Partial<BackupFile> | null): value is BackupFile {
  return (
    typeof value?.path === "string" &&
    RESTORABLE.test(value.path) &&
    !value.path.split("/").some((part) => part === "" || part === "." || part === "..") &&
    Number.isSafeInteger(value.size) &&
    typeof value.sha256 === "string"
  );
}

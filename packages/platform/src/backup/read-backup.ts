import { createHash } from "node:crypto";
import type { ParsedTarEntry } from "modern-tar";
import { createTarDecoder } from "modern-tar";

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

/** The archive is no whole backup. The message names what is wrong with it. */
export class DamagedBackupError extends Error {
  override readonly name = "DamagedBackupError";
}

/** Far more than the manifest of ten thousand builds takes. */
const MOST_MANIFEST_BYTES = 256 * 1024 ** 2;

/** Takes an entry's content, and is told when it is over. */
export interface EntrySink {
  write(chunk: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

/**
 * Reads a backup to its end and compares every byte with its manifest.
 *
 * @param open Gives each file that is to be kept a place; undefined only checks it. Its path is not
 * to be trusted before the manifest has been compared.
 * @throws DamagedBackupError unless the archive is exactly what its manifest says.
 */
export async function readBackup(
  archive: AsyncIterable<Uint8Array>,
  open?: (path: string) => Promise<EntrySink>,
): Promise<BackupManifest> {
  const found: BackupFile[] = [];
  let manifest: BackupManifest | undefined;
  const entries = ReadableStream.from(archive).pipeThrough(createTarDecoder({ strict: true }));
  try {
    for await (const { header, body } of entries) {
      if (manifest !== undefined) throw damaged("it goes on after its manifest");
      if (header.name === BACKUP_MANIFEST) manifest = await readManifest(body);
      else found.push(await readFile(header.name, body, open));
    }
  } catch (error) {
    // The tar reader throws plain errors; those of the file system have a code.
    if (!(error instanceof Error) || error.name !== "Error" || "code" in error) throw error;
    throw damaged(error.message.replace(/\.$/, ""));
  }
  if (manifest === undefined) throw damaged("it ends before its manifest");
  compare(manifest, found);
  return manifest;
}

async function readFile(
  path: string,
  body: ParsedTarEntry["body"],
  open: ((path: string) => Promise<EntrySink>) | undefined,
): Promise<BackupFile> {
  const sink = await open?.(path);
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of body) {
    hash.update(chunk);
    size += chunk.length;
    await sink?.write(chunk);
  }
  await sink?.end();
  return { path, size, sha256: hash.digest("hex") };
}

async function readManifest(body: ParsedTarEntry["body"]): Promise<BackupManifest> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > MOST_MANIFEST_BYTES) throw damaged("its manifest is too large");
    chunks.push(chunk);
  }
  const manifest = parseBackupManifest(Buffer.concat(chunks).toString());
  if (manifest === undefined) throw damaged("its manifest is not one that this version knows");
  return manifest;
}

function compare(manifest: BackupManifest, found: readonly BackupFile[]): void {
  const expected = new Map(manifest.files.map((file) => [file.path, file]));
  for (const { path, size, sha256 } of found) {
    const file = expected.get(path);
    if (file === undefined) throw damaged(`its manifest does not name ${JSON.stringify(path)}`);
    if (file.size !== size || file.sha256 !== sha256) {
      throw damaged(`${path} has other bytes than were backed up`);
    }
    expected.delete(path);
  }
  for (const path of expected.keys()) throw damaged(`it lacks ${path}`);
}

function damaged(what: string): DamagedBackupError {
  return new DamagedBackupError(`The backup is damaged or incomplete: ${what}.`);
}

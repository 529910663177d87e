import { createHash } from "node:crypto";
import type { ParsedTarEntry } from "modern-tar";
import { createTarDecoder } from "modern-tar";
import type { BackupFile, BackupManifest } from "./backup-manifest.ts";
import { BACKUP_MANIFEST, parseBackupManifest } from "./backup-manifest.ts";

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

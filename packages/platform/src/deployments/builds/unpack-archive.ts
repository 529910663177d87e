import { createHash } from "node:crypto";
import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BuildFile, BuildManifest } from "@agate/protocol";
import { BUILD_MANIFEST_FILE } from "@agate/protocol";
import type { ParsedTarEntry } from "modern-tar";
import { archiveEntries, archiveFault, InvalidArchiveError } from "./archive-entries.ts";
import { readManifest } from "./read-manifest.ts";
import { syncFolder } from "./sync-folder.ts";

export type UnpackOutcome =
  | {
      readonly kind: "unpacked";
      readonly manifest: BuildManifest;
      /** Hex of the SHA-256 of the manifest's file. */
      readonly manifestHash: string;
    }
  /** One sentence for whoever sent it. */
  | { readonly kind: "invalid"; readonly reason: string };

/**
 * Unpacks a build (docs/reference/build-archive.md) into an empty folder and has it on disk when it
 * is done. Anything that is not exactly what the manifest says makes the whole of it invalid; the
 * folder is the caller's to remove then.
 */
export async function unpackArchive(
  archive: Uint8Array,
  folder: string,
  limits: { readonly mostUnpackedBytes: number },
): Promise<UnpackOutcome> {
  const { mostUnpackedBytes } = limits;
  try {
    const manifest = await readManifest(archiveEntries(archive, mostUnpackedBytes));
    const entries = archiveEntries(archive, mostUnpackedBytes);
    const manifestHash = await writeFiles(entries, manifest, folder);
    return { kind: "unpacked", manifest, manifestHash };
  } catch (error) {
    const reason = archiveFault(error);
    if (reason === undefined) throw error;
    return { kind: "invalid", reason };
  }
}

async function writeFiles(
  entries: AsyncIterable<ParsedTarEntry>,
  manifest: BuildManifest,
  folder: string,
): Promise<string> {
  const missing = new Map(manifest.files.map((file) => [file.path, file]));
  const folders = new Set([folder]);
  let manifestHash: string | undefined;
  for await (const { header, body } of entries) {
    const name = JSON.stringify(header.name);
    if (header.type !== "file") {
      throw new InvalidArchiveError(`${name} is a ${header.type}; a build has regular files only.`);
    }
    if (header.name === BUILD_MANIFEST_FILE) {
      if (manifestHash !== undefined) throw new InvalidArchiveError(`It has ${name} twice.`);
      ({ sha256: manifestHash } = await writeFile(join(folder, BUILD_MANIFEST_FILE), body));
      continue;
    }
    const file = missing.get(header.name);
    if (file === undefined) {
      const known = manifest.files.some(({ path }) => path === header.name);
      throw new InvalidArchiveError(
        known ? `It has ${name} twice.` : `It has ${name}, which the manifest does not name.`,
      );
    }
    missing.delete(header.name);
    await makeFolders(dirname(file.path), folder, folders);
    await writeChecked(file, folder, body);
  }
  for (const path of missing.keys()) {
    throw new InvalidArchiveError(`It lacks ${JSON.stringify(path)}, which the manifest names.`);
  }
  for (const made of folders) await syncFolder(made);
  // The manifest was found in the same archive before.
  if (manifestHash === undefined) throw new Error(`${BUILD_MANIFEST_FILE} is gone.`);
  return manifestHash;
}

async function makeFolders(path: string, root: string, made: Set<string>): Promise<void> {
  const folder = join(root, path);
  if (made.has(folder)) return;
  await mkdir(folder, { recursive: true });
  for (let each = folder; each !== root; each = dirname(each)) made.add(each);
}

async function writeChecked(file: BuildFile, folder: string, body: ParsedTarEntry["body"]) {
  const { size, sha256 } = await writeFile(join(folder, file.path), body);
  if (size !== file.size || sha256 !== file.sha256) {
    throw new InvalidArchiveError(
      `${JSON.stringify(file.path)} has other bytes than the manifest says: the archive was changed after it was packed.`,
    );
  }
}

async function writeFile(path: string, body: ParsedTarEntry["body"]) {
  const hash = createHash("sha256");
  let size = 0;
  // A file system that takes two names for the same must not have the second write over the first.
  await using file = await open(path, "wx", 0o644).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
    throw new InvalidArchiveError("It has two files whose names differ in case only.");
  });
  for await (const chunk of body) {
    hash.update(chunk);
    size += chunk.length;
    await file.writeFile(chunk);
  }
  await file.sync();
  return { size, sha256: hash.digest("hex") };
}

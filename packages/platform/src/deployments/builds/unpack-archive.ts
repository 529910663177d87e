import { createHash } from "node:crypto";
import { mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { BuildFile, BuildManifest } from "@agate/protocol";
import { BUILD_MANIFEST_FILE } from "@agate/protocol";
import type { ParsedTarEntry } from "modern-tar";
import { createTarDecoder } from "modern-tar";
import { syncFolder } from "./folder-contents.ts";

/** The archive is invalid. The message is shown to the client that sent it. */
class InvalidArchiveError extends Error {
  override readonly name = "InvalidArchiveError";
}

/**
 * The entries of a gzipped tar. The body of each must be read before the next. The limit is on the
 * unpacked bytes: a small gzip bomb unpacks to terabytes. Pass errors of the iteration and of the bodies
 * to {@link archiveFault}.
 */
function archiveEntries(
  archive: Uint8Array,
  mostUnpackedBytes: number,
): AsyncIterable<ParsedTarEntry> {
  const unpacked = Readable.from([archive]).pipe(createGunzip());
  return ReadableStream.from(limited(unpacked, mostUnpackedBytes)).pipeThrough(
    createTarDecoder({ strict: true }),
  );
}

async function* limited(stream: Readable, most: number): AsyncGenerator<Uint8Array, void> {
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > most) throw new InvalidArchiveError(`It unpacks to more than ${most} bytes.`);
    yield chunk;
  }
}

/** Why the archive is invalid, in one sentence; undefined for any other error. */
function archiveFault(error: unknown): string | undefined {
  if (error instanceof InvalidArchiveError) return error.message;
  // zlib and the tar reader throw plain errors. A file that cannot be written has a `syscall`.
  if (!(error instanceof Error) || error.name !== "Error" || "syscall" in error) return undefined;
  return `It is damaged: ${error.message.replace(/\.$/, "")}.`;
}

export type UnpackOutcome =
  | {
      readonly kind: "unpacked";
      readonly manifest: BuildManifest;
      /** Hex of the SHA-256 of the manifest's file. */
      readonly manifestHash: string;
    }
  /** `reason`: one sentence for the client that sent it. */
  | { readonly kind: "invalid"; readonly reason: string };

/**
 * Unpacks a build (docs/reference/build-archive.md) into an empty folder and syncs it to disk. An
 * archive that differs from its manifest in any way is invalid; the caller removes the folder then.
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

const LONGEST_MANIFEST = 4 * 1024 * 1024;
const MOST_FILES = 10_000;

/**
 * Finds the manifest among the entries and checks it, its paths above all: no other names than
 * those in it ever reach the file system.
 *
 * @throws InvalidArchiveError
 */
async function readManifest(entries: AsyncIterable<ParsedTarEntry>): Promise<BuildManifest> {
  for await (const { header, body } of entries) {
    if (header.name !== BUILD_MANIFEST_FILE) {
      await skip(body);
      continue;
    }
    if (header.size > LONGEST_MANIFEST) {
      throw new InvalidArchiveError(`${BUILD_MANIFEST_FILE} is larger than 4 MiB.`);
    }
    return await parseManifest(await new Response(body).text());
  }
  throw new InvalidArchiveError(
    `It has no ${BUILD_MANIFEST_FILE}. \`agate deploy\` and \`agate build\` make archives that have one.`,
  );
}

/** By reading it: cancelling a body that was read ahead stops modern-tar 0.8 at the next entry. */
async function skip(body: ParsedTarEntry["body"]): Promise<void> {
  await body.pipeTo(new WritableStream());
}

async function parseManifest(text: string): Promise<BuildManifest> {
  // Loaded late: it needs zod, which most servers do without.
  const { buildManifestSchema } = await import("@agate/protocol/schemas");
  const { data, error } = buildManifestSchema.safeParse(parseJson(text));
  if (error !== undefined) {
    const [issue] = error.issues;
    const place = issue?.path.join(".") ?? "";
    throw new InvalidArchiveError(
      `${BUILD_MANIFEST_FILE} is not as it should be: ${place === "" ? "" : `${place}: `}${issue?.message ?? error.message}.`,
    );
  }
  if (data.files.length > MOST_FILES) {
    throw new InvalidArchiveError(`It has more than ${MOST_FILES} files.`);
  }
  refuseClashes(data);
  return data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArchiveError(`${BUILD_MANIFEST_FILE} is not JSON.`);
  }
}

/** Refuses paths that cannot exist beside each other. */
function refuseClashes({ files, install }: BuildManifest): void {
  const paths = new Set(files.map(({ path }) => path));
  for (const path of paths) {
    for (let end = path.indexOf("/"); end >= 0; end = path.indexOf("/", end + 1)) {
      const folder = path.slice(0, end);
      if (paths.has(folder)) {
        throw new InvalidArchiveError(`${JSON.stringify(folder)} is both a file and a folder.`);
      }
    }
    if (install !== null && /^node_modules(?:\/|$)/.test(path)) {
      throw new InvalidArchiveError(
        `${JSON.stringify(path)} is where the packages are installed: leave it out.`,
      );
    }
  }
}

import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { BUILD_MANIFEST_FILE, type BuildManifest } from "@agate/protocol";
import { packTar } from "modern-tar/fs";

/**
 * Packs the files of a build's folder into an archive again, while it is sent: the files are never in
 * memory all at once. What was installed beside them is left out.
 */
export function streamArchive(
  folder: string,
  { files }: BuildManifest,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const paths = [BUILD_MANIFEST_FILE, ...files.map(({ path }) => path)];
  const header = { mode: 0o644, mtime: new Date(0), uid: 0, gid: 0 };
  const tar = packTar(
    paths.map((path) => ({ type: "file", source: join(folder, path), target: path, ...header })),
  );
  const zipped = createGzip();
  // A file that cannot be read breaks the iteration of the archive off.
  pipeline(tar, zipped, { signal }).catch(() => {});
  return zipped;
}

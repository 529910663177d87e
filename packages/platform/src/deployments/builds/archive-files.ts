import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { packTar } from "modern-tar";

/** The byte of a gzip header that names the system which made it; 255 names none. */
const SYSTEM_BYTE = 9;

/** A build's files as the archive that is uploaded: the same files give the same bytes. */
export async function archiveFiles(files: ReadonlyMap<string, Uint8Array>): Promise<Uint8Array> {
  const tar = await packTar(
    [...files].map(([name, body]) => ({
      header: { name, size: body.byteLength, mode: 0o644, mtime: new Date(0), uid: 0, gid: 0 },
      body,
    })),
  );
  const zipped = await promisify(gzip)(tar, { level: constants.Z_BEST_COMPRESSION });
  zipped[SYSTEM_BYTE] = 255;
  return zipped;
}

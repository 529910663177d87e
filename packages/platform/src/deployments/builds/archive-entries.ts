import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import type { ParsedTarEntry } from "modern-tar";
import { createTarDecoder } from "modern-tar";

/** The archive is not what it should be. The message is for whoever sent it. */
export class InvalidArchiveError extends Error {
  override readonly name = "InvalidArchiveError";
}

/**
 * The entries of a gzipped tar, one after the other; the body of each is to be read before the
 * next. A few bytes can unpack to terabytes, so that the limit is on what comes out. What is thrown
 * while reading, the bodies too, is for {@link archiveFault}.
 */
export function archiveEntries(
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

/** What is wrong with an archive, in a sentence; undefined for an error that is not the archive's. */
export function archiveFault(error: unknown): string | undefined {
  if (error instanceof InvalidArchiveError) return error.message;
  // zlib and the tar reader throw plain errors. A file that cannot be written has a `syscall`.
  if (!(error instanceof Error) || error.name !== "Error" || "syscall" in error) return undefined;
  return `It is damaged: ${error.message.replace(/\.$/, "")}.`;
}

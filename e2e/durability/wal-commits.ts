import { readFile } from "node:fs/promises";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/**
 * How many transactions a write-ahead log holds: frames that say how large the database is after
 * them end one. See https://www.sqlite.org/fileformat.html#the_write_ahead_log.
 */
export async function countCommits(walFile: string): Promise<number> {
  const wal = await readFile(walFile);
  const pageBytes = wal.readUInt32BE(8);
  const salts = wal.subarray(16, 24);
  let commits = 0;
  for (let at = HEADER_BYTES; at < wal.length; at += FRAME_HEADER_BYTES + pageBytes) {
    // What was left by an earlier use of the file has other salts.
    if (!wal.subarray(at + 8, at + 16).equals(salts)) break;
    if (wal.readUInt32BE(at + 4) > 0) commits++;
  }
  return commits;
}

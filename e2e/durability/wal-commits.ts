import { readFile } from "node:fs/promises";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** What a write-ahead log holds. */
export interface WalCommits {
  /** How often the log was begun again from its start, which SQLite does after a checkpoint of all of it. */
  readonly round: number;
  readonly commits: number;
}

/**
 * How many transactions a write-ahead log holds: frames that say how large the database is after
 * them end one. See https://www.sqlite.org/fileformat.html#the_write_ahead_log.
 */
export async function readCommits(walFile: string): Promise<WalCommits> {
  const wal = await readFile(walFile);
  const pageBytes = wal.readUInt32BE(8);
  const salts = wal.subarray(16, 24);
  let commits = 0;
  for (let at = HEADER_BYTES; at < wal.length; at += FRAME_HEADER_BYTES + pageBytes) {
    // What was left by an earlier use of the file has other salts.
    if (!wal.subarray(at + 8, at + 16).equals(salts)) break;
    if (wal.readUInt32BE(at + 4) > 0) commits++;
  }
  return { round: wal.readUInt32BE(12), commits };
}

/** How many transactions came between; where the log was begun again meanwhile, those since then. */
export function commitsBetween(before: WalCommits, after: WalCommits): number {
  return after.round === before.round ? after.commits - before.commits : after.commits;
}

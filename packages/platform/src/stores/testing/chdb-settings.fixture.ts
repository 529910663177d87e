import { mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MEMORY = "/dev/shm";
/** More than all tests write to one engine. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * One thread for a statement, and no expression compiled to machine code: the tables of tests have few rows,
 * and a compilation takes longer than all of their reads.
 */
export const CHDB_ARGUMENTS = [
  "--max_threads=1",
  "--compile_expressions=0",
  "--compile_aggregate_expressions=0",
  "--compile_sort_description=0",
] as const;

/**
 * A new folder for the engine, in memory where there is enough of it. Every insert waits until the disk has
 * a dozen files; these tests end processes and never the machine, so that memory keeps as much.
 */
export function chdbFolder(): string {
  return mkdtempSync(join(hasMemoryFolder() ? MEMORY : tmpdir(), "agate-clickhouse-"));
}

function hasMemoryFolder(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    // There is none on macOS.
    return false;
  }
}

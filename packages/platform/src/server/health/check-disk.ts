import { rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Where the probe is written. A file that a killed server has left is overwritten by the next probe. */
const PROBE = "readiness-probe.tmp";
const PROBE_BYTES = 64 * 1024;
/** A batch of spans and SQLite's log need room before the disk is full to the last byte. */
const LEAST_FREE_BYTES = 16 * 1024 ** 2;

/**
 * Rejects while a folder cannot be written to. Free space alone does not tell: a quota, a read-only or
 * a failing disk shows at a write.
 */
export async function checkDisk(
  folder: string,
  leastFreeBytes: number = LEAST_FREE_BYTES,
): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free < leastFreeBytes) throw new Error(`Only ${free} bytes are free.`);
  const file = join(folder, PROBE);
  try {
    await writeFile(file, Buffer.alloc(PROBE_BYTES), { mode: 0o600 });
  } finally {
    await rm(file, { force: true });
  }
}

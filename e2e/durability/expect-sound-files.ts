import { copyFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";

/**
 * What a killed server left behind must be databases without a fault. It is looked at in a copy:
 * opening the files themselves would repair what the server has to repair.
 */
export async function expectSoundFiles(dataDirectory: string): Promise<void> {
  const copy = await mkdtemp(join(tmpdir(), "agate-copy-"));
  try {
    for (const name of await readdir(dataDirectory)) {
      // Without the shared memory SQLite recovers from the log alone, as after a power cut.
      if (/\.db(-wal)?$/.test(name)) await copyFile(join(dataDirectory, name), join(copy, name));
    }
    expectSound(join(copy, "spans.db"));
    expectSound(
      join(copy, "index.db"),
      "INSERT INTO trace_words (trace_words) VALUES ('integrity-check')",
    );
  } finally {
    await rm(copy, { recursive: true });
  }
}

function expectSound(file: string, check = ""): void {
  using db = new DatabaseSync(file);
  expect(db.prepare("PRAGMA integrity_check").all(), file).toEqual([{ integrity_check: "ok" }]);
  db.exec(check);
}

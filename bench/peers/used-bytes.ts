import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/**
 * What the files of a folder take, of SQLite's the pages in use: a log of changes (`-wal`) is written back
 * sooner or later, and free pages are used again.
 */
export function usedBytes(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files
    .map(({ name, parentPath }) => {
      const file = join(parentPath, name);
      if (/\.db-(wal|shm|journal)$/.test(name)) return 0;
      return name.endsWith(".db") ? usedPages(file) : statSync(file).size;
    })
    .reduce((sum, bytes) => sum + bytes, 0);
}

function usedPages(file: string): number {
  using db = new DatabaseSync(file, { readOnly: true });
  const row = db
    .prepare(
      `SELECT (page_count - freelist_count) * page_size AS bytes
       FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
    )
    .get();
  return (row as { bytes: number }).bytes;
}

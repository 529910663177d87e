import { DatabaseSync } from "node:sqlite";
import { filesIn } from "./data-directory.ts";

/** A read-only connection to the spans, with the index attached as `derived`. */
export function openForReading(directory: string): DatabaseSync {
  const files = filesIn(directory);
  const db = new DatabaseSync(files.spans, { readOnly: true });
  // Mapped, a trace is copied once: from the page cache into the answer.
  db.exec("PRAGMA mmap_size = 2147483648; PRAGMA cache_size = -8192");
  db.prepare("ATTACH DATABASE ? AS derived").run(files.index);
  return db;
}

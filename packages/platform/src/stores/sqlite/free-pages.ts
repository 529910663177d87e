import type { DatabaseSync, StatementSync } from "node:sqlite";
import { sqliteCode } from "./sqlite-errors.ts";

/**
 * Free pages that a file keeps, so that what is written next does not make it grow again at once: a 64th of the
 * pages that are used, within these bounds.
 */
export const LEAST_KEPT_BYTES = 1024 * 1024;
export const MOST_KEPT_BYTES = 64 * 1024 * 1024;
const USED_TO_KEPT = 64;

/** How long one step takes, so that no batch waits long behind it, and how many pages it moves between two looks. */
const STEP_MS = 5;
const PAGES_AT_ONCE = 16;

/** What `PRAGMA auto_vacuum` answers. */
const INCREMENTAL = 2;

/** Up to this size, files of earlier versions are written anew when they are opened: some tenths of a second. */
export const VACUUMED_AT_START_BYTES = 32 * 1024 * 1024;

/** How many bytes of a file are free pages, and in use. */
export interface FileUse {
  readonly freeBytes: number;
  readonly usedBytes: number;
}

/**
 * Gives free pages of a database file back to the system. Pages at the end of the file take the places of free
 * ones, some at a time; the file itself is cut off when the write-ahead log is copied into it.
 */
export class FreePages {
  readonly #db: DatabaseSync;
  readonly #freePages: StatementSync;
  readonly #allPages: StatementSync;
  readonly #pageBytes: number;
  /** False for a file that an earlier version made. */
  readonly #canShrink: boolean;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#freePages = db.prepare("PRAGMA freelist_count");
    this.#allPages = db.prepare("PRAGMA page_count");
    this.#pageBytes = numberOf(db.prepare("PRAGMA page_size"));
    this.#canShrink = canShrink(db);
  }

  /** Whether the file has more free pages than it keeps, and can give them back. */
  get areToGive(): boolean {
    return this.#canShrink && this.#surplusPages() > 0;
  }

  /** Gives back some pages; must run inside a transaction. @returns False when there were none to give. */
  giveSome(): boolean {
    if (!this.areToGive) return false;
    const until = performance.now() + STEP_MS;
    do {
      const pages = Math.min(PAGES_AT_ONCE, this.#surplusPages());
      this.#db.exec(`PRAGMA incremental_vacuum(${pages})`);
    } while (this.areToGive && performance.now() < until);
    return true;
  }

  #surplusPages(): number {
    const free = numberOf(this.#freePages);
    const used = numberOf(this.#allPages) - free;
    return free - Math.ceil(keptBytes(used * this.#pageBytes) / this.#pageBytes);
  }
}

/** How many bytes of free pages a file keeps that uses so many. */
export function keptBytes(usedBytes: number): number {
  return Math.min(Math.max(usedBytes / USED_TO_KEPT, LEAST_KEPT_BYTES), MOST_KEPT_BYTES);
}

/**
 * Has a database without tables note which page points to which, so that its file can shrink. Of one that has some,
 * the next `VACUUM` makes such a database.
 */
export function letShrink(db: DatabaseSync): void {
  // SQLite would write to the file even if that changes nothing.
  if (!canShrink(db)) db.exec("PRAGMA auto_vacuum = INCREMENTAL");
}

/** Whether the file notes what it takes to shrink. */
export function canShrink(db: DatabaseSync): boolean {
  return numberOf(db.prepare("PRAGMA auto_vacuum")) === INCREMENTAL;
}

/** Has a small file of an earlier version shrink from now on; for a large one there is `agate check --compact`. */
export function makeSmallFileShrink(db: DatabaseSync): void {
  const { freeBytes, usedBytes } = fileUse(db);
  if (canShrink(db) || freeBytes + usedBytes > VACUUMED_AT_START_BYTES) return;
  try {
    letShrink(db);
    db.exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    // A full disk, or an index that does not fit its table: the file is as it was, and can be used.
    if (sqliteCode(error) === undefined) throw error;
  }
}

export function fileUse(db: DatabaseSync): FileUse {
  const [free, all, pageBytes] = ["freelist_count", "page_count", "page_size"].map((name) =>
    numberOf(db.prepare(`PRAGMA ${name}`)),
  ) as [number, number, number];
  return { freeBytes: free * pageBytes, usedBytes: (all - free) * pageBytes };
}

/** How many free bytes a file has that it does not give back by itself; 0 where they are no more than others keep. */
export function stuckBytes(db: DatabaseSync): number {
  const { freeBytes, usedBytes } = fileUse(db);
  return canShrink(db) || freeBytes <= keptBytes(usedBytes) ? 0 : freeBytes;
}

function numberOf(pragma: StatementSync): number {
  return Object.values(pragma.get() as Record<string, number>)[0] as number;
}

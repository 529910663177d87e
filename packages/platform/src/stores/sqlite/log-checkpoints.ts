import type { DatabaseSync } from "node:sqlite";
import { transientReason } from "./sqlite-errors.ts";

/** After this long without a write, the log is copied into the file: reads are slower with a long log. */
const QUIET_MS = 1_000;

export interface LogCheckpointsOptions {
  /** How long deleted content may stay in the log. */
  readonly eraseWithinMs: number;
  /** Called when deleted content is gone from the log. */
  readonly onErased: () => void;
}

/** How far a write-ahead log was copied into its database file. */
export interface LogCopy {
  /** Whether a reader kept the log from being emptied. */
  readonly isBlocked: boolean;
  /** Whether the file has all of the log, and is as long as what it holds. */
  readonly isWhole: boolean;
}

/** Copies the write-ahead log into the database file, as far as no reader needs what is there; `TRUNCATE` empties it, too. */
export function copyLog(db: DatabaseSync, mode: "PASSIVE" | "TRUNCATE"): LogCopy {
  const row = db.prepare(`PRAGMA wal_checkpoint(${mode})`).get();
  const { busy, log, checkpointed } = row as { busy: number; log: number; checkpointed: number };
  return { isBlocked: busy !== 0, isWhole: busy === 0 && log === checkpointed };
}

/**
 * Copies the write-ahead log into the database file when the writer is idle. After a deletion the log is
 * truncated too, because it contains the old pages.
 */
export class LogCheckpoints {
  readonly #db: DatabaseSync;
  readonly #options: LogCheckpointsOptions;
  #quiet: NodeJS.Timeout | undefined;
  /**
   * When the log must be truncated, because it may contain deleted content; undefined if it contains none.
   */
  #eraseAt: number | undefined;
  /** Whether the file is longer than what it holds, until the log is copied into it as a whole. */
  #isToShrink = false;

  constructor(db: DatabaseSync, options: LogCheckpointsOptions) {
    this.#db = db;
    this.#options = options;
  }

  /** To be called when rows were freed: the log contains their content from now on. */
  noteFreed(): void {
    this.#eraseAt ??= performance.now() + this.#options.eraseWithinMs;
  }

  /** Whether the log, or the file, may still contain deleted content. */
  get isEraseDue(): boolean {
    return this.#eraseAt !== undefined;
  }

  /** To be called when pages have left the end of the file, which is cut off by the next complete checkpoint. */
  noteShrunk(): void {
    this.#isToShrink = true;
  }

  /** Truncates the log at its deadline, even if the writer is not idle. */
  eraseInTime(): void {
    if (this.#eraseAt !== undefined && performance.now() >= this.#eraseAt) this.#checkpoint();
  }

  /** Copies the log into the file after a while, unless {@link cancel} is called before. */
  whenQuiet(): void {
    this.cancel();
    this.#quiet = setTimeout(() => this.#checkpoint(), QUIET_MS).unref();
  }

  cancel(): void {
    clearTimeout(this.#quiet);
  }

  /** If a reader blocks the truncation of the log, or of the file, it is retried. */
  #checkpoint(): void {
    try {
      const hasErased = this.#eraseAt !== undefined;
      const { isBlocked, isWhole } = copyLog(this.#db, hasErased ? "TRUNCATE" : "PASSIVE");
      if (isWhole) this.#isToShrink = false;
      if (!hasErased) {
        if (this.#isToShrink) this.whenQuiet();
        return;
      }
      if (isBlocked) {
        this.#eraseAt = performance.now() + QUIET_MS;
        this.whenQuiet();
        return;
      }
      this.#eraseAt = undefined;
      this.#options.onErased();
    } catch (error) {
      // Nothing is lost: the log stays, and a later commit retries.
      if (transientReason(error) === undefined) throw error;
      if (this.#eraseAt !== undefined) this.#eraseAt = performance.now() + QUIET_MS;
    }
  }
}

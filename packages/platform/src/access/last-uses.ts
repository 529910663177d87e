import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";

const MINUTE_MS = 60_000;
/** Long enough that the keys of many clients are written together. */
const SAVE_AFTER_MS = 30_000;
/** In a statement. Databases take some ten thousand values at most. */
const MOST_AT_ONCE = 1000;

export interface LastUsesOptions {
  readonly db: RegistryDatabase;
  /** No use is lost: the write is retried with the next one. */
  readonly onSaveFailed: (error: unknown) => void;
}

/** When each key was last used, to the minute. Requests record it in memory; it is written later. */
export class LastUses {
  readonly #options: LastUsesOptions;
  readonly #minutes = new Map<string, number>();
  readonly #unsaved = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LastUsesOptions) {
    this.#options = options;
  }

  /** @param now Milliseconds since 1970. */
  note(keyId: string, now: number): void {
    const minute = Math.floor(now / MINUTE_MS);
    if (this.#minutes.get(keyId) === minute) return;
    this.#minutes.set(keyId, minute);
    this.#unsaved.add(keyId);
    this.#timer ??= setTimeout(() => void this.save(), SAVE_AFTER_MS).unref();
  }

  /** As ISO 8601; null when it was not used since the start. */
  of(keyId: string): string | null {
    const minute = this.#minutes.get(keyId);
    return minute === undefined ? null : new Date(minute * MINUTE_MS).toISOString();
  }

  forget(keyId: string): void {
    this.#minutes.delete(keyId);
    this.#unsaved.delete(keyId);
  }

  /** Writes what was recorded so far. Never rejects. */
  async save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const ids = [...this.#unsaved];
    if (ids.length === 0) return;
    this.#unsaved.clear();
    try {
      await this.#options.db.transaction().execute(async (tx) => {
        for (const [last_used_at, group] of Map.groupBy(ids, (id) => this.of(id))) {
          for (let first = 0; first < group.length; first += MOST_AT_ONCE) {
            await tx
              .updateTable("api_keys")
              .set({ last_used_at })
              .where("id", "in", group.slice(first, first + MOST_AT_ONCE))
              // Another replica may know of a later use.
              .where(({ eb, or }) =>
                or([eb("last_used_at", "is", null), eb("last_used_at", "<", last_used_at)]),
              )
              .execute();
          }
        }
      });
    } catch (error) {
      for (const id of ids) this.#unsaved.add(id);
      this.#options.onSaveFailed(error);
    }
  }
}

import { sql } from "kysely";
import { PollLoop } from "../poll-loop.ts";
import type { RegistryDatabase } from "./registry-tables.ts";

/** Together with the statement timeout less than one second, within which a revoked key must be rejected. */
const EVERY_MS = 150;
/** After this long without an answer the database counts as unavailable. */
const LONGEST_SILENCE_MS = 5_000;

/** Polls for changes of projects, keys and sessions. */
export class AccessVersionPoll {
  readonly #db: RegistryDatabase;
  readonly #listeners = new Set<() => void>();
  readonly #loop: PollLoop;
  #known: string | undefined;
  #answeredAt = performance.now();

  /** @param db A connection with a short timeout: a stalled query must not delay the next one. */
  constructor(db: RegistryDatabase, everyMs: number = EVERY_MS) {
    this.#db = db;
    this.#loop = new PollLoop(async () => {
      // Not logged: requests that need the database report that it cannot be used.
      const isAnswered = await this.#ask().then(
        () => true,
        () => false,
      );
      if (isAnswered) this.#answeredAt = performance.now();
      return everyMs;
    });
  }

  /** Calls back after every change, of this process too. @returns Unsubscribes. */
  subscribe(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Rejects while the database does not answer. */
  async check(): Promise<void> {
    const silence = performance.now() - this.#answeredAt;
    if (silence > LONGEST_SILENCE_MS) {
      throw new Error(`The database has not answered for ${Math.round(silence / 1000)} s.`);
    }
  }

  close(): Promise<void> {
    return this.#loop.stop();
  }

  async #ask(): Promise<void> {
    const asked = sql<{ version: string }>`SELECT version::text FROM agate.access_version`;
    const { rows } = await asked.execute(this.#db);
    const version = rows[0]?.version;
    const isChanged = this.#known !== undefined && version !== this.#known;
    this.#known = version;
    if (isChanged) for (const listener of this.#listeners) listener();
  }
}

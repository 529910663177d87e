import { sql } from "kysely";
import { PollLoop } from "../poll-loop.ts";
import type { RegistryDatabase } from "./registry-tables.ts";

/** With the limit of an answer, less than the second in which a revoked key must be refused. */
const EVERY_MS = 150;
/** A database that has not answered for so long is taken for away. */
const LONGEST_SILENCE_MS = 5_000;

/** Asks again and again whether projects, keys or sessions have changed. */
export class AccessVersionPoll {
  readonly #db: RegistryDatabase;
  readonly #listeners = new Set<() => void>();
  readonly #loop: PollLoop;
  #known: string | undefined;
  #answeredAt = performance.now();

  /** @param db A connection that gives up soon: one that has stalled must not delay the next question. */
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

  /** Tells of every change, of this process too. Returns how to stop. */
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

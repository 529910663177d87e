import { setTimeout as pause } from "node:timers/promises";
import { StoreUnavailableError } from "../store-unavailable-error.ts";
import type { CaughtUp } from "./chores-api.ts";
import type { SpanDatabase } from "./span-database.ts";
import { indexSome } from "./span-indexer.ts";
import { summariseTraces } from "./summarise-traces.ts";
import { dropEmptyDays, freeSome } from "./trace-remover.ts";

/** So often it looks whether there is work, of any server. */
const POLL_MS = 500;
/** While callers wait for the index, and another server has some of it in hand. */
const POLL_OTHERS_MS = 20;
const DROP_DAYS_EVERY_MS = 60_000;
/** Where others read in a day for long: each try keeps all who come after it waiting for a moment. */
const LONGEST_BETWEEN_DROPS_MS = 16 * DROP_DAYS_EVERY_MS;
const STEPS_PER_ROUND = 20;

/**
 * What follows a commit without delaying it: texts are indexed, the summaries of large traces made,
 * deleted rows freed and days dropped. Every server does it, each another part; what one that died
 * had begun the others find undone.
 */
export class Chores {
  readonly #database: SpanDatabase;
  #closed = false;
  #running: Promise<boolean> | undefined;
  #wake = () => {};
  #nextDropAt = Number.NEGATIVE_INFINITY;
  #betweenDropsMs = DROP_DAYS_EVERY_MS;

  constructor(database: SpanDatabase) {
    this.#database = database;
  }

  /** Works, and looks for more, until it is closed. Rejects with what nobody expected. */
  async run(): Promise<void> {
    while (!this.#closed) {
      const round = this.#tryRound();
      this.#running = round;
      if (!(await round)) await this.#rest();
    }
  }

  /** There is work. */
  wake(): void {
    this.#wake();
  }

  /** Resolves when everything that was committed before this call is indexed. */
  async catchUp(): Promise<CaughtUp> {
    try {
      await this.#indexAll();
      return { kind: "caught-up" };
    } catch (error) {
      if (!(error instanceof StoreUnavailableError)) throw error;
      return { kind: "unavailable", reason: error.reason };
    }
  }

  async #indexAll(): Promise<void> {
    const [row] = await this.#database.query<{ last: number | null }>(
      "SELECT max(unindexed_no) AS last FROM agate.unindexed",
    );
    const last = row?.last ?? null;
    while (last !== null && !this.#closed) {
      if (await indexSome(this.#database)) continue;
      const rest = await this.#database.query(
        "SELECT FROM agate.unindexed WHERE unindexed_no <= $1 LIMIT 1",
        [last],
      );
      if (rest.length === 0) return;
      await pause(POLL_OTHERS_MS);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wake();
    await this.#running;
  }

  async #tryRound(): Promise<boolean> {
    try {
      return await this.#round();
    } catch (error) {
      // The next round tries again.
      if (!(error instanceof StoreUnavailableError)) throw error;
      return false;
    }
  }

  /** Some of each, as none may keep the others waiting. @returns True when there is more to do. */
  async #round(): Promise<boolean> {
    const hasTexts = await this.#steps(() => indexSome(this.#database));
    if (!this.#closed) await this.#summariseBehind();
    const hasDeleted = await this.#steps(() => freeSome(this.#database));
    if (!this.#closed && performance.now() >= this.#nextDropAt) await this.#dropDays();
    return hasTexts || hasDeleted;
  }

  async #dropDays(): Promise<void> {
    const between = this.#betweenDropsMs;
    // Before: where it fails, it is not tried again at once.
    this.#nextDropAt = performance.now() + between;
    this.#betweenDropsMs = Math.min(2 * between, LONGEST_BETWEEN_DROPS_MS);
    await dropEmptyDays(this.#database);
    this.#betweenDropsMs = DROP_DAYS_EVERY_MS;
  }

  async #steps(step: () => Promise<boolean>): Promise<boolean> {
    for (let n = 0; n < STEPS_PER_ROUND && !this.#closed; n++) if (!(await step())) return false;
    return true;
  }

  /** Makes the summaries of large traces that had grown since they were made. */
  async #summariseBehind(): Promise<void> {
    // Each once, by its number: one that goes on growing must not keep the others waiting.
    for (let after = 0; !this.#closed; ) {
      const next = await this.#database.transaction(async (transaction) => {
        const [trace] = await transaction.query<{ trace_no: number; day: number }>(
          `SELECT trace_no, day FROM agate.traces WHERE summarised < spans AND trace_no > $1
           ORDER BY trace_no LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED`,
          [after],
        );
        if (trace === undefined) return undefined;
        await summariseTraces(transaction, [{ traceNo: trace.trace_no, day: trace.day }]);
        return trace.trace_no;
      });
      if (next === undefined) return;
      after = next;
    }
  }

  async #rest(): Promise<void> {
    if (this.#closed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, POLL_MS);
    this.#wake = resolve;
    await promise;
    clearTimeout(timer);
  }
}

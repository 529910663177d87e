import { setTimeout as pause } from "node:timers/promises";
import type { MessagePort } from "node:worker_threads";
import { PollLoop } from "../poll-loop.ts";
import type { PostgresAddress } from "../store-address.ts";
import type { StoreTrouble } from "../store-errors.ts";
import { StoreUnavailableError } from "../store-errors.ts";
import type { ClosableApi } from "../store-thread.ts";
import { SummaryPacer } from "../summary/summary-pacer.ts";
import type { CompactionRule } from "./compact-segments.ts";
import { compactSome } from "./compact-segments.ts";
import type { SpanDatabase } from "./span-database.ts";
import { indexSome } from "./span-indexer.ts";
import { summariseNext } from "./summarise-traces.ts";
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
 * deleted rows freed, segments compacted and days dropped. Every server does it, each another part; what one that died
 * had begun the others find undone.
 */
export class Maintenance {
  readonly #database: SpanDatabase;
  readonly #onTrouble: (trouble: StoreTrouble) => void;
  readonly #summarising: PerTraceTask;
  readonly #pacer = new SummaryPacer();
  readonly #freeing: PerTraceTask;
  readonly #compacting: PerTraceTask;
  readonly #compaction: CompactionRule;
  /** What is known to be in trouble, and was told, by its sentence. */
  readonly #told = new Map<string, string>();
  #closed = false;
  #loop: PollLoop | undefined;
  #nextDropAt = Number.NEGATIVE_INFINITY;
  #betweenDropsMs = DROP_DAYS_EVERY_MS;

  /** @param onTrouble Told what it could not do. It goes on with the rest, and tries again later. */
  constructor(
    database: SpanDatabase,
    onTrouble: (trouble: StoreTrouble) => void,
    compaction: CompactionRule,
  ) {
    this.#compaction = compaction;
    this.#database = database;
    this.#onTrouble = onTrouble;
    this.#summarising = new PerTraceTask("There is no new summary", onTrouble);
    this.#freeing = new PerTraceTask("There was no freeing the space", onTrouble);
    this.#compacting = new PerTraceTask("There is no compaction", onTrouble);
  }

  /** Works, and polls for more work, until it is closed. */
  start(): void {
    this.#loop ??= new PollLoop(async () => ((await this.#round()) ? 0 : POLL_MS));
  }

  /** There is work. */
  wake(): void {
    this.#loop?.wake();
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
      if (await indexSome(this.#database, this.#onTrouble)) continue;
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
    await this.#loop?.stop();
  }

  /** Some of each, as none may keep the others waiting. @returns True when there is more to do. */
  async #round(): Promise<boolean> {
    const hasTexts = await this.#attempt("Texts could not be indexed.", () =>
      this.#steps(() => indexSome(this.#database, this.#onTrouble)),
    );
    await this.#attempt("Summaries could not be made.", () => this.#summariseBehind());
    const hasDeleted = await this.#attempt("Deleted traces could not be freed.", () =>
      this.#steps(() =>
        this.#freeing.step(
          (except, onTaken) => freeSome(this.#database, except, onTaken),
          () => true,
        ),
      ),
    );
    const hasSuperseded = await this.#attempt("Segments could not be compacted.", () =>
      this.#steps(() =>
        this.#compacting.step(
          (except, onTaken) => compactSome(this.#database, this.#compaction, except, onTaken),
          () => true,
        ),
      ),
    );
    if (performance.now() >= this.#nextDropAt) {
      await this.#attempt("Days could not be dropped.", () => this.#dropDays());
    }
    return hasTexts || hasDeleted || hasSuperseded;
  }

  /** @returns False also where it could not be done: the next round tries again. */
  async #attempt(what: string, work: () => Promise<boolean>): Promise<boolean> {
    if (this.#closed) return false;
    try {
      const result = await work();
      this.#told.delete(what);
      return result;
    } catch (error) {
      // Once: whoever drops a table or takes a right away is told, but not twice a second.
      const isNews = this.#told.get(what) !== String(error);
      if (!(error instanceof StoreUnavailableError) && isNews) {
        this.#told.set(what, String(error));
        this.#onTrouble({ what, error });
      }
      return false;
    }
  }

  async #dropDays(): Promise<boolean> {
    const between = this.#betweenDropsMs;
    // Before: where it fails, it is not tried again at once.
    this.#nextDropAt = performance.now() + between;
    this.#betweenDropsMs = Math.min(2 * between, LONGEST_BETWEEN_DROPS_MS);
    await dropEmptyDays(this.#database);
    this.#betweenDropsMs = DROP_DAYS_EVERY_MS;
    return false;
  }

  async #steps(step: () => Promise<boolean>): Promise<boolean> {
    for (let n = 0; n < STEPS_PER_ROUND && !this.#closed; n++) if (!(await step())) return false;
    return true;
  }

  /** Makes the summaries of large traces that had grown since they were made. */
  async #summariseBehind(): Promise<boolean> {
    // Each once, by its number: one that goes on growing must not keep the others waiting.
    for (let after = 0; !this.#closed; ) {
      const started = performance.now();
      const next = await this.#summarising.step<number | undefined>(
        (except, onTaken) =>
          summariseNext(this.#database, after, [...except, ...this.#pacer.resting()], onTaken),
        (traceNo) => traceNo,
      );
      if (next === undefined) break;
      this.#pacer.made(next, performance.now() - started);
      after = next;
    }
    return false;
  }
}

/** What the thread for chores offers. */
export interface MaintenanceApi extends ClosableApi {
  /** Begins; from then on it looks for work by itself. */
  start(): Promise<void>;
  /** There is something to free. */
  wake(): Promise<void>;
  /** Resolves when everything that was committed before can be found by its words. */
  catchUp(): Promise<CaughtUp>;
  close(): Promise<void>;
}

/** A value, since errors lose what they are on their way between threads. */
type CaughtUp =
  | { readonly kind: "caught-up" }
  | { readonly kind: "unavailable"; readonly reason: string };

export interface MaintenanceData {
  readonly address: PostgresAddress;
  /** Where a `StoreTrouble` is told. */
  readonly troubles: MessagePort;
  readonly compaction: CompactionRule;
}

/**
 * A chore that is done to one trace after the other. One that it cannot be done to is left alone until
 * the server is started anew, so that the others have their turn. It stays marked in the database.
 */
class PerTraceTask {
  readonly #what: string;
  readonly #onTrouble: (trouble: StoreTrouble) => void;
  readonly #leftAlone = new Set<number>();

  /** @param what Could not be done, as a sentence's beginning. */
  constructor(what: string, onTrouble: (trouble: StoreTrouble) => void) {
    this.#what = what;
    this.#onTrouble = onTrouble;
  }

  /**
   * Does one step of it.
   *
   * @param step Leaves some traces alone, and tells of the one that it takes in hand.
   * @param failed What becomes of a step that failed for the sake of its trace.
   */
  async step<Result>(
    step: (except: readonly number[], onTaken: (traceNo: number) => void) => Promise<Result>,
    failed: (traceNo: number) => Result,
  ): Promise<Result> {
    let taken: number | undefined;
    try {
      return await step([...this.#leftAlone], (traceNo) => {
        taken = traceNo;
      });
    } catch (error) {
      if (error instanceof StoreUnavailableError || taken === undefined) throw error;
      this.#leftAlone.add(taken);
      this.#onTrouble({ what: `${this.#what} of trace number ${taken}.`, error });
      return failed(taken);
    }
  }
}

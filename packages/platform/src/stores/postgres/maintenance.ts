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
import { analyseTables } from "./day-tables.ts";
import { IndexRest } from "./index-rest.ts";
import type { SpanDatabase } from "./span-database.ts";
import { SpanIndexer } from "./span-indexer.ts";
import { summariseNext } from "./summarise-traces.ts";
import { dropEmptyDays, freeSome } from "./trace-remover.ts";
import { dropEmptyZones, ZoneFiller } from "./zone-filler.ts";

/** How often it polls for work, of any server. */
const POLL_MS = 500;
/** How often it polls while callers wait for texts that another server is indexing. */
const POLL_OTHERS_MS = 20;
const DROP_DAYS_EVERY_MS = 60_000;
const ANALYSE_EVERY_MS = 5_000;
/** After failed attempts: each one briefly blocks every statement that comes after it. */
const LONGEST_BETWEEN_DROPS_MS = 16 * DROP_DAYS_EVERY_MS;
const STEPS_PER_ROUND = 20;

export interface MaintenanceOptions {
  readonly spansPerZone?: number | undefined;
  readonly indexRest?: IndexRest;
}

/**
 * Background work after commits: indexes texts, summarises large traces, makes zones, frees deleted rows, compacts
 * segments, drops empty days and has tables analysed that are new or have grown eight-fold. All servers share the work;
 * what a server that died has not finished the others take over.
 */
export class Maintenance {
  readonly #database: SpanDatabase;
  readonly #onTrouble: (trouble: StoreTrouble) => void;
  readonly #indexRest: IndexRest;
  readonly #indexer: SpanIndexer;
  readonly #summarising: PerTraceTask;
  readonly #pacer = new SummaryPacer();
  /** The last of this pass. Each is taken once, by its number: one that keeps growing must not delay the others. */
  #summarised = 0;
  readonly #zoneFiller: ZoneFiller;
  readonly #freeing: PerTraceTask;
  readonly #compacting: PerTraceTask;
  readonly #compaction: CompactionRule;
  /** The last error reported for each task, by its message. */
  readonly #told = new Map<string, string>();
  #closed = false;
  #loop: PollLoop | undefined;
  #nextDropAt = Number.NEGATIVE_INFINITY;
  #betweenDropsMs = DROP_DAYS_EVERY_MS;
  #nextAnalysisAt = Number.NEGATIVE_INFINITY;

  /** @param onTrouble Told of a task that failed. Other tasks go on, and the failed one is retried. */
  constructor(
    database: SpanDatabase,
    onTrouble: (trouble: StoreTrouble) => void,
    compaction: CompactionRule,
    { spansPerZone, indexRest = new IndexRest(database) }: MaintenanceOptions = {},
  ) {
    this.#compaction = compaction;
    this.#database = database;
    this.#indexRest = indexRest;
    this.#indexer = new SpanIndexer(database, onTrouble);
    this.#zoneFiller = new ZoneFiller(database, spansPerZone);
    this.#onTrouble = onTrouble;
    this.#summarising = new PerTraceTask("Could not make the summary", onTrouble);
    this.#freeing = new PerTraceTask("Could not free the rows", onTrouble);
    this.#compacting = new PerTraceTask("Could not compact the segments", onTrouble);
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
    const [last] = await this.#database.query<{ places: number; contents: number }>(
      `SELECT (SELECT coalesce(max(unindexed_no), 0) FROM agate.unindexed) AS places,
         (SELECT coalesce(max(unindexed_no), 0) FROM agate.unindexed_contents) AS contents`,
    );
    while (last !== undefined && !this.#closed) {
      if (await this.#indexer.indexSome()) continue;
      const rest = await this.#database.query(
        `SELECT WHERE EXISTS (SELECT FROM agate.unindexed WHERE unindexed_no <= $1)
           OR EXISTS (SELECT FROM agate.unindexed_contents WHERE unindexed_no <= $2)`,
        [last.places, last.contents],
      );
      if (rest.length === 0) return;
      await pause(POLL_OTHERS_MS);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#loop?.stop();
  }

  /** Some steps of each task, so that none delays the others. @returns True when there is more to do. */
  async #round(): Promise<boolean> {
    const hasTexts = await this.#attempt("Texts could not be indexed.", () =>
      this.#steps(async () => {
        const hasIndexed = await this.#indexSome();
        // In between, as lists without zones read all rows, and indexing may fall behind by minutes.
        if (hasIndexed) await this.#makeZones();
        return hasIndexed;
      }),
    );
    const hasZones = await this.#makeZones();
    const hasEarlier = await this.#attempt("Earlier traces could not be added to zones.", () =>
      this.#steps(() => this.#addEarlier()),
    );
    const hasSummaries = await this.#attempt("Summaries could not be made.", () =>
      this.#steps(() => this.#summariseOne()),
    );
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
      // An attempt of its own: one day on which a view of a user depends would keep the zones of all days.
      await this.#attempt("Zones could not be dropped.", () => this.#dropZones());
    }
    if (performance.now() >= this.#nextAnalysisAt) {
      this.#nextAnalysisAt = performance.now() + ANALYSE_EVERY_MS;
      await this.#attempt("Tables could not be analysed.", () => this.#analyse());
    }
    return hasTexts || hasSummaries || hasZones || hasEarlier || hasDeleted || hasSuperseded;
  }

  /** @returns False also after a failure: the next round retries. */
  async #attempt(what: string, work: () => Promise<boolean>): Promise<boolean> {
    if (this.#closed) return false;
    try {
      const result = await work();
      this.#told.delete(what);
      return result;
    } catch (error) {
      // Reported once, not at every poll, as after a dropped table or a revoked privilege.
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
    // Set before the attempt, so that a failure is not retried at once.
    this.#nextDropAt = performance.now() + between;
    this.#betweenDropsMs = Math.min(2 * between, LONGEST_BETWEEN_DROPS_MS);
    await dropEmptyDays(this.#database);
    this.#betweenDropsMs = DROP_DAYS_EVERY_MS;
    return false;
  }

  async #dropZones(): Promise<boolean> {
    await dropEmptyZones(this.#database);
    return false;
  }

  async #analyse(): Promise<boolean> {
    await analyseTables(this.#database);
    return false;
  }

  async #steps(step: () => Promise<boolean>): Promise<boolean> {
    for (let n = 0; n < STEPS_PER_ROUND && !this.#closed; n++) if (!(await step())) return false;
    return true;
  }

  #makeZones(): Promise<boolean> {
    return this.#attempt("Zones could not be made.", () =>
      this.#steps(() => this.#zoneFiller.fillSome()),
    );
  }

  /** Not while ingest is saturated: lists have done without these zones until now. @returns False when none is left. */
  async #addEarlier(): Promise<boolean> {
    if (await this.#indexRest.isResting()) return false;
    return this.#zoneFiller.fillEarlier();
  }

  /** @returns False when nothing is to be indexed, or not now. */
  async #indexSome(): Promise<boolean> {
    if (await this.#indexRest.isResting()) return false;
    const started = performance.now();
    const hasIndexed = await this.#indexer.indexSome();
    if (hasIndexed) this.#indexRest.worked(performance.now() - started);
    return hasIndexed;
  }

  /** Summarises a trace that has grown since its last summary. @returns False when there is none left. */
  async #summariseOne(): Promise<boolean> {
    const started = performance.now();
    const after = this.#summarised;
    const next = await this.#summarising.step<number | undefined>(
      (except, onTaken) =>
        summariseNext(this.#database, after, [...except, ...this.#pacer.resting()], onTaken),
      (traceNo) => traceNo,
    );
    this.#summarised = next ?? 0;
    if (next === undefined) return false;
    this.#pacer.made(next, performance.now() - started);
    return true;
  }
}

/** The API of the maintenance thread. */
export interface MaintenanceApi extends ClosableApi {
  /** Starts the maintenance loop. */
  start(): Promise<void>;
  /** There are deleted rows to free. */
  wake(): Promise<void>;
  /** Resolves when everything that was committed before can be found by its words. */
  catchUp(): Promise<CaughtUp>;
  close(): Promise<void>;
}

/** A value, because errors lose their class between threads. */
type CaughtUp =
  | { readonly kind: "caught-up" }
  | { readonly kind: "unavailable"; readonly reason: string };

export interface MaintenanceData {
  readonly address: PostgresAddress;
  /** Where a `StoreTrouble` is reported. */
  readonly troubles: MessagePort;
  readonly compaction: CompactionRule;
  readonly spansPerZone: number | undefined;
}

/**
 * A maintenance task that processes one trace after the other. A trace that fails is skipped until the
 * server restarts, so that the others are processed. It stays marked in the database.
 */
class PerTraceTask {
  readonly #what: string;
  readonly #onTrouble: (trouble: StoreTrouble) => void;
  readonly #leftAlone = new Set<number>();

  /** @param what What failed, as the beginning of a sentence. */
  constructor(what: string, onTrouble: (trouble: StoreTrouble) => void) {
    this.#what = what;
    this.#onTrouble = onTrouble;
  }

  /**
   * Processes one trace.
   *
   * @param step Skips the given traces, and calls back with the trace that it takes.
   * @param failed The result of a step that failed because of its trace.
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

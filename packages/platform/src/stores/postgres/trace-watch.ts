import { PollLoop } from "../poll-loop.ts";
import type { TraceChange, Watch } from "../span-store.ts";
import { StoreUnavailableError } from "../store-errors.ts";
import type { SqlRunner } from "./span-database.ts";

const POLL_MS = 250;
const NEXT_TRY_MS = 100;
/** Changes that are told at a time. */
const CHANGES_PER_READ = 1_000;

type Listener = (changes: readonly TraceChange[]) => void;

interface ChangedRow {
  readonly project: string;
  readonly trace_id: string;
  readonly changed: string;
  readonly trace_no: number;
  readonly is_new: boolean;
}

/**
 * Tells listeners of the commits of all servers, by polling while there are listeners. Each row names the
 * transaction that wrote it last; a round tells of the transactions that are visible in its snapshot of the
 * database and were not in the one before. So a commit that becomes visible late is told late, and none is
 * told twice.
 */
export class TraceWatch {
  readonly #database: SqlRunner;
  readonly #onFailure: (error: Error) => void;
  readonly #listeners = new Set<Listener>();
  /** Listeners that join with the next snapshot. */
  readonly #newcomers = new Map<Listener, () => void>();
  #loop: PollLoop | undefined;

  constructor(database: SqlRunner, onFailure: (error: Error) => void) {
    this.#database = database;
    this.#onFailure = onFailure;
  }

  watch(listener: Listener): Watch {
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    // A wrapper of its own, because the same function may be given twice.
    const own: Listener = (changes) => listener(changes);
    this.#newcomers.set(own, resolve);
    this.#loop ??= this.#start();
    this.#loop.wake();
    const stop = () => {
      this.#listeners.delete(own);
      this.#newcomers.delete(own);
      resolve();
      if (this.#listeners.size + this.#newcomers.size === 0) void this.#stop();
    };
    return { ready, stop };
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    this.#newcomers.clear();
    await this.#stop();
  }

  async #stop(): Promise<void> {
    const loop = this.#loop;
    this.#loop = undefined;
    await loop?.stop();
  }

  #start(): PollLoop {
    let before: string | undefined;
    return new PollLoop(async (signal) => {
      try {
        const joining = [...this.#newcomers];
        const now = await this.#takeSnapshot();
        if (signal.aborted) return "end";
        if (before !== undefined) await this.#tellBetween(before, now, signal);
        before = now;
        for (const [listener, isReady] of joining) {
          // Unless it has stopped meanwhile.
          if (this.#newcomers.delete(listener)) this.#listeners.add(listener);
          isReady();
        }
      } catch (error) {
        // The next round covers the time of this one.
        if (!(error instanceof StoreUnavailableError)) throw error;
      }
      const hasOnlyNewcomers = this.#newcomers.size > 0 && this.#listeners.size === 0;
      return hasOnlyNewcomers ? NEXT_TRY_MS : POLL_MS;
    }, this.#onFailure);
  }

  async #takeSnapshot(): Promise<string> {
    const [row] = await this.#database.query<{ snapshot: string }>(
      "SELECT pg_current_snapshot()::text AS snapshot",
    );
    return row?.snapshot ?? "";
  }

  async #tellBetween(before: string, now: string, signal: AbortSignal): Promise<void> {
    // Nothing was committed in between.
    if (before === now) return;
    // Not in the first snapshot are those that began after it and those that were under way. Reading
    // everything since the oldest open transaction would grow without limit while a client leaves a
    // transaction open.
    //
    // A trace that was made between the two may have been written to since the second: the row does not say
    // any more what the second saw. Were it left to the next round, it would not be new there.
    let last: { changed: string; traceNo: number } = { changed: "0", traceNo: 0 };
    for (;;) {
      const rows = await this.#database.query<ChangedRow>(
        `SELECT project, trace_id, trace_no, changed::text AS changed,
           NOT pg_visible_in_snapshot(created, $1::pg_snapshot) AS is_new
         FROM agate.traces
         WHERE (changed >= pg_snapshot_xmax($1::pg_snapshot)
             OR changed = ANY(ARRAY(SELECT pg_snapshot_xip($1::pg_snapshot))))
           AND (changed, trace_no) > ($3::xid8, $4)
           AND (pg_visible_in_snapshot(changed, $2::pg_snapshot)
             OR pg_visible_in_snapshot(created, $2::pg_snapshot)
               AND NOT pg_visible_in_snapshot(created, $1::pg_snapshot))
         ORDER BY changed, trace_no LIMIT ${CHANGES_PER_READ}`,
        [before, now, last.changed, last.traceNo],
        "changed-traces",
      );
      const changes = rows.map((row) => ({
        project: row.project,
        traceId: row.trace_id,
        isNew: row.is_new,
      }));
      if (signal.aborted) return;
      if (changes.length > 0) for (const listener of this.#listeners) listener(changes);
      const end = rows.at(-1);
      if (end === undefined || rows.length < CHANGES_PER_READ) return;
      last = { changed: end.changed, traceNo: end.trace_no };
    }
  }
}

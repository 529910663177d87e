import { PollLoop } from "../poll-loop.ts";
import type { TraceChange, Watch } from "../span-store.ts";
import { StoreUnavailableError } from "../store-errors.ts";
import type { ClickHouseSession } from "./clickhouse-session.ts";

const PAUSE_MS = 250;
/** A slow insert carries the time of its beginning, so rows up to this age may still appear. */
const OVERLAP_MS = 10_000;
/** Changes beyond this number in one round are dropped: a live view could not show them. */
const MOST_CHANGES = 10_000;

type Listener = (changes: readonly TraceChange[]) => void;

type ChangeRow = [project: string, traceId: string, version: string, firstVersion: number];

/** Polls for changed traces while there are listeners. */
export class ChangePoller {
  readonly #session: ClickHouseSession;
  readonly #onFailure: (error: Error) => void;
  readonly #listeners = new Set<Listener>();
  #running: { readonly ready: Promise<void>; readonly loop: PollLoop } | undefined;

  constructor(session: ClickHouseSession, onFailure: (error: Error) => void) {
    this.#session = session;
    this.#onFailure = onFailure;
  }

  watch(listener: Listener): Watch {
    this.#listeners.add(listener);
    this.#running ??= this.#start();
    return {
      ready: this.#running.ready,
      stop: () => {
        this.#listeners.delete(listener);
        if (this.#listeners.size === 0) this.close();
      },
    };
  }

  close(): void {
    this.#listeners.clear();
    void this.#running?.loop.stop();
    this.#running = undefined;
  }

  #start(): { readonly ready: Promise<void>; readonly loop: PollLoop } {
    const ready = Promise.withResolvers<void>();
    const memory = new ChangeMemory();
    let answered = performance.now();
    let isFirst = true;
    const round = async (signal: AbortSignal) => {
      try {
        const asked = performance.now();
        const window = OVERLAP_MS + asked - answered;
        const rows = await this.#changesOfLast(window);
        answered = asked;
        const changes = memory.take(rows, window, isFirst);
        if (isFirst) ready.resolve();
        else if (changes.length > 0 && !signal.aborted) {
          for (const listener of this.#listeners) listener(changes);
        }
        isFirst = false;
      } catch (error) {
        // The next round also asks for the time that this one missed.
        if (!(error instanceof StoreUnavailableError)) throw error;
      }
      return PAUSE_MS;
    };
    return { ready: ready.promise, loop: new PollLoop(round, this.#onFailure) };
  }

  #changesOfLast(milliseconds: number): Promise<ChangeRow[]> {
    const recent = "written > now64(6) - toIntervalMillisecond({window:UInt32})";
    return this.#session.rows<ChangeRow>(
      `SELECT project, trace_id, told, first FROM (
         SELECT project, trace_id, toString(version) AS told, first_version AS first, written
         FROM ${this.#session.table("traces")} WHERE ${recent} AND moved = 0
         UNION ALL
         SELECT project, trace_id, concat('score ', toString(version)), toUInt64(0), written
         FROM ${this.#session.table("scores")} WHERE ${recent}
       ) ORDER BY written DESC LIMIT ${MOST_CHANGES}`,
      { window: Math.ceil(milliseconds) },
    );
  }
}

/** The changes that listeners were told of: each round reads most of them again. */
class ChangeMemory {
  #known = new Map<string, Set<string>>();
  #since = Date.now();

  /**
   * The rows that are new. Rows of the first round were written before the first listener was added.
   *
   * @param window Of how many milliseconds they are.
   */
  take(rows: readonly ChangeRow[], window: number, isFirst: boolean): TraceChange[] {
    if (isFirst) this.#since = Date.now();
    const youngFrom = Math.max(this.#since, Date.now() - window) * 1_000;
    const changes: TraceChange[] = [];
    const seen = new Map<string, Set<string>>();
    // Oldest first.
    for (const [project, traceId, version, firstVersion] of rows.toReversed()) {
      // A trace that was deleted and written anew is another one: it has another first write.
      const key = `${traceId} ${project} ${firstVersion}`;
      const before = this.#known.get(key);
      const versions = seen.get(key) ?? new Set();
      if (!isFirst && !before?.has(version) && !versions.has(version)) {
        const isYoung = firstVersion >= youngFrom;
        const isNew = isYoung && before === undefined && versions.size === 0;
        changes.push({ project, traceId, isNew });
      }
      seen.set(key, versions.add(version));
    }
    this.#known = seen;
    return changes;
  }
}

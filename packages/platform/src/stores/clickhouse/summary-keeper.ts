import { CoalescedTask } from "../../coalesced-task.ts";
import { PollLoop } from "../poll-loop.ts";
import type { StoreTrouble } from "../store-errors.ts";
import { StoreUnavailableError } from "../store-errors.ts";
import type { ClickHouseSession } from "./clickhouse-session.ts";
import { deleteRows, SUMMARY_TABLES } from "./delete-rows.ts";
import { SummaryWriter } from "./summary-writer.ts";

const ROUND_MS = 60_000;
/** How far the first round looks back: a replica may have died up to this long ago. */
const LOOK_BACK_MS = 10 * 60_000;
/** Traces written more recently may still be being summarised by their writer. */
const SETTLED_MS = 5_000;
/** Traces in one step. */
const TRACES_PER_STEP = 100;

/**
 * Repairs summaries: those that a replica died before making, traces that two replicas listed at two places
 * at once, and summaries that were written while their trace was deleted. Every replica does this once a
 * minute for all traces.
 */
export class SummaryKeeper {
  readonly #session: ClickHouseSession;
  readonly #writer: SummaryWriter;
  readonly #onTrouble: (trouble: StoreTrouble) => void;
  /** Traces that could not be summarised: skipped until the next start. */
  readonly #leftAlone = new Set<string>();
  #since = Date.now() - LOOK_BACK_MS;
  readonly #loop: PollLoop;

  constructor(session: ClickHouseSession, onTrouble: (trouble: StoreTrouble) => void) {
    this.#session = session;
    this.#writer = new SummaryWriter(session);
    this.#onTrouble = onTrouble;
    this.#loop = new PollLoop((signal) => this.#round(signal));
  }

  close(): Promise<void> {
    return this.#loop.stop();
  }

  async #round(signal: AbortSignal): Promise<number> {
    const until = Date.now() - SETTLED_MS;
    try {
      let renewed = TRACES_PER_STEP;
      while (renewed === TRACES_PER_STEP && !signal.aborted) {
        renewed = await this.#renewSome(this.#since, until);
      }
      await this.#removeOrphans(this.#since, until);
      this.#since = until;
    } catch (error) {
      // The next round begins where this one did.
      if (!(error instanceof StoreUnavailableError)) {
        this.#onTrouble({ what: "Traces without a summary could not be looked up.", error });
      }
    }
    return ROUND_MS;
  }

  /** @returns How many traces had to be repaired. */
  async #renewSome(since: number, until: number): Promise<number> {
    const listed = `SELECT project, trace_id, start, toUInt64(bitShiftRight(max(version), 32)) AS newest
      FROM ${this.#session.table("traces_by_id")}
      WHERE (project, trace_id) IN (SELECT project, trace_id FROM recent)
      GROUP BY project, trace_id, start HAVING argMax(moved, (version, 1 - moved)) = 0`;
    const rows = await this.#session.rows<[string, string]>(
      `WITH
         recent AS (
           SELECT project, trace_id, max(version) AS newest FROM ${this.#session.table("commits")}
           WHERE version > {since:UInt64} AND version <= {until:UInt64} GROUP BY project, trace_id
         ),
         places AS (
           SELECT project, trace_id, max(newest) AS newest, count() AS places FROM (${listed})
           GROUP BY project, trace_id
         )
       SELECT project, trace_id FROM recent LEFT JOIN places USING (project, trace_id)
       WHERE (places.newest < recent.newest OR places > 1)
         AND trace_id NOT IN {leftAlone:Array(String)}
       LIMIT ${TRACES_PER_STEP}`,
      { since: since * 1_000, until: until * 1_000, leftAlone: [...this.#leftAlone] },
    );
    for (const [project, own] of Map.groupBy(rows, ([name]) => name)) {
      await this.#renew(
        project,
        own.map(([, traceId]) => traceId),
      );
    }
    return rows.length;
  }

  /** Deletes summaries that a writer made while their trace was deleted. */
  async #removeOrphans(since: number, until: number): Promise<void> {
    const rows = await this.#session.rows<[project: string, traceId: string]>(
      `WITH recent AS (
         SELECT project, trace_id FROM ${this.#session.table("traces_by_id")}
         WHERE written > fromUnixTimestamp64Milli({since:Int64})
           AND written <= fromUnixTimestamp64Milli({until:Int64})
       )
       SELECT DISTINCT project, trace_id FROM recent
       WHERE (project, trace_id) NOT IN (
         SELECT project, trace_id FROM ${this.#session.table("commits")}
         WHERE (project, trace_id) IN (SELECT project, trace_id FROM recent)
       )`,
      { since, until },
    );
    if (rows.length === 0) return;
    const traces = rows.map(([project, traceId]) => ({ project, traceId }));
    // A summary of a trace that was sent again since then is newer, and stays.
    await deleteRows(this.#session, SUMMARY_TABLES, traces, { upTo: until * 1_000 });
  }

  /** A trace that cannot be summarised must not stop the others. */
  async #renew(project: string, traceIds: readonly string[]): Promise<void> {
    try {
      await this.#writer.renew(project, traceIds);
    } catch (error) {
      const [first = "", ...others] = traceIds;
      if (error instanceof StoreUnavailableError) throw error;
      if (others.length > 0) {
        for (const traceId of traceIds) await this.#renew(project, [traceId]);
        return;
      }
      this.#leftAlone.add(first);
      this.#onTrouble({ what: `Trace ${first} could not be summarised.`, error });
    }
  }
}

/** After a pause this long, a large trace has probably ended. */
const PAUSE_MS = 1_000;
/** If writes never pause, summaries are made this long after the first missing write. */
const LONGEST_WAIT_MS = 5_000;

/** Large traces that have grown since their last summary; the next one is made when writes pause. */
export class SummaryBacklog {
  readonly #writer: SummaryWriter;
  readonly #onTrouble: (trouble: StoreTrouble) => void;
  #traces = new Map<string, Set<string>>();
  #timer: NodeJS.Timeout | undefined;
  /** When what waits must be made at the latest; undefined when nothing waits. */
  #deadline: number | undefined;
  readonly #work = new CoalescedTask(() => this.#makeAll());

  constructor(writer: SummaryWriter, onTrouble: (trouble: StoreTrouble) => void) {
    this.#writer = writer;
    this.#onTrouble = onTrouble;
  }

  add(project: string, traceIds: readonly string[]): void {
    if (traceIds.length === 0) return;
    const known = this.#traces.get(project) ?? new Set();
    for (const traceId of traceIds) known.add(traceId);
    this.#traces.set(project, known);
    this.#schedule();
  }

  /** {@link SummaryKeeper} finds what is left, on this server or another. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#traces.clear();
    await this.#work.idle();
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const now = performance.now();
    this.#deadline ??= now + LONGEST_WAIT_MS;
    const wait = Math.min(PAUSE_MS, Math.max(0, this.#deadline - now));
    this.#timer = setTimeout(() => void this.#work.run(), wait).unref();
  }

  async #renew(project: string, traceId: string): Promise<void> {
    try {
      await this.#writer.renew(project, [traceId]);
    } catch (error) {
      if (error instanceof StoreUnavailableError) this.add(project, [traceId]);
      else this.#onTrouble({ what: `Trace ${traceId} could not be summarised.`, error });
    }
  }

  async #makeAll(): Promise<void> {
    const traces = this.#traces;
    this.#traces = new Map();
    this.#deadline = undefined;
    for (const [project, traceIds] of traces) {
      // One at a time: each may be hundreds of thousands of spans.
      for (const traceId of traceIds) await this.#renew(project, traceId);
    }
  }
}

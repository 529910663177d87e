import type { ClickHouseSession } from "./clickhouse-session.ts";
import type { Condition } from "./filter-sql.ts";
import type { SpanWrite } from "./incoming-rows.ts";
import type { CommitInfo } from "./stored-summaries.ts";
import { summariesOf } from "./stored-summaries.ts";
import type { TraceSummary } from "./trace-summary.ts";
import {
  movedRow,
  SUMMARY_COLUMNS,
  summaryOf,
  summaryRow,
  summaryVersion,
} from "./trace-summary.ts";

/** Up to this many spans a trace's summary is made anew at every write that touches it. */
const ALWAYS_SUMMARISED = 2_000;
/** Beyond that, when it has grown by this factor, and once more when writing pauses. */
const GROWTH_BETWEEN_SUMMARIES = 1.25;

/** A start at which a trace is listed. */
interface ListedPlace {
  readonly traceId: string;
  readonly start: number;
  readonly spans: number;
}

/** Writes the summaries of traces after their spans were written. */
export class SummaryWriter {
  readonly #session: ClickHouseSession;

  constructor(session: ClickHouseSession) {
    this.#session = session;
  }

  /**
   * Brings the summaries of traces up to date that were just written to. Others may be writing to
   * the same traces: whoever looks last sees the spans of all, since each looks after its own write.
   *
   * @param written The spans of one project, by trace.
   * @returns Large traces whose summaries were left for later.
   */
  async follow(
    project: string,
    written: ReadonlyMap<string, readonly SpanWrite[]>,
  ): Promise<string[]> {
    const continued = await this.#continued(project, written);
    const known = new Set(continued.map(({ traceId }) => traceId));
    const fresh = [...written].filter(([traceId]) => !known.has(traceId));
    const places = await this.#placesOf(project, [...known]);
    const due = continued.filter(({ traceId, spans }) => {
      const summarised = Math.max(0, ...(places.get(traceId) ?? []).map((place) => place.spans));
      return spans <= ALWAYS_SUMMARISED || spans >= summarised * GROWTH_BETWEEN_SUMMARIES;
    });
    const summaries = [
      ...fresh.map(([, writes]) => summaryOf(writes)),
      ...(due.length === 0 ? [] : await summariesOf(this.#session, project, due)),
    ];
    await this.#insert(project, summaries, places);
    const made = new Set(due);
    return continued.filter((trace) => !made.has(trace)).map(({ traceId }) => traceId);
  }

  /** Makes summaries anew, whatever has been written since. */
  async renew(project: string, traceIds: readonly string[]): Promise<void> {
    const commits = await this.#commits(project, traceIds);
    const [summaries, places] = await Promise.all([
      summariesOf(this.#session, project, commits),
      this.#placesOf(project, traceIds),
    ]);
    await this.#insert(project, summaries, places);
  }

  /** Of the traces that were written to, those that others wrote to as well, or we before. */
  #continued(
    project: string,
    written: ReadonlyMap<string, readonly SpanWrite[]>,
  ): Promise<CommitInfo[]> {
    const own = new Set([...written.values()].flat().map(({ version }) => version));
    return this.#commits(project, [...written.keys()], {
      text: "countIf(version NOT IN {own:Array(UInt64)}) > 0",
      parameters: { own: [...own] },
    });
  }

  async #commits(
    project: string,
    traceIds: readonly string[],
    having: Condition = { text: "TRUE", parameters: {} },
  ): Promise<CommitInfo[]> {
    const rows = await this.#session.rows<[string, number, number, number]>(
      `SELECT trace_id, min(version), max(received), sum(spans) FROM ${this.#session.table("commits")}
       WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)}
       GROUP BY trace_id HAVING ${having.text}`,
      { project, traceIds, ...having.parameters },
    );
    return rows.map(([traceId, firstVersion, received, spans]) => ({
      traceId,
      firstVersion,
      received,
      spans,
    }));
  }

  /** Where traces are listed now, by trace id. */
  async #placesOf(
    project: string,
    traceIds: readonly string[],
  ): Promise<Map<string, ListedPlace[]>> {
    if (traceIds.length === 0) return new Map();
    const rows = await this.#session.rows<[string, number, number]>(
      `SELECT trace_id, start, argMax(spans, version) FROM ${this.#session.table("traces_by_id")}
       WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)}
       GROUP BY trace_id, start HAVING argMax(moved, (version, 1 - moved)) = 0`,
      { project, traceIds },
    );
    return Map.groupBy(
      rows.map(([traceId, start, spans]) => ({ traceId, start, spans })),
      ({ traceId }) => traceId,
    );
  }

  /** In one insert: no moment must show a trace at two places, or at none. */
  async #insert(
    project: string,
    summaries: readonly TraceSummary[],
    places: ReadonlyMap<string, readonly ListedPlace[]>,
  ): Promise<void> {
    const rows = summaries.flatMap((summary) => [
      summaryRow(project, summary),
      ...(places.get(summary.traceId) ?? [])
        .filter(({ start }) => start !== summary.start)
        .map((place) => movedRow(project, place, summaryVersion(summary), summary.received)),
    ]);
    await this.#session.insert("traces", SUMMARY_COLUMNS, rows);
  }
}

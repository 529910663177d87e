import { canDeferSummary } from "../summary/summary-pacer.ts";
import type { ClickHouseSession } from "./clickhouse-session.ts";
import { POINT_READ } from "./clickhouse-session.ts";
import { deleteRows, SUMMARY_TABLES } from "./delete-rows.ts";
import type { IncomingSpan } from "./incoming-span.ts";
import type { CommitInfo } from "./stored-summaries.ts";
import { summariesOf } from "./stored-summaries.ts";
import type { TraceSummary } from "./trace-summary.ts";
import { movedRow, SUMMARY_COLUMNS, summaryOf, summaryRow } from "./trace-summary.ts";

/** A top's record of up to so many bytes is stored with the summary. */
const SHORT_RECORD = 16 * 1024;

/** Spans that were just written, by trace. */
type Written = ReadonlyMap<string, readonly IncomingSpan[]>;

/** A start at which a trace is listed, and what that was made from. */
interface ListedPlace {
  readonly traceId: string;
  readonly start: number;
  readonly spans: number;
  readonly newest: number;
}

/** Writes the summaries of traces after their spans were written. */
export class SummaryWriter {
  readonly #session: ClickHouseSession;

  constructor(session: ClickHouseSession) {
    this.#session = session;
  }

  /**
   * Brings the summaries of traces up to date that were just written to. Other servers may write to the
   * same traces: each reads after its own write, so the last reader sees the spans of all.
   *
   * @param written The spans of one project.
   * @returns Large traces whose summaries were left for later.
   */
  async follow(project: string, written: Written): Promise<string[]> {
    const continued = await this.#continued(project, written);
    const known = new Set(continued.map(({ traceId }) => traceId));
    const fresh = [...written].filter(([traceId]) => !known.has(traceId));
    const places = await this.#placesOf(project, [...known]);
    const due = continued.filter(({ traceId, spans }) => {
      let summarised = 0;
      for (const place of places.get(traceId) ?? []) {
        summarised = Math.max(summarised, place.spans);
      }
      return !canDeferSummary({ spans, summarised });
    });
    const summaries = [
      ...fresh.map(([, writes]) => summaryOf(writes)),
      ...(due.length === 0 ? [] : await summariesOf(this.#session, project, due)),
    ];
    const left = await this.#leftPlaces(project, summaries, continued, places);
    await this.#insert(project, summaries, left, written);
    const made = new Set(due);
    return continued.filter((trace) => !made.has(trace)).map(({ traceId }) => traceId);
  }

  /**
   * Makes summaries anew from all that is stored. Making one of a large trace takes long: one whose
   * spans were deleted meanwhile is withdrawn, and made again from what was written since.
   */
  async renew(project: string, traceIds: readonly string[]): Promise<void> {
    let due = traceIds;
    while (due.length > 0) {
      const commits = await this.#commits(project, due);
      const [summaries, places] = await Promise.all([
        summariesOf(this.#session, project, commits),
        this.#placesOf(project, due),
      ]);
      const left = await this.#leftPlaces(project, summaries, commits, places);
      await this.#insert(project, summaries, left, new Map());
      due = await this.#withdrawDeleted(project, summaries);
    }
  }

  /**
   * {@link TraceRemover} deletes summaries once more after the last write has gone: one that was
   * inserted even later finds here that the writes it was made from have gone.
   *
   * @returns The traces whose summaries were withdrawn.
   */
  async #withdrawDeleted(project: string, summaries: readonly TraceSummary[]): Promise<string[]> {
    const traceIds = summaries.map(({ traceId }) => traceId);
    const commits = await this.#commits(project, traceIds);
    const firstVersions = new Map(commits.map((commit) => [commit.traceId, commit.firstVersion]));
    const deleted = summaries.filter(
      ({ traceId, firstVersion }) =>
        (firstVersions.get(traceId) ?? Number.POSITIVE_INFINITY) > firstVersion,
    );
    if (deleted.length === 0) return [];
    await deleteRows(
      this.#session,
      SUMMARY_TABLES,
      deleted.map(({ traceId }) => ({ project, traceId })),
    );
    return deleted.map(({ traceId }) => traceId);
  }

  /** The traces among these that have earlier writes, or writes of other servers. */
  #continued(project: string, written: Written): Promise<CommitInfo[]> {
    const own = new Set([...written.values()].flat().map(({ version }) => version));
    return this.#commits(project, [...written.keys()], [...own]);
  }

  /** The traces that have writes beside our own. */
  async #commits(
    project: string,
    traceIds: readonly string[],
    own: readonly number[] = [],
  ): Promise<CommitInfo[]> {
    const isOther = "version NOT IN {own:Array(UInt64)}";
    const rows = await this.#session.rows<[string, number, number, number, number, number]>(
      `SELECT trace_id, min(version), max(received), sum(spans),
         maxIf(version, ${isOther}) AS others_newest, sumIf(spans, ${isOther})
       FROM ${this.#session.table("commits")}
       WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)}
       GROUP BY trace_id HAVING others_newest > 0`,
      { project, traceIds, own },
      POINT_READ,
    );
    return rows.map(([traceId, firstVersion, received, spans, newest, othersSpans]) => ({
      traceId,
      firstVersion,
      received,
      spans,
      others: { newest, spans: othersSpans },
    }));
  }

  /** Where traces are listed now, by trace id. */
  async #placesOf(
    project: string,
    traceIds: readonly string[],
  ): Promise<Map<string, ListedPlace[]>> {
    if (traceIds.length === 0) return new Map();
    const rows = await this.#session.rows<[string, number, number, number]>(
      `SELECT trace_id, start, argMax(spans, version), toUInt64(bitShiftRight(max(version), 32))
       FROM ${this.#session.table("traces_by_id")}
       WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)}
       GROUP BY trace_id, start HAVING argMax(moved, (version, 1 - moved)) = 0`,
      { project, traceIds },
    );
    return Map.groupBy(
      rows.map(([traceId, start, spans, newest]) => ({ traceId, start, spans, newest })),
      ({ traceId }) => traceId,
    );
  }

  /**
   * The starts at which traces are listed, or will be: the server that wrote spans which no summary has
   * seen may be about to list the trace by those alone, and would do so after this one.
   */
  async #leftPlaces(
    project: string,
    summaries: readonly TraceSummary[],
    commits: readonly CommitInfo[],
    places: ReadonlyMap<string, readonly ListedPlace[]>,
  ): Promise<Map<string, Set<number>>> {
    const made = new Set(summaries.map(({ traceId }) => traceId));
    const expected = commits.filter(
      ({ traceId, others }) =>
        made.has(traceId) &&
        !places
          .get(traceId)
          ?.some(({ newest, spans }) => newest >= others.newest && spans >= others.spans),
    );
    const starts = await this.#possibleStarts(
      project,
      expected.map(({ traceId }) => traceId),
    );
    for (const [traceId, listed] of places) {
      const known = starts.get(traceId) ?? new Set();
      starts.set(traceId, known);
      for (const { start } of listed) known.add(start);
    }
    return starts;
  }

  /**
   * The starts of spans that may be a top while others are missing: their parent came in another write.
   * Rows of earlier writes count, too: a span that was sent again may have had another start before.
   */
  async #possibleStarts(
    project: string,
    traceIds: readonly string[],
  ): Promise<Map<string, Set<number>>> {
    if (traceIds.length === 0) return new Map();
    const rows = `FROM ${this.#session.table("spans")}
       WHERE project = {project:String} AND trace_id IN {traceIds:Array(String)}`;
    const starts = await this.#session.rows<[string, number[]]>(
      `SELECT trace_id, groupUniqArray(start) ${rows}
         AND (trace_id, coalesce(parent_id, ''), version) NOT IN (SELECT trace_id, span_id, version ${rows})
       GROUP BY trace_id`,
      { project, traceIds },
    );
    return new Map(starts.map(([traceId, own]) => [traceId, new Set(own)]));
  }

  /** In one insert, so that no list ever shows a trace twice, or not at all. */
  async #insert(
    project: string,
    summaries: readonly TraceSummary[],
    places: ReadonlyMap<string, ReadonlySet<number>>,
    written: Written,
  ): Promise<void> {
    const rows = summaries.flatMap((summary) => [
      summaryRow(project, summary, recordAtHand(summary, written)),
      ...[...(places.get(summary.traceId) ?? [])]
        .filter((start) => start !== summary.start)
        .map((start) => movedRow(project, start, summary)),
    ]);
    await this.#session.insert("traces", SUMMARY_COLUMNS, rows);
  }
}

/** The top's record if it was just written, which is the usual case: a top ends last. */
function recordAtHand({ traceId, topId, topVersion }: TraceSummary, written: Written): string {
  const top = written
    .get(traceId)
    ?.find(({ version, span }) => span.id === topId && version === topVersion);
  return top !== undefined && top.record.length <= SHORT_RECORD ? top.record.toString() : "";
}

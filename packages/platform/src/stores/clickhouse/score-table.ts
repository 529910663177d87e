import { LOGGED_CONTENT } from "../logged-content.ts";
import { TraceScores } from "../score-store.ts";
import { NO_ADDITIONS, type SpanAdditions, scoresText } from "../span-additions.ts";
import { TraceAdditions } from "../trace-additions.ts";
import type { ClickHouseSession } from "./clickhouse-session.ts";
import { POINT_READ } from "./clickhouse-session.ts";

/** The latest write of each score, in the order in which they are shown. */
const LATEST = `(argMax((created, record), version) AS latest).2`;
const IN_ORDER = "ORDER BY latest.1, score_id";

/**
 * A row of {@link scoreRows}. Its columns stand where a span's are that are of the same type, so that one statement
 * can read both.
 */
export type StoredScoreRow = readonly [
  /** A span has the id of its trace here. */
  none: "",
  /** Empty for logged content, which is read later. */
  record: string,
  spanId: string,
  version: number,
  scoreId: string,
  created: number,
  zero: 0,
  name: string,
  bytes: number,
];

/** Selects all writes of the scores of a trace. The engine takes longer to find the latest ones than to send all. */
export function scoreRows(session: ClickHouseSession): string {
  return `SELECT '', if(name = '${LOGGED_CONTENT}', '', record), span_id, version, score_id, created, 0, name,
      length(record)
    FROM ${session.table("scores")} WHERE project = {project:String} AND trace_id = {traceId:String}`;
}

/** Null where the trace has none. */
export async function additionsOfTrace(
  session: ClickHouseSession,
  project: string,
  traceId: string,
): Promise<TraceAdditions | null> {
  const names = { project, traceId };
  const rows = await session.rows<StoredScoreRow>(scoreRows(session), names, POINT_READ);
  return additionsIn(session, names, rows);
}

/**
 * What the scores of a trace add to it; null where there are none.
 *
 * @param rows Those of {@link scoreRows}.
 */
export function additionsIn(
  session: ClickHouseSession,
  trace: { readonly project: string; readonly traceId: string },
  rows: readonly StoredScoreRow[],
): TraceAdditions | null {
  if (rows.length === 0) return null;
  const shown = latestWrites(rows).map(([, record, span_id, , , , , name, bytes]) => {
    const content_bytes = name === LOGGED_CONTENT ? bytes : null;
    return { span_id, record, content_bytes };
  });
  return new TraceAdditions(shown, async (spanIds) => {
    const contents = await session.rows<[string, string]>(
      `SELECT span_id, ${LATEST} FROM ${session.table("scores")}
       WHERE project = {project:String} AND trace_id = {traceId:String}
         AND span_id IN {spanIds:Array(String)} AND name = '${LOGGED_CONTENT}'
       GROUP BY span_id, score_id ${IN_ORDER}`,
      { ...trace, spanIds },
    );
    return contents.map(([span_id, record]) => ({ span_id, record }));
  });
}

/** The latest write of each score, in the order in which they are shown. */
function latestWrites(rows: readonly StoredScoreRow[]): StoredScoreRow[] {
  const latest = new Map<string, StoredScoreRow>();
  for (const row of rows) {
    const [, , spanId, version, scoreId] = row;
    const key = `${spanId} ${scoreId}`;
    if (version >= (latest.get(key)?.[3] ?? 0)) latest.set(key, row);
  }
  return [...latest.values()].sort(
    (a, b) => a[5] - b[5] || Buffer.compare(Buffer.from(a[4]), Buffer.from(b[4])),
  );
}

/** A record in a list. */
export interface ListedPlace {
  readonly traceId: string;
  readonly spanId: string;
}

const OF_LISTED = `project = {project:String} AND trace_id IN {traceIds:Array(String)}
  AND span_id IN {spanIds:Array(String)}`;

/** The scores of listed records: their lengths at once, the texts for those that a page has room for. */
export class ListedScores {
  readonly #session: ClickHouseSession;
  readonly #project: string;
  readonly #isTops: boolean;
  /** How many a span has and how long they are, by its place. */
  readonly #sizes: ReadonlyMap<string, readonly [count: number, bytes: number]>;

  private constructor(
    session: ClickHouseSession,
    project: string,
    isTops: boolean,
    sizes: ReadonlyMap<string, readonly [count: number, bytes: number]>,
  ) {
    this.#session = session;
    this.#project = project;
    this.#isTops = isTops;
    this.#sizes = sizes;
  }

  /** @param isTops Whether the scores of whole traces are among them. */
  static async of(
    session: ClickHouseSession,
    project: string,
    places: readonly ListedPlace[],
    isTops: boolean,
  ): Promise<ListedScores> {
    if (places.length === 0) return new ListedScores(session, project, isTops, new Map());
    const rows = await session.rows<[string, string, number, number]>(
      `SELECT trace_id, span_id, count(), sum(bytes) FROM (
         SELECT trace_id, span_id, argMax(length(record), version) AS bytes
         FROM ${session.table("scores")} WHERE ${OF_LISTED} GROUP BY trace_id, span_id, score_id
       ) GROUP BY trace_id, span_id`,
      namesOf(project, places, isTops),
    );
    const sizes = rows.map(([traceId, spanId, count, bytes]) => {
      const size = [count, bytes] as const;
      return [`${traceId} ${spanId}`, size] as const;
    });
    return new ListedScores(session, project, isTops, new Map(sizes));
  }

  /** How much longer they make a record. */
  bytesAfter({ traceId, spanId }: ListedPlace): number {
    const spanIds = this.#isTops ? [spanId, ""] : [spanId];
    const sizes = spanIds.flatMap((id) => this.#sizes.get(`${traceId} ${id}`) ?? []);
    if (sizes.length === 0) return 0;
    return sizes.reduce((sum, size) => sum + size, scoresText([""]).length - 1);
  }

  /** What these records are read with. */
  async read(places: readonly ListedPlace[]): Promise<(place: ListedPlace) => SpanAdditions> {
    const judged = places.filter((place) => this.bytesAfter(place) > 0);
    if (judged.length === 0) return () => NO_ADDITIONS;
    const rows = await this.#session.rows<[string, string, string]>(
      `SELECT trace_id, span_id, ${LATEST} FROM ${this.#session.table("scores")}
       WHERE ${OF_LISTED} GROUP BY trace_id, span_id, score_id ${IN_ORDER}`,
      namesOf(this.#project, judged, this.#isTops),
    );
    const byTrace = new Map(
      [...Map.groupBy(rows, ([traceId]) => traceId)].map(([traceId, own]) => [
        traceId,
        new TraceScores(own.map(([, span_id, record]) => ({ span_id, record }))),
      ]),
    );
    return ({ traceId, spanId }) => byTrace.get(traceId)?.of(spanId, this.#isTops) ?? NO_ADDITIONS;
  }
}

function namesOf(project: string, places: readonly ListedPlace[], isTops: boolean) {
  return {
    project,
    traceIds: [...new Set(places.map(({ traceId }) => traceId))],
    spanIds: [...(isTops ? [""] : []), ...places.map(({ spanId }) => spanId)],
  };
}

import type { SpanColumns } from "../summary/summary-columns.ts";
import type { Bounds } from "../zones/zone-bounds.ts";
import { alikeRows, boundsOfSubsets, MARKED_NAMES, WHOLE, widen } from "../zones/zone-bounds.ts";
import { dateText } from "./day.ts";
import type { SpanDatabase, SqlRunner } from "./span-database.ts";
import type { Place } from "./unindexed-places.ts";
import { parsePlaces } from "./unindexed-places.ts";
import type { SegmentRuns } from "./zone-runs.ts";
import { toRuns } from "./zone-runs.ts";

/** About this many spans a zone has: what is read where a zone may have a row that is looked for. */
const SPANS_PER_ZONE = 2_048;
/** Of a project with less than this part of a zone, the bounds of all its rows are stored, and none of subsets. */
const FEW_OF_ZONE = 1 / 16;
/** The subset that has all rows of a project with few, of spans and of traces. SQLite has no such subset. */
export const ALL_OF_FEW = -1;

const DIMENSIONS = "name, spankind, status, application, route, variant, revision, environment";
const BOUNDS = [
  ["zone_no", "bigint"],
  ["of_traces", "boolean"],
  ["project", "text"],
  ["subset", "smallint"],
  ["first_start", "bigint"],
  ["last_start", "bigint"],
  ["latency", "float8"],
  ["cost", "float8"],
  ...MARKED_NAMES.map((name) => [name, "integer"] as const),
] as const;

/** Rows that share all values of {@link DIMENSIONS}. */
interface RowGroup {
  readonly project: string;
  readonly rows: number;
  readonly name: string;
  readonly spankind: string;
  readonly status: string;
  readonly application: string | null;
  readonly route: string | null;
  readonly variant: string | null;
  readonly revision: number | null;
  readonly environment: string | null;
  readonly first_start: number;
  readonly last_start: number;
  readonly latency: number | null;
  readonly cost: number | null;
}

/** Segments that no zone has, and how many spans they have. */
interface Unzoned {
  readonly places: readonly Place[];
  readonly spans: number;
}

/**
 * Makes zones of the segments that were committed, in the order of their commits: what their spans have, and the
 * rows of their traces. A zone is made as a whole and never changed, except that it goes with its day. Segments are
 * added as soon as there are enough for a zone; until then `agate.unzoned` has them, and lists read them directly.
 * One server at a time does this. Traces from before there were zones are added apart from these.
 */
export class ZoneFiller {
  readonly #database: SpanDatabase;
  readonly #spansPerZone: number;

  constructor(database: SpanDatabase, spansPerZone = SPANS_PER_ZONE) {
    this.#database = database;
    this.#spansPerZone = spansPerZone;
  }

  /** @returns False when there is not enough for a zone, or another server makes one. */
  async fillSome(): Promise<boolean> {
    const [next] = await this.#database.query<{ spans: number }>(
      `SELECT coalesce(sum(spans), 0) AS spans
       FROM (SELECT spans FROM agate.unzoned ORDER BY unzoned_no LIMIT $1) AS next`,
      [this.#spansPerZone],
      "spans-for-zones",
    );
    return next !== undefined && next.spans >= this.#spansPerZone && this.#fill(takeUnzoned);
  }

  /** Adds traces from before there were zones. @returns False when none is left, or another server adds some. */
  async fillEarlier(): Promise<boolean> {
    const [progress] = await this.#database.query<{ earlier: number }>(
      "SELECT max(earlier) AS earlier FROM agate.zone_progress",
      [],
      "earlier-for-zones",
    );
    return progress !== undefined && progress.earlier > 0 && this.#fill(takeEarlier);
  }

  #fill(take: typeof takeUnzoned): Promise<boolean> {
    return this.#database.transaction(async (transaction) => {
      const [lock] = await transaction.query<{ is_free: boolean }>(
        "SELECT pg_try_advisory_xact_lock(hashtextextended('agate.zones', 0)) AS is_free",
      );
      if (lock?.is_free !== true) return false;
      const taken = await take(transaction, this.#spansPerZone);
      if (taken === undefined) return false;
      const zones = Math.max(1, Math.round(taken.spans / this.#spansPerZone));
      const perZone = Math.ceil(taken.places.length / zones);
      for (let at = 0; at < taken.places.length; at += perZone) {
        await makeZones(transaction, taken.places.slice(at, at + perZone), this.#spansPerZone);
      }
      return true;
    });
  }
}

/** Takes the segments of the next zone; undefined where there are too few. */
async function takeUnzoned(transaction: SqlRunner, most: number): Promise<Unzoned | undefined> {
  const rows = await transaction.query<{ unzoned_no: number; places: string; spans: number }>(
    "SELECT unzoned_no, places, spans FROM agate.unzoned ORDER BY unzoned_no LIMIT $1",
    [most],
  );
  const places: Place[] = [];
  const taken: number[] = [];
  let spans = 0;
  for (const row of rows) {
    if (spans >= most) break;
    places.push(...parsePlaces(row.places));
    taken.push(row.unzoned_no);
    spans += row.spans;
  }
  if (spans < most) return undefined;
  await transaction.query("DELETE FROM agate.unzoned WHERE unzoned_no = ANY($1::bigint[])", [
    taken,
  ]);
  return { places, spans };
}

/** Takes traces that were there before, from the last to the first; undefined where none is left. */
async function takeEarlier(transaction: SqlRunner, most: number): Promise<Unzoned | undefined> {
  const rows = await transaction.query<{
    trace_no: number;
    day: number;
    segments: number;
    spans: number;
  }>(
    `SELECT trace_no, day, segments, spans FROM agate.traces
     WHERE trace_no <= (SELECT max(earlier) FROM agate.zone_progress)
     ORDER BY trace_no DESC LIMIT $1`,
    [most],
  );
  const places: Place[] = [];
  let spans = 0;
  let left = 0;
  for (const { trace_no, day, segments, spans: own } of rows) {
    if (spans >= most) break;
    for (let segment = 0; segment < segments; segment++) places.push([day, trace_no, segment]);
    spans += own;
    left = trace_no - 1;
  }
  const changed = await transaction.query(
    "UPDATE agate.zone_progress SET earlier = $1 WHERE earlier > 0 RETURNING 1",
    [left],
  );
  return changed.length === 0 ? undefined : { places, spans };
}

/** One for each day, of which there is one as a rule. */
async function makeZones(
  transaction: SqlRunner,
  places: readonly Place[],
  spansPerZone: number,
): Promise<void> {
  for (const [day, ofDay] of Map.groupBy(places, ([own]) => own)) {
    await makeZone(transaction, toRuns(day, ofDay), FEW_OF_ZONE * spansPerZone);
  }
}

/** @param few Of a project with fewer rows, the subsets are not stored. */
async function makeZone(transaction: SqlRunner, runs: SegmentRuns, few: number): Promise<void> {
  const arrays = [runs.firstTraces, runs.lastTraces, runs.firstSegments, runs.lastSegments];
  const spans = await transaction.query<RowGroup>(
    `SELECT ${groupOf("p")} FROM unnest($2::bigint[], $3::bigint[], $4::integer[], $5::integer[])
       AS r (first_trace, last_trace, first_segment, last_segment)
     CROSS JOIN LATERAL (SELECT * FROM agate.spans WHERE day = $1::date
       AND trace_no BETWEEN r.first_trace AND r.last_trace
       AND segment BETWEEN r.first_segment AND r.last_segment OFFSET 0) AS p
     GROUP BY p.project, ${DIMENSIONS}`,
    [dateText(runs.day), ...arrays],
  );
  const traces = await transaction.query<RowGroup>(
    `SELECT ${groupOf("t")} FROM unnest($1::bigint[], $2::bigint[]) AS r (first_trace, last_trace)
     CROSS JOIN LATERAL (SELECT * FROM agate.traces
       WHERE trace_no BETWEEN r.first_trace AND r.last_trace OFFSET 0) AS t
     GROUP BY t.project, ${DIMENSIONS}`,
    [runs.firstTraces, runs.lastTraces],
  );
  const [zone] = await transaction.query<{ zone_no: number }>(
    `INSERT INTO agate.zones (day, first_traces, last_traces, first_segments, last_segments)
     VALUES ($1::date, $2::bigint[], $3::bigint[], $4::integer[], $5::integer[]) RETURNING zone_no`,
    [dateText(runs.day), ...arrays],
  );
  const zoneNo = (zone as { zone_no: number }).zone_no;
  const rows = boundsRows(zoneNo, spans, traces, few);
  await transaction.query(
    `INSERT INTO agate.zone_bounds (${BOUNDS.map(([name]) => name).join(", ")})
     SELECT * FROM unnest(${BOUNDS.map(([, type], n) => `$${n + 1}::${type}[]`).join(", ")})`,
    BOUNDS.map((_, n) => rows.map((row) => row[n] as string | number)),
  );
}

function groupOf(row: string): string {
  return `${row}.project, count(*) AS rows, ${DIMENSIONS}, min(start) AS first_start, max(start) AS last_start,
    max(latency) AS latency, max(cost) AS cost`;
}

/** What is stored for each project, in the order of {@link BOUNDS}. */
function boundsRows(
  zoneNo: number,
  spans: readonly RowGroup[],
  traces: readonly RowGroup[],
  few: number,
): (string | number)[][] {
  const rows: (string | number)[][] = [];
  const [ofSpans, ofTraces] = [byProject(spans), byProject(traces)];
  const add = (ofTable: boolean, project: string, subset: number, bounds: Bounds) =>
    rows.push([zoneNo, String(ofTable), project, subset, ...valuesOf(bounds)]);
  for (const project of new Set([...ofSpans.keys(), ...ofTraces.keys()])) {
    const own = [ofSpans.get(project) ?? [], ofTraces.get(project) ?? []] as const;
    if (own.every((groups) => rowCount(groups) < few)) {
      const bounds = boundsOfSubsets(own.flat().map(toAlike)).get(WHOLE);
      if (bounds !== undefined) add(false, project, ALL_OF_FEW, bounds);
      continue;
    }
    for (const [n, groups] of own.entries()) {
      for (const [subset, bounds] of boundsOfSubsets(groups.map(toAlike))) {
        add(n === 1, project, subset, bounds);
      }
    }
  }
  return rows;
}

function byProject(groups: readonly RowGroup[]): Map<string, RowGroup[]> {
  return Map.groupBy(groups, ({ project }) => project);
}

function rowCount(groups: readonly RowGroup[]): number {
  return groups.reduce((sum, { rows }) => sum + rows, 0);
}

function toAlike(group: RowGroup) {
  const alike = alikeRows(columnsOf(group, group.first_start));
  widen(alike.bounds, columnsOf(group, group.last_start));
  return alike;
}

function columnsOf(group: RowGroup, start: number): SpanColumns {
  const { latency, name, spankind, status, application, route, variant, revision } = group;
  const { environment, cost } = group;
  const dimensions = [
    application,
    route,
    variant,
    revision,
    environment,
    null,
    null,
    null,
  ] as const;
  return ["", start, 0, latency, name, spankind, status, ...dimensions, cost];
}

function valuesOf({ firstStart, lastStart, latency, cost, marks }: Bounds): (string | number)[] {
  // PostgreSQL reads what JavaScript writes of an infinite number.
  return [firstStart, lastStart, String(latency), String(cost), ...marks];
}

/** Drops the zones of days without traces. */
export async function dropEmptyZones(database: SpanDatabase): Promise<void> {
  await database.query(
    `WITH gone AS (
       DELETE FROM agate.zones WHERE day IN (
         SELECT day FROM (SELECT DISTINCT day FROM agate.zones) AS d
         WHERE NOT EXISTS (SELECT FROM agate.traces t WHERE t.day = d.day))
       RETURNING zone_no
     )
     DELETE FROM agate.zone_bounds b USING gone WHERE b.zone_no = gone.zone_no`,
  );
}

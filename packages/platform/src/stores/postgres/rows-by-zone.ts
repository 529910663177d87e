import { filterConditions } from "../filter-conditions.ts";
import type { SpanFilter } from "../span-query.ts";
import { subsetFor, testOf } from "../zones/zone-bounds.ts";
import { dateText } from "./day.ts";
import type { ListedTable } from "./filter-sql.ts";
import { Conditions } from "./filter-sql.ts";
import type { QueryRunner, SqlRunner } from "./span-database.ts";
import { parsePlaces } from "./unindexed-places.ts";
import { ALL_OF_FEW } from "./zone-filler.ts";
import type { SegmentRuns } from "./zone-runs.ts";
import { toRuns } from "./zone-runs.ts";

/** The first rows of a list, which are all looked at: a filter that many rows match finds a page among them. */
const FIRST_ROWS = 2_000;
/** How many zones are read then: few at first. Where they have not enough, the rest is read in the list's order. */
const FEW_ZONES = 8;
const MOST_ZONES = 64;
/** With more spans that are in no zone yet, lists do without zones. */
const MOST_UNZONED = 20_000;

/** A list whose rows are found by zones. */
export interface ZonedList {
  readonly table: ListedTable;
  readonly project: string;
  readonly filter: SpanFilter;
  /** No row starts later. */
  readonly last: number;
}

/** A part of a list: all rows, or those of some zones, with a start up to one and beyond another. */
export interface ListPart {
  readonly zones?: ReadZones;
  readonly upTo: number;
  readonly beyond?: number;
  /** Rows that were found before, and may have another start by now. */
  readonly except?: readonly ListedRow[];
}

/** By which a row of a list is found again: that of a span has the id of the span, too. */
export interface ListedRow {
  readonly trace_no: number;
  readonly span_id?: string;
}

/** The zones to read, and the segments that no zone has yet. */
export interface ReadZones {
  readonly numbers: readonly number[];
  readonly unzoned: readonly SegmentRuns[];
}

export type ReadPart<Row extends ListedRow> = (
  runner: SqlRunner,
  part: ListPart,
  most: number,
) => Promise<readonly Row[]>;

/** Columns that have no index to find the rows of a list by. */
const WITHOUT_INDEX: Record<ListedTable, readonly string[]> = {
  t: ["name", "spankind", "status", "revision", "latency", "cost"],
  p: [
    ...["name", "spankind", "status", "revision", "latency", "cost"],
    ...["application", "variant", "environment"],
  ],
};

/** Whether zones help to find the rows of a list: of the others, an index finds few. */
export function isByZones(table: ListedTable, filter: SpanFilter): boolean {
  const { sessionId, userId, run, anyError, status, text, traceIds } = filter;
  if ((sessionId ?? userId ?? run ?? text ?? traceIds) !== undefined) return false;
  if (anyError === true || (table === "p" && status === "ERROR")) return false;
  const columns = filterConditions(filter).flatMap(({ column }) =>
    column === "start" ? [] : [column],
  );
  return columns.length > 1 || columns.some((column) => WITHOUT_INDEX[table].includes(column));
}

/**
 * The first rows of a list in its order, from zones that may have some. The zones with the latest starts are read
 * first: what they have beyond the last start of the next zone comes before all that other zones have.
 *
 * @param most How many rows, at most.
 * @param read Reads rows of a part in their order.
 */
export async function rowsByZone<Row extends ListedRow>(
  runner: QueryRunner,
  list: ZonedList,
  most: number,
  read: ReadPart<Row>,
): Promise<Row[]> {
  const { table, project, filter } = list;
  const [first] = await runner.query<{ start: number }>(
    `SELECT start FROM ${table === "t" ? "agate.traces" : "agate.spans"}
     WHERE project = $1 AND start <= $2 ORDER BY start DESC LIMIT 1 OFFSET ${FIRST_ROWS}`,
    [project, list.last],
  );
  if (first === undefined) return [...(await read(runner, { upTo: list.last }, most))];
  const newest = await read(runner, { upTo: list.last, beyond: first.start }, most);
  if (newest.length === most || first.start < (filter.startedFrom ?? first.start))
    return [...newest];
  // In one snapshot: a segment that comes into a zone, or is replaced, in between would be missed by both statements.
  // The newest rows were read before it. One that starts earlier since then, as a trace does whose top came late, is
  // passed over, or it would be listed twice. One that starts later since then is missed, as between two pages.
  return runner.snapshot(async (snapshot) => {
    // Of its own: after a deadlock the snapshot is read again.
    const rows = [...newest];
    const readPart = async (part: ListPart) => {
      rows.push(...(await read(snapshot, { ...part, except: newest }, most - rows.length)));
    };
    let upTo = first.start;
    const unzoned = await unzonedRuns(snapshot);
    for (const limit of unzoned === undefined ? [] : [FEW_ZONES, MOST_ZONES]) {
      const found = await zonesFor(snapshot, list, upTo, limit + 1);
      // The rows of all projects in a zone are read: of many for the few of this one, the list's own order takes fewer.
      if (2 * found.filter(({ is_few }) => is_few).length > found.length) break;
      const next = found[limit];
      const numbers = found.slice(0, limit).map(({ zone_no }) => zone_no);
      const zones = { numbers, unzoned: unzoned ?? [] };
      const beyond = next?.last_start ?? Number.MIN_SAFE_INTEGER;
      if (beyond >= upTo) continue;
      await readPart({ zones, upTo, beyond });
      if (next === undefined || rows.length === most) return rows;
      upTo = beyond;
    }
    await readPart({ upTo });
    return rows;
  });
}

/** The segments that no zone has yet; undefined where there are many, or traces from before there were zones. */
async function unzonedRuns(snapshot: SqlRunner): Promise<SegmentRuns[] | undefined> {
  const [left] = await snapshot.query<{ spans: number; earlier: number }>(
    `SELECT (SELECT coalesce(sum(spans), 0)
       FROM (SELECT spans FROM agate.unzoned LIMIT ${MOST_UNZONED + 1}) AS n) AS spans,
       (SELECT max(earlier) FROM agate.zone_progress) AS earlier`,
  );
  if (left === undefined || left.spans > MOST_UNZONED || left.earlier > 0) return undefined;
  const rows = await snapshot.query<{ places: string }>("SELECT places FROM agate.unzoned");
  const places = rows.flatMap((row) => parsePlaces(row.places));
  return [...Map.groupBy(places, ([day]) => day)].map(([day, ofDay]) => toRuns(day, ofDay));
}

interface FoundZone {
  readonly zone_no: number;
  readonly last_start: number;
  /** Whether the project has few rows in it. */
  readonly is_few: boolean;
}

/** Those that may have rows of a list, with the latest starts first. */
function zonesFor(
  snapshot: SqlRunner,
  { table, project, filter }: ZonedList,
  upTo: number,
  most: number,
): Promise<FoundZone[]> {
  const where = new Conditions();
  const conditions = filterConditions(filter);
  where.add(`project = ${where.value(project)} AND first_start <= ${where.value(upTo)}`);
  for (const condition of conditions) {
    const test = testOf(condition);
    if (test?.kind === "mark") where.add(`${test.column} & ${test.mark} <> 0`);
    if (test?.kind === "compare") {
      where.add(`${test.column} ${test.operator} ${where.value(test.value)}`);
    }
  }
  // Each in the order of the index: of both together, PostgreSQL would sort all zones.
  const first = (isFew: boolean, ofTraces: boolean, subset: number) =>
    `(SELECT zone_no, last_start, ${isFew} AS is_few FROM agate.zone_bounds
      WHERE of_traces = ${ofTraces} AND subset = ${subset} AND ${where.text}
      ORDER BY last_start DESC LIMIT ${most})`;
  return snapshot.query(
    `${first(false, table === "t", subsetFor(conditions))} UNION ALL ${first(true, false, ALL_OF_FEW)}
     ORDER BY last_start DESC LIMIT ${most}`,
    where.values,
  );
}

/** Adds the bounds of a part to the conditions on its rows. @returns The zones that it is read from, if any. */
export function addPart(
  where: Conditions,
  table: ListedTable,
  part: ListPart | null,
): ReadZones | undefined {
  if (part === null) return undefined;
  where.add(`${table}.start <= ${where.value(part.upTo)}`);
  if (part.beyond !== undefined) where.add(`${table}.start > ${where.value(part.beyond)}`);
  const except = part.except ?? [];
  if (except.length > 0) where.add(isNoneOf(where, table, except));
  return part.zones;
}

function isNoneOf(where: Conditions, table: ListedTable, rows: readonly ListedRow[]): string {
  const traceNos = `${where.value(rows.map(({ trace_no }) => trace_no))}::bigint[]`;
  if (table === "t") return `t.trace_no <> ALL(${traceNos})`;
  const spanIds = `${where.value(rows.map(({ span_id }) => span_id ?? ""))}::text[]`;
  return `(p.trace_no, p.span_id) NOT IN (SELECT * FROM unnest(${traceNos}, ${spanIds}))`;
}

// OFFSET 0 leaves PostgreSQL no choice: it would read all rows in the order of the list, or join them with all runs.

/** The traces of some zones, perhaps some of them twice. */
export function tracesInZones(where: Conditions, zones: ReadZones): string {
  return `${runsIn(where, zones)} CROSS JOIN LATERAL (SELECT * FROM agate.traces
    WHERE trace_no BETWEEN r.first_trace AND r.last_trace OFFSET 0) AS t`;
}

/** The spans of some zones, perhaps some of them twice, and their traces. */
export function spansInZones(where: Conditions, zones: ReadZones): string {
  return `${runsIn(where, zones)}
    CROSS JOIN LATERAL (SELECT * FROM agate.spans WHERE day = r.day
      AND trace_no BETWEEN r.first_trace AND r.last_trace
      AND segment BETWEEN r.first_segment AND r.last_segment OFFSET 0) AS p
    CROSS JOIN LATERAL (SELECT * FROM agate.traces WHERE trace_no = p.trace_no OFFSET 0) AS t`;
}

/** The segments of some zones, and those that no zone has yet. */
function runsIn(where: Conditions, { numbers, unzoned }: ReadZones): string {
  const list = (type: string, values: readonly (string | number)[]) =>
    `${where.value(values)}::${type}[]`;
  const days = unzoned.flatMap(({ day, firstTraces }) => firstTraces.map(() => dateText(day)));
  const columns = [
    list("date", days),
    list(
      "bigint",
      unzoned.flatMap((runs) => runs.firstTraces),
    ),
    list(
      "bigint",
      unzoned.flatMap((runs) => runs.lastTraces),
    ),
    list(
      "integer",
      unzoned.flatMap((runs) => runs.firstSegments),
    ),
    list(
      "integer",
      unzoned.flatMap((runs) => runs.lastSegments),
    ),
  ];
  return `(SELECT z.day, s.* FROM agate.zones z
      CROSS JOIN LATERAL unnest(z.first_traces, z.last_traces, z.first_segments, z.last_segments) AS s
      WHERE z.zone_no = ANY(${list("bigint", numbers)})
    UNION ALL SELECT * FROM unnest(${columns.join(", ")}) AS u
    ) AS r (day, first_trace, last_trace, first_segment, last_segment)`;
}

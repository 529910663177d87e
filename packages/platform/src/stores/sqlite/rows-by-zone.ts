import type { DatabaseSync } from "node:sqlite";
import { filterConditions } from "../filter-conditions.ts";
import type { SpanFilter } from "../span-query.ts";
import type { BoundsTest } from "../zones/zone-bounds.ts";
import { subsetFor, testOf } from "../zones/zone-bounds.ts";
import { wanted } from "./query-interrupt.ts";
import type { ListedTable, Sql } from "./sql.ts";
import { allOf } from "./sql.ts";
import { ZONES } from "./zone-map.ts";

/** The first rows of a list, which are all looked at: a filter that many rows match finds a page among them. */
const FIRST_ROWS = 2_000;
/**
 * How many zones are read then: few at first. Where they have not enough, the rest of the list is read in its order.
 */
const FEW_ZONES = 16;
const MOST_ZONES = 256;

/** A part of a list: all rows, or those of some zones, with a start up to one and beyond another. */
export interface ListPart {
  readonly zones?: readonly number[];
  readonly upTo?: number;
  readonly beyond?: number;
}

/** A list whose rows are found by zones. */
export interface ZonedList {
  readonly table: ListedTable;
  readonly project: string;
  /** See {@link zonesOf}. */
  readonly having: Sql;
  /** No row starts later. */
  readonly last: number | undefined;
}

interface FoundZone {
  readonly zone: number;
  readonly last_start: number;
}

/** Columns that have no index to find the rows of a list by. */
const WITHOUT_INDEX: Record<ListedTable, readonly string[]> = {
  t: ["spankind", "status", "revision", "latency", "cost"],
  p: ["spankind", "status", "revision", "latency", "cost", "application", "variant", "environment"],
};

/** What the zones must have that may have rows of a list; undefined where an index finds the rows. */
export function zonesOf(table: ListedTable, project: string, filter: SpanFilter): Sql | undefined {
  const { sessionId, userId, run, anyError, status } = filter;
  if ((sessionId ?? userId ?? run) !== undefined || anyError === true) return undefined;
  if (table === "p" && status === "ERROR") return undefined;
  const conditions = filterConditions(filter);
  if (!conditions.some(({ column }) => WITHOUT_INDEX[table].includes(column))) return undefined;
  const own = {
    text: `${wanted("z.zone")} AND z.project = ? AND z.subset = ?`,
    values: [project, subsetFor(conditions)],
  };
  const tests = conditions.map(testOf).filter((test) => test !== undefined);
  return allOf([own, ...tests.map(toSql)]);
}

function toSql(test: BoundsTest): Sql {
  if (test.kind === "mark") return { text: `z.${test.column} & ?`, values: [test.mark] };
  return { text: `z.${test.column} ${test.operator} ?`, values: [test.value] };
}

/**
 * The rows of a list in its order, from zones that may have some. The zones with the latest starts are read first:
 * what they have beyond the last start of the next zone comes before all that other zones have.
 *
 * @param read Reads rows of a part in their order.
 */
export function* rowsByZone<Row>(
  db: DatabaseSync,
  { table, project, having, last }: ZonedList,
  read: (part: ListPart) => Iterable<Row>,
): Iterable<Row> {
  let upTo = last ?? Number.MAX_SAFE_INTEGER;
  const { table: zones, rows } = ZONES[table];
  const firstBeyond = db
    .prepare(
      `SELECT start FROM ${rows} INDEXED BY ${rows}_by_start WHERE project = ? AND start <= ?
       ORDER BY start DESC LIMIT 1 OFFSET ${FIRST_ROWS}`,
    )
    .get(project, upTo) as { start: number } | undefined;
  if (firstBeyond === undefined) return yield* read({ upTo });
  yield* read({ upTo, beyond: firstBeyond.start });
  upTo = firstBeyond.start;
  const find = db.prepare(
    `SELECT z.zone, z.last_start FROM ${zones} z INDEXED BY ${zones}_by_start
     WHERE ${having.text} AND z.first_start <= ? ORDER BY z.last_start DESC LIMIT ?`,
  );
  for (const most of [FEW_ZONES, MOST_ZONES]) {
    const found = find.all(...having.values, upTo, most + 1) as unknown as FoundZone[];
    const next = found[most];
    const part = { zones: found.slice(0, most).map(({ zone }) => zone), upTo };
    if (next === undefined) return yield* read(part);
    const beyond = next.last_start;
    if (beyond >= upTo) continue;
    yield* read({ ...part, beyond });
    upTo = beyond;
  }
  yield* read({ upTo });
}

/** The rows of a part: `FROM` and `WHERE` of a statement that reads them. */
export function partSql(
  table: ListedTable,
  part: ListPart,
): { readonly from: Sql; readonly where: Sql } {
  const { rows, number, size } = ZONES[table];
  const inZone = `${table}.${number} BETWEEN z.value * ${size} AND z.value * ${size} + ${size - 1}`;
  const from =
    part.zones === undefined
      ? { text: `${rows} ${table}`, values: [] }
      : {
          // CROSS JOIN keeps the order of the tables.
          text: `json_each(?) z CROSS JOIN ${rows} ${table} ON ${inZone}`,
          values: [JSON.stringify(part.zones)],
        };
  const where = allOf([
    ...(part.upTo === undefined ? [] : [{ text: `${table}.start <= ?`, values: [part.upTo] }]),
    ...(part.beyond === undefined ? [] : [{ text: `${table}.start > ?`, values: [part.beyond] }]),
  ]);
  return { from, where };
}

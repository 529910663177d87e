import type { SQLInputValue } from "node:sqlite";
import { filterConditions } from "../filter-conditions.ts";
import { toMatchExpression } from "../search/search-text.ts";
import type { ListPosition, SpanFilter } from "../span-query.ts";
import { wanted } from "./query-interrupt.ts";

/** SQL with its parameters, in order. */
export interface Sql {
  readonly text: string;
  readonly values: readonly SQLInputValue[];
}

/** The table that a list reads: `t` is a row of `traces`, `p` one of `spans`. */
export type ListedTable = "t" | "p";

/**
 * The conditions of a filter; undefined when nothing can match it (a search text without a word).
 *
 * @param isRare Whether only few spans match a full-text expression.
 */
export function whereFilter(
  table: ListedTable,
  project: string,
  filter: SpanFilter,
  isRare: (match: string) => boolean,
): Sql | undefined {
  const match = filter.text === undefined ? null : toMatchExpression(filter.text);
  if (match === undefined) return undefined;
  // A plus keeps SQLite from using an index for the column. With few matches they should be looked
  // up and sorted; it would rather walk all rows in order and ask of each whether it matches.
  // The same holds for traces that are named.
  const isFew = filter.traceIds !== undefined || (match !== null && isRare(match));
  const row = isFew ? `+${table}` : table;
  const texts = [wanted(ROW_NUMBERS[table]), `${row}.project = ?`];
  const values: SQLInputValue[] = [project];
  const add = (condition: string, ...parameters: SQLInputValue[]) => {
    texts.push(condition);
    values.push(...parameters);
  };
  // Of several indexes SQLite would take any: it does not know that a session is rarer than an
  // environment. So only the first indexed column may use its index.
  let indexed = row;
  for (const { column, operator, value, isIndexed } of filterConditions(filter)) {
    // A literal, so that SQLite can see that the index of failed spans covers it.
    if (column === "status" && value === "ERROR") add(`${row}.status = 'ERROR'`);
    else add(`${isIndexed ? indexed : row}.${column} ${operator} ?`, value);
    if (isIndexed) indexed = `+${table}`;
  }
  if (filter.traceIds !== undefined) {
    const ids = "(SELECT value FROM json_each(?))";
    add(`t.project = ? AND t.trace_id IN ${ids}`, project, JSON.stringify(filter.traceIds));
  }
  if (match !== null) add(SEARCH[table], match);
  return { text: texts.join(" AND "), values };
}

const ROW_NUMBERS: Record<ListedTable, string> = { t: "t.trace_no", p: "p.span_no" };

const MATCHES = `SELECT rowid FROM derived.spans_text WHERE spans_text MATCH ? AND ${wanted("rowid")}`;
const SEARCH: Record<ListedTable, string> = {
  p: `p.span_no IN (${MATCHES})`,
  t: `t.trace_no IN (SELECT trace_no FROM spans WHERE span_no IN (${MATCHES}))`,
};

/** Everything that comes after a position in the order of the list. */
export function whereAfter(table: ListedTable, after: ListPosition | null): Sql {
  if (after === null) return { text: "TRUE", values: [] };
  const { start, startNanos, traceId, spanId } = after;
  // The first condition alone lets SQLite start in the middle of the index.
  return table === "t"
    ? {
        text: "t.start <= ? AND (t.start, t.start_nanos, t.trace_id) < (?, ?, ?)",
        values: [start, start, startNanos, traceId],
      }
    : {
        text: "p.start <= ? AND (p.start, p.start_nanos, p.span_id, t.trace_id) < (?, ?, ?, ?)",
        values: [start, start, startNanos, spanId ?? "", traceId],
      };
}

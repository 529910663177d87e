import type { SQLInputValue } from "node:sqlite";
import { filterConditions } from "../filter-conditions.ts";
import type { ScoreCondition } from "../score-store.ts";
import type { ListPosition, SpanFilter } from "../span-query.ts";
import type { MatchTerm } from "./match-terms.ts";
import { isPhrase, matchPhrase, matchTerms } from "./match-terms.ts";
import { wanted } from "./query-interrupt.ts";
import type { ZonedList } from "./rows-by-zone.ts";
import { zonesOf } from "./rows-by-zone.ts";
import type { ListedTable, Sql } from "./sql.ts";
import { allOf } from "./sql.ts";

/** The conditions of a filter. */
export interface Where extends Sql {
  /** What the conditions say too little about: traces have the words of these phrases, perhaps in another order. */
  readonly phrases: readonly MatchTerm[];
  /**
   * Of a search with terms that are common, or with several: the other conditions, and the terms, which can be asked
   * for of each row in turn. The conditions of {@link Sql} read all traces that have one of the terms.
   */
  readonly walk?: { readonly where: Where; readonly terms: readonly MatchTerm[] };
  /** Where few rows may match that no index finds: the zones that may have some, and the conditions on their rows. */
  readonly zones?: Pick<ZonedList, "project" | "having" | "last"> & { readonly where: Sql };
}

/** Whether a query finds only a few rows: up to a number that may be given. */
export type IsRare = (query: Sql, most?: number) => boolean;

/**
 * The conditions of a filter; undefined when nothing can match it (a search text without a word). By a search text,
 * spans are only found as those of traces that have all of its terms: whether a span has them is left to a look at
 * its record.
 *
 * @param isRare Whether a query finds only a few rows.
 */
export function whereFilter(
  table: ListedTable,
  project: string,
  filter: SpanFilter,
  isRare: IsRare,
): Where | undefined {
  const terms = filter.text === undefined ? [] : matchTerms(filter.text);
  if (filter.text !== undefined && terms.length === 0) return undefined;
  // A plus keeps SQLite from using an index for the column. With few matches they should be looked
  // up and sorted; it would rather walk all rows in order and ask of each whether it matches.
  // The same holds for traces that are named, and for scores.
  const rareTerm = terms.find((term) =>
    isRare(rowsOf(table, { text: TRACES_WITH, values: bound(term) })),
  );
  const isFewTexts = rareTerm !== undefined;
  const judged = filter.score && judgementsOf(project, filter.score);
  const isFewScores = judged !== undefined && isRare(judged);
  const inTraces = table === "p" ? spansOfTraces(project, filter) : undefined;
  const isFewInTraces = inTraces !== undefined && isRare(inTraces);
  const named = isFewTexts ? undefined : namedIn(table, filter.name);
  const isFewNamed = named !== undefined && isRare(named.rows, FEW_NAMED);
  const isFew =
    filter.traceIds !== undefined || isFewTexts || isFewScores || isFewInTraces || isFewNamed;
  const conditions = (row: string): Sql =>
    allOf([
      ...columnConditions(table, row, project, filter),
      ...(inTraces !== undefined && isFewInTraces
        ? [{ text: `p.span_no IN (${inTraces.text})`, values: inTraces.values }]
        : []),
      ...(filter.traceIds === undefined ? [] : [whereTraceIds(project, filter.traceIds)]),
      ...(filter.score === undefined
        ? []
        : judged !== undefined && isFewScores
          ? [{ text: JUDGED[table](judged.text), values: judged.values }]
          : [whereScored(table, filter.score)]),
      ...(named !== undefined && isFewNamed
        ? [{ text: `${table}.trace_no IN (${named.traces.text})`, values: named.traces.values }]
        : []),
      ...(rareTerm === undefined
        ? []
        : [{ text: `${table}.trace_no IN (${TRACES_WITH})`, values: bound(rareTerm) }]),
    ]);
  const having = isFew ? undefined : zonesOf(table, project, filter);
  const phrases = terms.filter(({ term }) => isPhrase(term));
  const where: Where = {
    phrases,
    ...conditions(isFew ? `+${table}` : table),
    ...(having && {
      zones: { project, having, last: filter.startedBefore, where: conditions(`+${table}`) },
    }),
  };
  const others = terms.filter((term) => term !== rareTerm);
  if (others.length === 0) return where;
  const texts = others.map((term) => ({
    text: `+${table}.trace_no IN (${TRACES_WITH})`,
    values: bound(term),
  }));
  return { ...allOf([where, ...texts]), phrases, walk: { where, terms: others } };
}

/** The conditions on the columns of a row. @param row Its name; after a plus, SQLite uses no index for its columns. */
function columnConditions(
  table: ListedTable,
  row: string,
  project: string,
  filter: SpanFilter,
): Sql[] {
  const conditions: Sql[] = [{ text: wanted(ROW_NUMBERS[table]), values: [] }];
  const add = (text: string, ...values: SQLInputValue[]) => conditions.push({ text, values });
  add(`${row}.project = ?`, project);
  // Of several indexes SQLite would take any: it does not know that a session is rarer than an
  // environment. So only the first indexed column may use its index.
  let indexed = row;
  if (table === "t" && filter.run !== undefined) {
    add(`${indexed}.run = ?`, filter.run);
    indexed = "+t";
  }
  if (filter.anyError !== undefined) {
    // Traces with a failed span are rarer than those of an application, but not than those of a user. As the
    // schema writes it, so that SQLite can see that the index of such traces covers it.
    const isRarest = table === "t" && filter.sessionId === undefined && filter.userId === undefined;
    const own = isRarest ? indexed : "+t";
    add(filter.anyError ? `${own}.failed_spans > 0` : "+t.failed_spans = 0");
    if (isRarest && filter.anyError) indexed = "+t";
  }
  for (const { column, operator, value, isIndexed } of filterConditions(filter)) {
    // A literal, so that SQLite can see that the index of failed spans covers it.
    if (column === "status" && value === "ERROR") add(`${row}.status = 'ERROR'`);
    else add(`${isIndexed ? indexed : row}.${column} ${operator} ?`, value);
    if (isIndexed) indexed = `+${table}`;
  }
  const { run, traffic } = filter;
  // As the schema writes them, so that SQLite can see that the index of such traces covers them.
  if (traffic !== undefined) {
    const own = table === "t" ? indexed : "+t";
    add(traffic === "live" ? `${own}.run IS NULL` : `(${own}.run IS NULL) = 0`);
  }
  if (table === "p" && run !== undefined) add("+t.run = ?", run);
  return conditions;
}

function whereTraceIds(project: string, traceIds: readonly string[]): Sql {
  return {
    text: "t.project = ? AND t.trace_id IN (SELECT value FROM json_each(?))",
    values: [project, JSON.stringify(traceIds)],
  };
}

/**
 * The spans of traces that are rare: of evaluation traces, and of those with a failed span. Undefined where a
 * filter asks for neither. CROSS JOIN keeps the order of the tables.
 */
function spansOfTraces(project: string, filter: SpanFilter): Sql | undefined {
  const { run, traffic, anyError } = filter;
  const rare = [
    ...(run === undefined ? [] : ["x.run = ?"]),
    ...(run === undefined && traffic === "evaluation" ? ["x.run IS NOT NULL"] : []),
    ...(anyError === true ? ["x.failed_spans > 0"] : []),
  ];
  if (rare.length === 0) return undefined;
  const spans = "SELECT s.span_no FROM traces x CROSS JOIN spans s ON s.trace_no = x.trace_no";
  return {
    text: `${spans} WHERE x.project = ? AND ${wanted("s.span_no")} AND ${rare.join(" AND ")}`,
    values: [project, ...(run === undefined ? [] : [run])],
  };
}

/** A trace by the scores of any of its spans, a span by those that name it. */
function whereScored(table: ListedTable, { name, test }: ScoreCondition): Sql {
  const span = table === "p" ? " AND c.span_id = p.span_id" : "";
  // A plus, so that SQLite looks at the scores of the trace and not at all of that name, for every trace.
  const scores = `SELECT 1 FROM scores c
    WHERE c.project = t.project AND c.trace_id = t.trace_id AND +c.name = ?${span}`;
  if (test === "none") return { text: `NOT EXISTS (${scores})`, values: [name] };
  if (test === "any") return { text: `EXISTS (${scores})`, values: [name] };
  if (typeof test === "string") {
    return { text: `EXISTS (${scores} AND c.status = ?)`, values: [name, test] };
  }
  return {
    text: `EXISTS (${scores} AND c.status = 'ok' AND c.value ${test.operator} ?)`,
    values: [name, test.value],
  };
}

/** The scores that a condition is about, by an index; undefined where it is about their absence. */
function judgementsOf(project: string, { name, test }: ScoreCondition): Sql | undefined {
  if (test === "none") return undefined;
  // By itself, SQLite would rather read all scores of the project, in the order of the table.
  const scores = `SELECT c.project, c.trace_id, c.span_id FROM scores c INDEXED BY scores_by_name
    WHERE c.project = ? AND c.name = ?`;
  if (test === "any") return { text: scores, values: [project, name] };
  if (typeof test === "string") {
    return { text: `${scores} AND c.status = ?`, values: [project, name, test] };
  }
  return {
    text: `${scores} AND c.status = 'ok' AND c.value ${test.operator} ?`,
    values: [project, name, test.value],
  };
}

/** Rows by scores that are looked up first. CROSS JOIN keeps the order of the tables. */
const JUDGED: Record<ListedTable, (scores: string) => string> = {
  t: (scores) => `t.trace_no IN (
    SELECT x.trace_no FROM (${scores}) j CROSS JOIN traces x ON x.project = j.project AND x.trace_id = j.trace_id)`,
  p: (scores) => `p.span_no IN (
    SELECT s.span_no FROM (${scores}) j CROSS JOIN traces x ON x.project = j.project AND x.trace_id = j.trace_id
    CROSS JOIN spans s ON s.trace_no = x.trace_no AND s.span_id = j.span_id)`,
};

const ROW_NUMBERS: Record<ListedTable, string> = { t: "t.trace_no", p: "p.span_no" };

/** Those of which documents of traces say it. CROSS JOIN keeps the order of the tables. */
const TRACES_BY_DOCUMENTS = `
  SELECT d.trace_no FROM derived.trace_words f CROSS JOIN derived.documents d ON d.document = f.rowid
  WHERE f.trace_words MATCH ? AND ${wanted("f.rowid")}
  UNION ALL SELECT d.trace_no FROM derived.trace_texts f CROSS JOIN derived.documents d ON d.document = f.rowid
  WHERE f.trace_texts MATCH ? AND ${wanted("f.rowid")}`;

/**
 * The traces that have a term, or the words of a phrase: see {@link bound}. The second and the third part are of
 * documents that versions before have written.
 */
const TRACES_WITH = `${TRACES_BY_DOCUMENTS}
  UNION ALL SELECT s.trace_no FROM derived.spans_text f CROSS JOIN spans s ON s.span_no = f.rowid
  WHERE f.spans_text MATCH ? AND ${wanted("f.rowid")}`;

/** Of longer names the words are not looked up. */
const LONGEST_NAME = 200;
/** Rows of traces that have the words of a name. Those of a name that is more common are soon met in the list. */
const FEW_NAMED = 2_000;

/**
 * The traces in which a span may have a name, and the rows of these. A name is among the texts of its span, so they are
 * those that have its words, and those with spans that the index of words does not have yet. Without it, a list by a
 * name that is rare would walk through all rows. Undefined where a filter has no name, or none with a word.
 */
function namedIn(
  table: ListedTable,
  name: string | undefined,
): { readonly traces: Sql; readonly rows: Sql } | undefined {
  if (name === undefined || name.length > LONGEST_NAME) return undefined;
  const phrase = matchPhrase(name);
  if (phrase === undefined) return undefined;
  const text = `${TRACES_WITH} UNION ALL SELECT s.trace_no FROM spans s
    WHERE s.span_no > (SELECT texts FROM derived.progress) AND ${wanted("s.span_no")}`;
  const traces = { text, values: bound(phrase) };
  return { traces, rows: rowsOf(table, traces) };
}

/** The rows of some traces, one after the other, so that no more are read than are asked for. */
function rowsOf(table: ListedTable, traces: Sql): Sql {
  if (table === "t") return traces;
  const text = `SELECT x.span_no FROM (${traces.text}) w
    CROSS JOIN spans x INDEXED BY spans_by_trace ON x.trace_no = w.trace_no`;
  return { text, values: traces.values };
}

/** A term as it is bound to {@link TRACES_WITH}. */
function bound({ words, phrase }: MatchTerm): string[] {
  return [words, phrase, phrase];
}

/**
 * The traces of which the index tells that they have a phrase; others may have it, too. Documents of spans tell less:
 * the first versions wrote the texts of a span there without a border, so that a phrase may begin in one and end in
 * the next.
 */
export function tracesThatHave({ joined, phrase }: MatchTerm): Sql | undefined {
  return joined === undefined ? undefined : { text: TRACES_BY_DOCUMENTS, values: [joined, phrase] };
}

/**
 * Whether the trace `?1` has the words `?2`, or the phrase `?3` in documents that versions before have written, where
 * there are any. CROSS JOIN keeps the order of the tables.
 */
export const HAS_TERM = `
  EXISTS (SELECT 1 FROM derived.documents d CROSS JOIN derived.trace_words f ON f.rowid = d.document
    WHERE d.trace_no = ?1 AND f.trace_words MATCH ?2)
  OR (EXISTS (SELECT 1 FROM derived.trace_texts_docsize) AND EXISTS (
    SELECT 1 FROM derived.documents d CROSS JOIN derived.trace_texts f ON f.rowid = d.document
    WHERE d.trace_no = ?1 AND f.trace_texts MATCH ?3))
  OR (EXISTS (SELECT 1 FROM derived.spans_text_docsize) AND EXISTS (
    SELECT 1 FROM spans s INDEXED BY spans_by_trace CROSS JOIN derived.spans_text f ON f.rowid = s.span_no
    WHERE s.trace_no = ?1 AND f.spans_text MATCH ?3))`;

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

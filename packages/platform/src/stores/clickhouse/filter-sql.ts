import type { SearchTerm } from "@agate/spans/search";
import { distinctTerms, parseSearch } from "@agate/spans/search";
import { filterConditions } from "../filter-conditions.ts";
import type { ScoreCondition } from "../score-store.ts";
import type { ListPosition, SpanFilter } from "../span-query.ts";
import type { ClickHouseSession, Parameters } from "./clickhouse-session.ts";

/** A condition with the values of its `{name:Type}`. */
export interface Condition {
  readonly text: string;
  readonly parameters: Parameters;
}

/** Types of the columns that are no strings. */
const NUMBER_TYPES: Readonly<Record<string, string>> = {
  revision: "Int64",
  start: "Int64",
  latency: "Float64",
  cost: "Float64",
};

/** ClickHouse takes no more in one question to an index. */
const MOST_INDEXED_WORDS = 32;

/** The tables that lists read, by what tells their rows apart. */
const ROW_IDS = { traces: "trace_id", spans_by_start: "(trace_id, span_id)" } as const;

/** All conditions of a filter but its text, for the rows of a table. */
export function whereFilter(
  session: Pick<ClickHouseSession, "table">,
  table: keyof typeof ROW_IDS,
  filter: SpanFilter,
): Condition {
  const texts: string[] = ["TRUE"];
  const parameters: Record<string, unknown> = {};
  for (const { key, column, operator, value } of filterConditions(filter)) {
    texts.push(`${column} ${operator} {${key}:${NUMBER_TYPES[column] ?? "String"}}`);
    parameters[key] = value;
  }
  if (filter.traceIds !== undefined) {
    texts.push("trace_id IN {traceIds:Array(String)}");
    parameters.traceIds = filter.traceIds;
  }
  for (const condition of traceConditions(filter)) {
    const text = `${condition.isNegated ? "NOT " : ""}(${condition.rare})`;
    texts.push(table === "traces" ? text : whereTrace(session, condition));
  }
  if (filter.run !== undefined) parameters.run = filter.run;
  if (filter.score !== undefined) {
    const { text, parameters: more } = whereScored(session, ROW_IDS[table], filter.score);
    texts.push(text);
    Object.assign(parameters, more);
  }
  return { text: texts.join(" AND "), parameters };
}

/** A condition on a trace by what few of them have: a run, a failed span. */
interface TraceCondition {
  readonly rare: string;
  readonly isNegated: boolean;
}

function traceConditions({ run, traffic, anyError }: SpanFilter): TraceCondition[] {
  return [
    ...(run === undefined ? [] : [{ rare: "run = {run:String}", isNegated: false }]),
    ...(traffic === undefined ? [] : [{ rare: "isNotNull(run)", isNegated: traffic === "live" }]),
    ...(anyError === undefined ? [] : [{ rare: "failed_spans > 0", isNegated: !anyError }]),
  ];
}

/**
 * A span by what holds for its trace. The few traces that have it are looked up, also where the others are wanted.
 * Of the rows of a trace the latest counts; one that marks a start as moved has neither run nor failed spans.
 */
function whereTrace(
  session: Pick<ClickHouseSession, "table">,
  { rare, isNegated }: TraceCondition,
): string {
  const traces = `FROM ${session.table("traces_by_id")} WHERE project = {project:String}`;
  return `trace_id ${isNegated ? "NOT IN" : "IN"} (
    SELECT trace_id ${traces} AND trace_id IN (SELECT trace_id ${traces} AND ${rare})
    GROUP BY trace_id HAVING argMax(ifNull(${rare}, 0), (version, 1 - moved)))`;
}

/** A trace by the scores of any of its spans, a span by those that name it. */
function whereScored(
  session: Pick<ClickHouseSession, "table">,
  rowId: string,
  { name, test }: ScoreCondition,
): Condition {
  const scores = `FROM ${session.table("scores")}
    WHERE project = {project:String} AND name = {scoreName:String}`;
  if (test === "any" || test === "none") {
    const operator = test === "any" ? "IN" : "NOT IN";
    return {
      text: `${rowId} ${operator} (SELECT ${rowId} ${scores})`,
      parameters: { scoreName: name },
    };
  }
  const [wanted, parameters] =
    typeof test === "string"
      ? ["argMax(status, version) = {scoreStatus:String}", { scoreStatus: test }]
      : [
          `ifNull((argMax((value, status), version) AS judged).1 ${test.operator} {scoreValue:Float64}, 0)`,
          { scoreValue: test.value },
        ];
  return {
    text: `${rowId} IN (
      SELECT ${rowId} ${scores} GROUP BY trace_id, span_id, score_id HAVING ${wanted})`,
    parameters: { scoreName: name, ...parameters },
  };
}

/**
 * What holds for rows of `spans_by_start` in which a text is found; undefined where nothing can be
 * found by it, since there is no word in it.
 *
 * The index of words finds rows that have all of them; whether words follow each other, and what a
 * word begins with, is then seen in the row itself.
 */
export function whereText(text: string): Condition | undefined {
  const terms = parseSearch(text);
  return terms.length === 0 ? undefined : whereTerms(terms);
}

/** The same for each term of a text by itself: a trace may have them in different spans. */
export function whereEachTerm(text: string): readonly Condition[] | undefined {
  const terms = distinctTerms(text);
  if (terms.length === 0) return undefined;
  return terms.toSorted(byRarity).map((term, n) => whereTerms([term], `term${n}_`));
}

/** The first are most likely rare: long words and phrases, and no beginnings of words. */
function byRarity(one: SearchTerm, other: SearchTerm): number {
  const length = ({ words }: SearchTerm) => words.join(" ").length;
  return Number(one.isPrefix) - Number(other.isPrefix) || length(other) - length(one);
}

/** @param prefix Of the names of parameters. */
function whereTerms(terms: readonly SearchTerm[], prefix = ""): Condition {
  const whole = terms.flatMap(({ words, isPrefix }) => (isPrefix ? words.slice(0, -1) : words));
  const indexed = [...new Set(whole)].slice(0, MOST_INDEXED_WORDS);
  const sought = terms
    .filter(({ words, isPrefix }) => isPrefix || words.length > 1 || !indexed.includes(words[0]!))
    .map(({ words, isPrefix }) => ` ${words.join(" ")}${isPrefix ? "" : " "}`);
  const texts = [
    ...(indexed.length === 0 ? [] : [`hasAllTokens(words, {${prefix}indexed:Array(String)})`]),
    ...sought.map((_, n) => `position(words, {${prefix}sought${n}:String}) > 0`),
  ];
  return {
    text: texts.join(" AND "),
    parameters: {
      ...(indexed.length === 0 ? {} : { [`${prefix}indexed`]: indexed }),
      ...Object.fromEntries(sought.map((phrase, n) => [`${prefix}sought${n}`, phrase])),
    },
  };
}

/** Everything that comes after a position in a list of traces. */
export function tracesAfter(after: ListPosition | null): Condition {
  if (after === null) return { text: "TRUE", parameters: {} };
  // The first condition alone lets ClickHouse begin in the middle of the rows.
  return {
    text: `start <= {afterStart:Int64} AND (start, start_nanos, trace_id) <
      ({afterStart:Int64}, {afterNanos:UInt16}, {afterTrace:String})`,
    parameters: {
      afterStart: after.start,
      afterNanos: after.startNanos,
      afterTrace: after.traceId,
    },
  };
}

/** Everything that comes after a position in a list of spans. */
export function spansAfter(after: ListPosition | null): Condition {
  if (after === null) return { text: "TRUE", parameters: {} };
  return {
    text: `start <= {afterStart:Int64}
      AND (start, start_nanos, span_id, trace_id) <
        ({afterStart:Int64}, {afterNanos:UInt16}, {afterSpan:String}, {afterTrace:String})`,
    parameters: {
      afterStart: after.start,
      afterNanos: after.startNanos,
      afterSpan: after.spanId ?? "",
      afterTrace: after.traceId,
    },
  };
}

import { filterConditions } from "../filter-conditions.ts";
import { parseSearch } from "../search/search-text.ts";
import type { ListPosition, SpanFilter } from "../span-query.ts";
import type { Parameters } from "./clickhouse-session.ts";

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

/** All conditions of a filter but its text; they hold for rows of `traces` and of `spans_by_start`. */
export function whereFilter(filter: SpanFilter): Condition {
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
  return { text: texts.join(" AND "), parameters };
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
  if (terms.length === 0) return undefined;
  const whole = terms.flatMap(({ words, isPrefix }) => (isPrefix ? words.slice(0, -1) : words));
  const indexed = [...new Set(whole)].slice(0, MOST_INDEXED_WORDS);
  const sought = terms
    .filter(({ words, isPrefix }) => isPrefix || words.length > 1 || !indexed.includes(words[0]!))
    .map(({ words, isPrefix }) => ` ${words.join(" ")}${isPrefix ? "" : " "}`);
  const texts = [
    ...(indexed.length === 0 ? [] : ["hasAllTokens(words, {indexed:Array(String)})"]),
    ...sought.map((_, n) => `position(words, {sought${n}:String}) > 0`),
  ];
  return {
    text: texts.join(" AND "),
    parameters: {
      ...(indexed.length === 0 ? {} : { indexed }),
      ...Object.fromEntries(sought.map((phrase, n) => [`sought${n}`, phrase])),
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

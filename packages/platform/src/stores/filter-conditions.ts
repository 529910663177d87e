import type { SpanFilter } from "./span-query.ts";

/** One condition of a filter on a column that traces and spans have in every store. */
export interface FilterCondition {
  readonly key: Exclude<
    keyof SpanFilter,
    "text" | "traceIds" | "score" | "run" | "traffic" | "anyError"
  >;
  readonly column: string;
  readonly operator: "=" | ">=" | "<";
  readonly value: string | number;
  /** Whether the column may have any length, and an index of its own. */
  readonly isIndexed: boolean;
}

/** From the rarest values to the most common: a session has fewer rows than an environment. */
const INDEXED = [
  ["sessionId", "session_id"],
  ["userId", "user_id"],
  ["route", "route"],
  ["variant", "variant"],
  ["environment", "environment"],
  ["application", "application"],
] as const;

const COMPARED = [
  ["revision", "revision", "="],
  ["spankind", "spankind", "="],
  ["name", "name", "="],
  ["status", "status", "="],
  ["startedFrom", "start", ">="],
  ["startedBefore", "start", "<"],
  ["minLatency", "latency", ">="],
  ["minCost", "cost", ">="],
] as const;

/** The conditions of a filter on single columns: all but its text, its score, its traffic and the ids of traces. */
export function filterConditions(filter: SpanFilter): FilterCondition[] {
  const conditions: FilterCondition[] = [];
  for (const [key, column] of INDEXED) {
    const value = filter[key];
    if (value === undefined) continue;
    conditions.push({ key, column, operator: "=", value, isIndexed: true });
  }
  for (const [key, column, operator] of COMPARED) {
    const value = filter[key];
    if (value === undefined) continue;
    conditions.push({ key, column, operator, value, isIndexed: false });
  }
  return conditions;
}

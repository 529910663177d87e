import type { FilterCondition } from "../filter-conditions.ts";
import type { SpanColumns } from "../summary/summary-columns.ts";

/** The columns of which a zone has marks, and where they are in a row: see {@link markOf}. */
const MARKED = [
  ["spankind", 5],
  ["status", 6],
  ["application", 7],
  ["route", 8],
  ["variant", 9],
  ["revision", 10],
  ["environment", 11],
] as const;
export const MARKED_NAMES: readonly string[] = MARKED.map(([name]) => name);
/**
 * The columns whose values divide a zone into subsets, from those with rare values to those with common ones. Not the
 * route, which has an index, nor the revision, which says little without its variant. A subset is stored by the place
 * of its column here, so places must stay the same in all versions.
 */
const DIVIDING = [
  ["name", 4],
  ["variant", 9],
  ["environment", 11],
  ["application", 7],
  ["spankind", 5],
  ["status", 6],
] as const;
const [START, LATENCY, NAME, COST] = [1, 3, 4, 15] as const;
const MARKS = 31;
/** The subset that is all of a zone. */
export const WHOLE = 0;

/**
 * One of 31 bits, by a value. A zone that lacks the bit has no row with the value; one that has it may have such a
 * row. It is stored, so it must stay the same in all versions.
 */
export function markOf(value: string | number | null): number {
  return value === null ? 0 : 1 << bitOf(value);
}

export function marksOf(row: SpanColumns): number[] {
  return MARKED.map(([, at]) => markOf(row[at]));
}

/** The subset of a zone that has all rows with some values, and as few others as may be. */
export function subsetWith(values: ReadonlyMap<string, string | number>): number {
  for (const [place, [column]] of DIVIDING.entries()) {
    const value = values.get(column);
    if (value !== undefined) return subsetOf(place, value);
  }
  return WHOLE;
}

/** The subset that a list with some conditions reads: that of its rarest value. */
export function subsetFor(conditions: readonly FilterCondition[]): number {
  const equal = conditions.filter(({ operator }) => operator === "=");
  return subsetWith(new Map(equal.map(({ column, value }) => [column, value])));
}

/** The subsets of its zone that a row is in. */
export function subsetsOf(row: SpanColumns): number[] {
  const subsets = [WHOLE];
  for (const [place, [, at]] of DIVIDING.entries()) {
    const value = row[at];
    if (value !== null) subsets.push(subsetOf(place, value));
  }
  return subsets;
}

/** One for each mark of a column. */
function subsetOf(place: number, value: string | number): number {
  return 1 + MARKS * place + bitOf(value);
}

function bitOf(value: string | number): number {
  // FNV-1a, folded so that all kinds of spans have a bit of their own. No database keeps half of a surrogate pair.
  const text = String(value).toWellFormed();
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return ((hash ^ (hash >>> 15)) >>> 0) % MARKS;
}

/** What must hold of the bounds of a subset of which a row meets a condition. */
export type BoundsTest =
  | { readonly kind: "mark"; readonly column: string; readonly mark: number }
  | {
      readonly kind: "compare";
      readonly column: "latency" | "cost" | "first_start" | "last_start";
      readonly operator: ">=" | "<";
      readonly value: number;
    };

/** The test of a condition; undefined where bounds tell nothing of it. */
export function testOf({ column, operator, value }: FilterCondition): BoundsTest | undefined {
  if (MARKED_NAMES.includes(column)) return { kind: "mark", column, mark: markOf(value) };
  if (operator === "=" || typeof value === "string") return undefined;
  if (column === "latency" || column === "cost")
    return { kind: "compare", column, operator, value };
  if (column !== "start") return undefined;
  const bound = operator === ">=" ? "last_start" : "first_start";
  return { kind: "compare", column: bound, operator, value };
}

/** What rows have. */
export interface Bounds {
  firstStart: number;
  lastStart: number;
  latency: number;
  cost: number;
  readonly marks: readonly number[];
}

/** Rows of a zone that have the same marks and are in the same subsets. */
export interface AlikeRows {
  readonly subsets: readonly number[];
  readonly bounds: Bounds;
}

/** Whether two rows have the same name and the same value of every column with marks. */
export function isAlike(one: SpanColumns, other: SpanColumns): boolean {
  for (const [, at] of MARKED) if (one[at] !== other[at]) return false;
  return one[NAME] === other[NAME];
}

/** The bounds of a row, and of those like it once it is {@link widen}ed by them. */
export function alikeRows(row: SpanColumns): AlikeRows {
  const bounds: Bounds = {
    firstStart: row[START],
    lastStart: row[START],
    latency: row[LATENCY] ?? Number.NEGATIVE_INFINITY,
    cost: row[COST] ?? Number.NEGATIVE_INFINITY,
    marks: marksOf(row),
  };
  return { subsets: subsetsOf(row), bounds };
}

/** Widens bounds by a row that is like the others. */
export function widen(bounds: Bounds, row: SpanColumns): void {
  bounds.firstStart = Math.min(bounds.firstStart, row[START]);
  bounds.lastStart = Math.max(bounds.lastStart, row[START]);
  bounds.latency = Math.max(bounds.latency, row[LATENCY] ?? bounds.latency);
  bounds.cost = Math.max(bounds.cost, row[COST] ?? bounds.cost);
}

export function boundsOfSubsets(all: Iterable<AlikeRows>): Map<number, Bounds> {
  const found = new Map<number, Bounds>();
  for (const { subsets, bounds } of all) {
    for (const subset of subsets) {
      const known = found.get(subset);
      found.set(subset, known === undefined ? bounds : joined(known, bounds));
    }
  }
  return found;
}

function joined(one: Bounds, other: Bounds): Bounds {
  return {
    firstStart: Math.min(one.firstStart, other.firstStart),
    lastStart: Math.max(one.lastStart, other.lastStart),
    latency: Math.max(one.latency, other.latency),
    cost: Math.max(one.cost, other.cost),
    marks: one.marks.map((mark, n) => mark | other.marks[n]!),
  };
}

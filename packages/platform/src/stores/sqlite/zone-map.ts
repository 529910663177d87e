import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { SpanColumns } from "../summary/summary-columns.ts";
import type { ListedTable } from "./sql.ts";

/** Numbers of rows that a zone has: what is read where a zone may have a row that is looked for. */
const TRACES_PER_ZONE = 256;
const SPANS_PER_ZONE = 512;

/** The zones of a table, by the alias that queries give it. */
export const ZONES = {
  t: { table: "trace_zones", rows: "traces", number: "trace_no", size: TRACES_PER_ZONE },
  p: { table: "span_zones", rows: "spans", number: "span_no", size: SPANS_PER_ZONE },
} as const satisfies Record<ListedTable, object>;

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
const WHOLE = 0;

/** Whether a zone has marks of a column. */
export function isMarked(column: string): boolean {
  return MARKED_NAMES.includes(column);
}

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
  // FNV-1a, folded so that all kinds of spans have a bit of their own. SQLite keeps no half of a surrogate pair.
  const text = String(value).toWellFormed();
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return ((hash ^ (hash >>> 15)) >>> 0) % MARKS;
}

/** What rows have. */
interface Bounds {
  firstStart: number;
  lastStart: number;
  latency: number;
  cost: number;
  readonly marks: readonly number[];
}

/** Rows of a zone that have the same marks and are in the same subsets. */
interface AlikeRows {
  readonly first: SpanColumns;
  readonly subsets: readonly number[];
  readonly bounds: Bounds;
}

/** The rows of a zone that belong to one project, by their names. */
interface Zone {
  readonly zone: number;
  readonly project: string;
  readonly rows: Map<string, AlikeRows[]>;
}

/**
 * Bounds of what rows have whose numbers follow each other: the first and the last start, the highest latency and
 * cost, and which values there are; of all of them, and of each subset. A list by what few rows have reads only zones
 * that may have some: see rows-by-zone.ts. Bounds are never narrowed, so a row that is replaced or deleted leaves them
 * too wide at worst.
 *
 * Every method that writes must run inside a transaction.
 */
export class ZoneMap {
  readonly #widen: Record<ListedTable, StatementSync>;
  readonly #dropEmpty: Record<ListedTable, StatementSync>;
  /** What {@link write} has yet to store. After a transaction that failed, it makes bounds too wide at worst. */
  readonly #held = { t: new Map<string, Zone>(), p: new Map<string, Zone>() };

  constructor(db: DatabaseSync) {
    this.#widen = { t: db.prepare(widenSql("t")), p: db.prepare(widenSql("p")) };
    this.#dropEmpty = { t: db.prepare(dropSql("t")), p: db.prepare(dropSql("p")) };
  }

  /**
   * Widens the bounds of the zone that a row is in; {@link write} must follow before the transaction ends.
   *
   * @param row What a trace has in its own columns is given as that of a span.
   */
  add(table: ListedTable, number: number, project: string, row: SpanColumns): void {
    const zone = Math.floor(number / ZONES[table].size);
    const key = `${zone} ${project}`;
    let held = this.#held[table].get(key);
    if (held === undefined) {
      held = { zone, project, rows: new Map() };
      this.#held[table].set(key, held);
    }
    const { bounds } = alikeRows(held, row);
    bounds.firstStart = Math.min(bounds.firstStart, row[START]);
    bounds.lastStart = Math.max(bounds.lastStart, row[START]);
    bounds.latency = Math.max(bounds.latency, row[LATENCY] ?? bounds.latency);
    bounds.cost = Math.max(bounds.cost, row[COST] ?? bounds.cost);
  }

  write(): void {
    for (const table of ["t", "p"] as const) {
      for (const { zone, project, rows } of this.#held[table].values()) {
        for (const [subset, bounds] of boundsOfSubsets(rows)) {
          const { firstStart, lastStart, latency, cost, marks } = bounds;
          const values = [firstStart, lastStart, latency, cost, ...marks];
          this.#widen[table].run(zone, project, subset, ...values);
        }
      }
      this.#held[table].clear();
    }
  }

  /** Drops zones before the first row, which are left when old traces have been deleted. */
  dropEmpty(): void {
    this.#dropEmpty.t.run();
    this.#dropEmpty.p.run();
  }
}

/** Those that a row belongs to: most rows of a batch are like others of it, and are divided into subsets together. */
function alikeRows({ rows }: Zone, row: SpanColumns): AlikeRows {
  let named = rows.get(row[NAME]);
  if (named === undefined) {
    named = [];
    rows.set(row[NAME], named);
  }
  for (const alike of named) if (isAlike(alike.first, row)) return alike;
  const alike = {
    first: row,
    subsets: subsetsOf(row),
    bounds: {
      firstStart: row[START],
      lastStart: row[START],
      latency: Number.NEGATIVE_INFINITY,
      cost: Number.NEGATIVE_INFINITY,
      marks: marksOf(row),
    },
  };
  named.push(alike);
  return alike;
}

function isAlike(one: SpanColumns, other: SpanColumns): boolean {
  for (const [, at] of MARKED) if (one[at] !== other[at]) return false;
  return true;
}

function boundsOfSubsets(rows: Zone["rows"]): Map<number, Bounds> {
  const found = new Map<number, Bounds>();
  for (const { subsets, bounds } of [...rows.values()].flat()) {
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

function widenSql(table: ListedTable): string {
  const names = ["zone", "project", "subset", "first_start", "last_start", "latency", "cost"];
  const highest = ["last_start", "latency", "cost"];
  return `INSERT INTO ${ZONES[table].table} (${[...names, ...MARKED_NAMES].join(", ")})
    VALUES (${[...names, ...MARKED_NAMES].map(() => "?").join(", ")})
    ON CONFLICT (zone, project, subset) DO UPDATE SET ${[
      "first_start = min(first_start, excluded.first_start)",
      ...highest.map((name) => `${name} = max(${name}, excluded.${name})`),
      ...MARKED_NAMES.map((name) => `${name} = ${name} | excluded.${name}`),
    ].join(", ")}`;
}

function dropSql(table: ListedTable): string {
  const { table: zones, rows, number, size } = ZONES[table];
  const first = `(SELECT min(${number}) FROM ${rows}) / ${size}`;
  return `DELETE FROM ${zones} WHERE zone < coalesce(${first}, zone + 1)`;
}

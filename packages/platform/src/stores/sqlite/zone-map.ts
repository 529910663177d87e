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

/** The columns of which a zone has marks: see {@link markOf}. In the order of their values in a row. */
const MARKED = [
  ["spankind", 5],
  ["status", 6],
  ["application", 7],
  ["route", 8],
  ["variant", 9],
  ["revision", 10],
  ["environment", 11],
] as const;
const MARKED_NAMES: readonly string[] = MARKED.map(([name]) => name);
const [START, LATENCY, COST] = [1, 3, 15] as const;
const MARKS = 31;

/** Whether a zone has marks of a column. */
export function isMarked(column: string): boolean {
  return MARKED_NAMES.includes(column);
}

/**
 * One of 31 bits, by a value. A zone that lacks the bit has no row with the value; one that has it may have such a
 * row. It is stored, so it must stay the same in all versions.
 */
export function markOf(value: string | number | null): number {
  if (value === null) return 0;
  // FNV-1a, folded so that all kinds of spans have a bit of their own. SQLite keeps no half of a surrogate pair.
  const text = String(value).toWellFormed();
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return 1 << (((hash ^ (hash >>> 15)) >>> 0) % MARKS);
}

/** What the rows of a zone have, of one project. */
interface Bounds {
  readonly zone: number;
  readonly project: string;
  firstStart: number;
  lastStart: number;
  latency: number;
  cost: number;
  readonly marks: number[];
  /** The values that were marked last: rows that follow each other mostly have the same. */
  readonly marked: unknown[];
}

/**
 * Bounds of what rows have whose numbers follow each other: the first and the last start, the highest latency and
 * cost, and which values there are. A list by what few rows have reads only zones that may have some: see
 * rows-by-zone.ts. Bounds are never narrowed, so a row that is replaced or deleted leaves them too wide at worst.
 *
 * Every method that writes must run inside a transaction.
 */
export class ZoneMap {
  readonly #widen: Record<ListedTable, StatementSync>;
  readonly #dropEmpty: Record<ListedTable, StatementSync>;
  /** What {@link write} has yet to store. After a transaction that failed, it makes bounds too wide at worst. */
  readonly #held = { t: new Map<string, Bounds>(), p: new Map<string, Bounds>() };

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
    let bounds = this.#held[table].get(key);
    if (bounds === undefined) {
      bounds = {
        zone,
        project,
        firstStart: row[START],
        lastStart: row[START],
        latency: Number.NEGATIVE_INFINITY,
        cost: Number.NEGATIVE_INFINITY,
        marks: MARKED.map(() => 0),
        marked: MARKED.map(() => null),
      };
      this.#held[table].set(key, bounds);
    }
    bounds.firstStart = Math.min(bounds.firstStart, row[START]);
    bounds.lastStart = Math.max(bounds.lastStart, row[START]);
    bounds.latency = Math.max(bounds.latency, row[LATENCY] ?? bounds.latency);
    bounds.cost = Math.max(bounds.cost, row[COST] ?? bounds.cost);
    for (let n = 0; n < MARKED.length; n++) {
      const value = row[MARKED[n]![1]];
      if (value === bounds.marked[n]) continue;
      bounds.marked[n] = value;
      bounds.marks[n]! |= markOf(value);
    }
  }

  write(): void {
    for (const table of ["t", "p"] as const) {
      for (const bounds of this.#held[table].values()) {
        const { zone, project, firstStart, lastStart, latency, cost, marks } = bounds;
        this.#widen[table].run(zone, project, firstStart, lastStart, latency, cost, ...marks);
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

function widenSql(table: ListedTable): string {
  const names = ["zone", "project", "first_start", "last_start", "latency", "cost"];
  const highest = ["last_start", "latency", "cost"];
  return `INSERT INTO ${ZONES[table].table} (${[...names, ...MARKED_NAMES].join(", ")})
    VALUES (${[...names, ...MARKED_NAMES].map(() => "?").join(", ")})
    ON CONFLICT (zone, project) DO UPDATE SET ${[
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

/** How many rows the bounds of their zones leave out, besides those that are yet to be added. */
export function countOutside(db: DatabaseSync, table: ListedTable): number {
  db.function("mark_of", { deterministic: true }, (value) =>
    markOf(value as string | number | null),
  );
  const { table: zones, rows, number, size } = ZONES[table];
  const outside = [
    "z.zone IS NULL",
    "r.start < z.first_start",
    "r.start > z.last_start",
    "r.latency > z.latency",
    "r.cost > z.cost",
    ...MARKED_NAMES.map((name) => `mark_of(r.${name}) & ~z.${name}`),
  ];
  const { n } = db
    .prepare(
      `SELECT count(*) AS n FROM ${rows} r
       LEFT JOIN ${zones} z ON z.zone = r.${number} / ${size} AND z.project = r.project
       WHERE r.${number} > coalesce((SELECT ${rows} FROM unzoned), 0) AND (${outside.join(" OR ")})`,
    )
    .get() as { n: number };
  return n;
}

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { SpanColumns } from "../summary/summary-columns.ts";
import type { AlikeRows } from "../zones/zone-bounds.ts";
import { alikeRows, boundsOfSubsets, isAlike, MARKED_NAMES, widen } from "../zones/zone-bounds.ts";
import type { ListedTable } from "./sql.ts";

const NAME = 4;

/** Numbers of rows that a zone has: what is read where a zone may have a row that is looked for. */
const TRACES_PER_ZONE = 256;
const SPANS_PER_ZONE = 512;

/** The zones of a table, by the alias that queries give it. */
export const ZONES = {
  t: { table: "trace_zones", rows: "traces", number: "trace_no", size: TRACES_PER_ZONE },
  p: { table: "span_zones", rows: "spans", number: "span_no", size: SPANS_PER_ZONE },
} as const satisfies Record<ListedTable, object>;

/** Rows that are alike, and one of them. */
interface Alike extends AlikeRows {
  readonly first: SpanColumns;
}

/** The rows of a zone that belong to one project, by their names. */
interface Zone {
  readonly zone: number;
  readonly project: string;
  readonly rows: Map<string, Alike[]>;
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
    widen(likeOf(held, row).bounds, row);
  }

  write(): void {
    for (const table of ["t", "p"] as const) {
      for (const { zone, project, rows } of this.#held[table].values()) {
        for (const [subset, bounds] of boundsOfSubsets([...rows.values()].flat())) {
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
function likeOf({ rows }: Zone, row: SpanColumns): Alike {
  const name = row[NAME];
  let named = rows.get(name);
  if (named === undefined) {
    named = [];
    rows.set(name, named);
  }
  for (const alike of named) if (isAlike(alike.first, row)) return alike;
  const alike = { first: row, ...alikeRows(row) };
  named.push(alike);
  return alike;
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

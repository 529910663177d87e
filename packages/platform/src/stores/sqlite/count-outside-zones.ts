import type { DatabaseSync } from "node:sqlite";
import type { SpanColumns } from "../summary/summary-columns.ts";
import { MARKED_NAMES, marksOf, subsetsOf } from "../zones/zone-bounds.ts";
import type { ListedTable } from "./sql.ts";
import type { NumberedRow } from "./zone-filler.ts";
import { selectRows } from "./zone-filler.ts";
import { ZONES } from "./zone-map.ts";

/** As it is stored for a subset of a zone. */
type StoredBounds = readonly [
  firstStart: number,
  lastStart: number,
  latency: number,
  cost: number,
  ...marks: number[],
];

/** How many rows the bounds of their zones leave out, besides those that are yet to be added. */
export function countOutsideZones(db: DatabaseSync, table: ListedTable): number {
  const { table: zones, rows, number, size } = ZONES[table];
  const names = ["first_start", "last_start", "latency", "cost", ...MARKED_NAMES].join(", ");
  const stored = db.prepare(`SELECT project, subset, ${names} FROM ${zones} WHERE zone = ?`);
  stored.setReturnArrays(true);
  const numbered = selectRows(
    db,
    table,
    `${number} > coalesce((SELECT ${rows} FROM unzoned), 0) ORDER BY ${number}`,
  );
  // A damaged number may be larger than those of JavaScript; it is compared like any other.
  numbered.setReadBigInts(true);
  let zone = -1;
  let bounds = new Map<string, StoredBounds>();
  let outside = 0;
  for (const each of numbered.iterate() as Iterable<unknown> as Iterable<NumberedRow>) {
    const [at, project, ...row] = each;
    const zoneOfRow = Math.floor(Number(at) / size);
    if (zoneOfRow !== zone) {
      zone = zoneOfRow;
      const all = stored.all(zone) as unknown as [string, number, ...StoredBounds][];
      bounds = new Map(all.map(([of, subset, ...found]) => [`${subset} ${of}`, found]));
    }
    const isInside = subsetsOf(row).every((subset) =>
      isWithin(row, bounds.get(`${subset} ${project}`)),
    );
    if (!isInside) outside++;
  }
  return outside;
}

function isWithin(row: SpanColumns, bounds: StoredBounds | undefined): boolean {
  if (bounds === undefined) return false;
  const [, start, , latency] = row;
  const cost = row[15];
  const [firstStart, lastStart, highestLatency, highestCost, ...marks] = bounds;
  return (
    start >= firstStart &&
    start <= lastStart &&
    (latency === null || latency <= highestLatency) &&
    (cost === null || cost <= highestCost) &&
    marksOf(row).every((mark, n) => (mark & ~marks[n]!) === 0)
  );
}

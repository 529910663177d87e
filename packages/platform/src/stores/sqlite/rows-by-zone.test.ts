import { DatabaseSync } from "node:sqlite";
import type { SpanKind } from "@agate/protocol";
import { SPAN_KINDS, SPAN_STATUSES } from "@agate/protocol";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { SpanFilter } from "../span-query.ts";
import type { SpanColumns } from "../summary/summary-columns.ts";
import { markOf, subsetWith } from "../zones/zone-bounds.ts";
import { countOutsideZones } from "./count-outside-zones.ts";
import { interruptMemory, QueryInterrupt } from "./query-interrupt.ts";
import type { ListPart, ZonedList } from "./rows-by-zone.ts";
import { partSql, rowsByZone, zonesOf } from "./rows-by-zone.ts";
import { migrate } from "./span-schema.ts";
import type { Sql } from "./sql.ts";
import { ZONES, ZoneMap } from "./zone-map.ts";

// The order of a list does not depend on how many zones it is read from, nor on how their starts overlap.

interface Row {
  readonly zone: number;
  readonly place: number;
  readonly start: number;
  readonly latency: number | null;
  readonly spankind: string;
  readonly name: string;
  readonly environment: string;
}

const { size } = ZONES.p;
/** On both sides of the numbers of zones that are read at once: 16 and 256. */
const zoneCount = fc.constantFrom(0, 1, 15, 16, 17, 18, 255, 256, 257, 258, 273, 274, 300);
/** The last rows, on both sides of how many are looked at without zones. */
const FIRST_ROWS = 2_000;
const newest = fc.constantFrom(0, FIRST_ROWS - 1, FIRST_ROWS, FIRST_ROWS + 1, FIRST_ROWS + 600);
/** How far the start of a row lies from where its number would put it. */
const disorder = fc.constantFrom(0, 1, 5, 1_000);
const LATENCIES = [null, 0, 1, 2, 3] as const;
const KINDS = ["LLM", "TOOL"] as const;
const NAMES = ["chat", "search", "plan"] as const;
const ENVIRONMENTS = ["production", "staging"] as const;

const rows = fc
  .record({ zones: zoneCount, newest, disorder, seed: fc.nat(), perZone: fc.constantFrom(1, 3) })
  .map(({ zones, newest, disorder, seed, perZone }) => {
    const next = numbers(seed);
    const made = new Map<number, Row>();
    const add = (zone: number, place: number) => {
      const start = made.size + next(2 * disorder + 1) - disorder;
      const latency = LATENCIES[next(LATENCIES.length)] as Row["latency"];
      const spankind = KINDS[next(KINDS.length)] as string;
      const name = NAMES[next(NAMES.length)] as string;
      const environment = ENVIRONMENTS[next(ENVIRONMENTS.length)] as string;
      const row = { zone, place, start, latency, spankind, name, environment };
      made.set(zone * size + place, row);
    };
    for (let n = 0; n < zones * perZone; n++) {
      add(Math.floor(n / perZone), [0, size - 1, next(size)][next(3)] as number);
    }
    for (let n = 0; n < newest; n++) add(zones + Math.floor(n / size), n % size);
    return [...made.values()];
  });

it("gives the rows of zones in the order of the list, each once", () => {
  const property = fc.property(
    rows,
    fc.constantFrom(0, 1, 2, 3, 4),
    fc.constantFrom<SpanKind | undefined>(undefined, "LLM", "TOOL", "AGENT"),
    fc.constantFrom(undefined, "chat", "search", "none"),
    fc.option(fc.nat(3_000)),
    (stored, minLatency, spankind, name, last) => {
      using db = databaseOf(stored);
      expect(countOutsideZones(db, "p")).toBe(0);
      const filter = { minLatency, ...(spankind && { spankind }), ...(name && { name }) };
      const having = zonesOf("p", "default", filter)!;
      const parts: ListPart[] = [];
      const found = rowsByZone(db, listOf(having, last), (part) => {
        parts.push(part);
        return readPart(db, part, filter, last);
      });
      const wanted = stored
        .filter(({ latency }) => latency !== null && latency >= minLatency)
        .filter((row) => spankind === undefined || row.spankind === spankind)
        .filter((row) => name === undefined || row.name === name)
        .filter(({ start }) => last === null || start <= last)
        .map(({ zone, place, start }) => ({ start, span_no: zone * size + place }))
        .sort((a, b) => b.start - a.start || b.span_no - a.span_no);
      expect([...found]).toEqual(wanted);
      // Without a zone that may match, none is read.
      if (minLatency === 4 || spankind === "AGENT" || name === "none")
        expect(parts.flatMap(({ zones }) => zones ?? [])).toEqual([]);
    },
  );
  fc.assert(property, { numRuns: 60, seed: 18 });
});

it("reads only a few zones where these have a page", () => {
  // One row to a zone; before them, as many of one zone as are looked at first, without a match.
  const stored = Array.from({ length: 400 }, (_, zone) => ({
    zone,
    place: 0,
    start: zone,
    latency: zone % 4,
    ...CALL,
  }));
  for (let n = 0; n < FIRST_ROWS; n++) {
    const zone = 400 + Math.floor(n / size);
    stored.push({ zone, place: n % size, start: 400 + n, latency: 0, ...CALL });
  }
  using db = databaseOf(stored);
  const having = zonesOf("p", "default", { minLatency: 3 })!;
  const parts: ListPart[] = [];
  const list = rowsByZone(db, listOf(having, null), (part) => {
    parts.push(part);
    return readPart(db, part, { minLatency: 3 }, null);
  });
  const found: number[] = [];
  for (const { start } of list) if (found.push(start) === 10) break;
  expect(found).toEqual(Array.from({ length: 10 }, (_, n) => 399 - 4 * n));
  expect(parts.map(({ zones }) => zones?.length)).toEqual([undefined, 16]);
});

it.each<SpanFilter>([
  { minLatency: 3, spankind: "LLM" },
  { minLatency: 3, name: "chat" },
  { minLatency: 3, environment: "production" },
  { spankind: "TOOL", environment: "production" },
  { spankind: "TOOL", name: "chat" },
])("reads no zone where %o are all common, but never in one row", (filter) => {
  const stored: Row[] = [];
  for (let n = 0; n < 2 * FIRST_ROWS; n++) {
    const row = { zone: Math.floor(n / size), place: n % size, start: n };
    const call = { ...CALL, latency: 0 };
    stored.push({ ...row, ...(n % 2 === 0 ? call : SLOW) });
  }
  using db = databaseOf(stored);
  const having = zonesOf("p", "default", filter)!;
  const parts: ListPart[] = [];
  const list = rowsByZone(db, listOf(having, null), (part) => {
    parts.push(part);
    return readPart(db, part, filter, null);
  });
  expect([...list]).toEqual([]);
  // The first rows, which are always looked at, and nothing more.
  expect(parts.map(({ zones }) => zones?.length)).toEqual([undefined, 0]);
});

it("marks a value by the same bit in all versions", () => {
  expect(markOf(null)).toBe(0);
  const values = [
    "LLM",
    "OK",
    "ERROR",
    "UNSET",
    "production",
    "",
    "ünï",
    "\ud800",
    "\ufffd",
    1,
    32,
  ];
  const bits = values.map((value) => Math.log2(markOf(value)));
  expect(bits).toEqual([30, 1, 29, 6, 7, 19, 30, 18, 18, 6, 21]);
  for (const all of [SPAN_KINDS, SPAN_STATUSES]) {
    expect(new Set(all.map(markOf)).size).toBe(all.length);
  }
});

it("divides a zone by the same subsets in all versions, the rarest first", () => {
  const given: [string, string][] = [
    ["route", "/answer"],
    ["status", "OK"],
    ["spankind", "LLM"],
    ["application", "chat"],
    ["environment", "production"],
    ["variant", "default"],
    ["name", "step"],
  ];
  const numbers = given.map((_, n) => subsetWith(new Map(given.slice(0, n + 1))));
  expect(numbers).toEqual([0, 157, 155, 97, 70, 41, 23]);
});

const CALL = { spankind: "LLM", name: "chat", environment: "production" } as const;
const SLOW = { latency: 3, spankind: "TOOL", name: "search", environment: "staging" } as const;

function listOf(having: Sql, last: number | null): ZonedList {
  return { table: "p", project: "default", having, last: last ?? undefined };
}

function databaseOf(stored: readonly Row[]): DatabaseSync {
  const db = new DatabaseSync(":memory:");
  migrate(db);
  new QueryInterrupt(db, interruptMemory());
  const insert = db.prepare(
    `INSERT INTO spans (span_no, trace_no, segment, span_id, project, start, latency, name, spankind, status, environment)
     VALUES (?, ?, 0, '', 'default', ?, ?, ?, ?, 'OK', ?)`,
  );
  const zones = new ZoneMap(db);
  db.exec("BEGIN");
  for (const row of stored) {
    const number = row.zone * size + row.place;
    const { start, latency, name, spankind, environment } = row;
    insert.run(number, number, start, latency, name, spankind, environment);
    zones.add("p", number, "default", columns(row));
  }
  zones.write();
  db.exec("COMMIT");
  return db;
}

function columns({ start, latency, name, spankind, environment }: Row): SpanColumns {
  const dimensions = [null, null, null, null, environment, null, null, null] as const;
  return ["", start, 0, latency, name, spankind, "OK", ...dimensions, null];
}

function readPart(
  db: DatabaseSync,
  part: ListPart,
  { minLatency, spankind, name, environment }: SpanFilter,
  last: number | null,
) {
  const { from, where } = partSql("p", part);
  const asked = [
    ["p.latency >= ?", minLatency],
    ["p.spankind = ?", spankind],
    ["p.name = ?", name],
    ["p.environment = ?", environment],
    ["p.start <= ?", last ?? undefined],
  ] as const;
  const given = asked.flatMap(([text, value]) => (value === undefined ? [] : [{ text, value }]));
  const statement = db.prepare(
    `SELECT p.start, p.span_no FROM ${from.text}
     WHERE ${[...given.map(({ text }) => text), where.text].join(" AND ")}
     ORDER BY p.start DESC, p.span_no DESC`,
  );
  return statement
    .all(...from.values, ...given.map(({ value }) => value), ...where.values)
    .map((row) => ({ ...row })) as { start: number; span_no: number }[];
}

/** Random integers below a limit. */
function numbers(seed: number): (below: number) => number {
  let state = seed | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

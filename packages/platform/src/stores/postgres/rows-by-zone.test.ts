import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { SpanFilter } from "../span-query.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { makeDays } from "./day-tables.ts";
import { Conditions } from "./filter-sql.ts";
import { prepareSpanDatabase } from "./prepare-database.ts";
import type { ListedRow, ListPart, ReadPart } from "./rows-by-zone.ts";
import { addPart, isByZones, rowsByZone, spansInZones, tracesInZones } from "./rows-by-zone.ts";
import type { QueryRunner } from "./span-database.ts";
import { SpanDatabase } from "./span-database.ts";
import { ZoneFiller } from "./zone-filler.ts";

// The order of a list does not depend on how many zones it is read from, nor on how their starts overlap.

interface Row {
  readonly n: number;
  readonly start: number;
  readonly latency: number | null;
  readonly spankind: string;
  readonly name: string;
}

let database: SpanDatabase;
let runner: QueryRunner;
beforeAll(async () => {
  const address = await (await sharedPostgres()).createDatabase();
  await prepareSpanDatabase(address);
  database = new SpanDatabase(address, { connections: 1, statementMs: 60_000 });
  runner = database.until(new AbortController().signal);
  await makeDays(database, [0]);
});
afterAll(() => database.close());

const project = "default";
const FIRST_ROWS = 2_000;
/** On both sides of the numbers of zones that are read at once: 8 and 64. */
const zoneCount = fc.constantFrom(0, 1, 7, 8, 9, 10, 63, 64, 65, 66, 72, 73, 80);
/** Rows that no zone has yet, on both sides of how many are looked at without zones. */
const newest = fc.constantFrom(0, FIRST_ROWS - 1, FIRST_ROWS, FIRST_ROWS + 1, FIRST_ROWS + 300);
/** How far the start of a row lies from where its number would put it. */
const disorder = fc.constantFrom(0, 1, 5, 1_000);
const PER_ZONE = 3;
/** In a zone of so many spans these are few: less than a 16th. */
const SPANS_FOR_FEW = 49;

/** In so many of ten zones the project has few rows. */
const fewOfTen = fc.constantFrom(0, 4, 6, 10);

const stored = fc.record({ zones: zoneCount, newest, disorder, seed: fc.nat() });
type Stored = typeof stored extends fc.Arbitrary<infer Value> ? Value : never;

function rowsOf({ zones, newest, disorder, seed }: Stored): Row[] {
  const next = numbers(seed);
  return Array.from({ length: zones * PER_ZONE + newest }, (_, n) => ({
    n,
    start: n + next(2 * disorder + 1) - disorder,
    latency: [null, 0, 1, 2, 3][next(5)] as number | null,
    spankind: ["LLM", "TOOL"][next(2)] as string,
    name: ["chat", "search", "plan"][next(3)] as string,
  }));
}

function numbers(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor(state / 65_536) % below;
  };
}

/** Stores rows, each a span and a trace of its own; all but the last ones are in zones. */
async function store(
  rows: readonly Row[],
  inZones: number,
  perZone = PER_ZONE,
  spansOf: (zone: number) => number = () => 1,
): Promise<void> {
  await database.query(
    "TRUNCATE agate.traces, agate.spans, agate.zones, agate.zone_bounds, agate.unzoned",
  );
  await database.query(
    `INSERT INTO agate.traces (trace_no, day, project, trace_id, received, segments, spans, summarised, top_segment,
       top_offset, top_length, start, latency, name, spankind, status, total) OVERRIDING SYSTEM VALUE
     SELECT n, '1970-01-01', $1, lpad(n::text, 8, '0'), 0, 1, 1, 1, 0, 0, 0, start, latency, name, spankind, 'OK', ''
     FROM unnest($2::integer[], $3::bigint[], $4::float8[], $5::text[], $6::text[])
       AS r (n, start, latency, name, spankind)`,
    [
      project,
      rows.map(({ n }) => n),
      rows.map(({ start }) => start),
      rows.map(({ latency }) => latency),
      rows.map(({ name }) => name),
      rows.map(({ spankind }) => spankind),
    ],
  );
  await database.query(
    `INSERT INTO agate.spans (day, span_no, trace_no, segment, span_id, project, start, latency, name, spankind, status)
     SELECT day, trace_no, trace_no, 0, trace_id, project, start, latency, name, spankind, status FROM agate.traces`,
  );
  for (let zone = 0; zone * perZone < inZones; zone++) {
    const ofZone = rows.slice(zone * perZone, Math.min(inZones, (zone + 1) * perZone));
    await leave(ofZone, perZone, spansOf(zone));
    expect(await new ZoneFiller(database, spansOf(zone)).fillSome()).toBe(true);
  }
  await leave(rows.slice(inZones), 1_000);
}

/** Leaves rows to come into zones, so many in each. @param spans How many these are said to be. */
async function leave(rows: readonly Row[], together: number, spans = 1): Promise<void> {
  const places: string[] = [];
  for (let at = 0; at < rows.length; at += together) {
    places.push(JSON.stringify(rows.slice(at, at + together).map(({ n }) => [0, n, 0])));
  }
  await database.query("INSERT INTO agate.unzoned (places, spans) SELECT unnest($1::text[]), $2", [
    places,
    spans,
  ]);
}

interface Found {
  readonly ids: readonly number[];
  readonly parts: readonly ListPart[];
}

interface FindOptions {
  readonly last?: number;
  readonly from?: QueryRunner;
  /** Told how many parts were read, with the one that is read next. */
  readonly onPart?: (count: number) => void;
}

/** The rows that a list finds, by their numbers, and the parts that it read. */
async function find(
  table: "t" | "p",
  filter: SpanFilter,
  most: number,
  { last = Number.MAX_SAFE_INTEGER, from = runner, onPart }: FindOptions = {},
): Promise<Found> {
  const parts: ListPart[] = [];
  const read: ReadPart<ListedRow> = async (part, which, limit) => {
    parts.push(which);
    onPart?.(parts.length);
    const where = new Conditions();
    const test = (condition: string, value: string | number | undefined) => {
      if (value !== undefined) where.add(`${table}.${condition} ${where.value(value)}`);
    };
    test("spankind =", filter.spankind);
    test("name =", filter.name);
    test("latency >=", filter.minLatency);
    test("start >=", filter.startedFrom);
    const zones = addPart(where, table, which);
    const all = `agate.${table === "t" ? "traces" : "spans"} ${table}`;
    const inZones = table === "t" ? tracesInZones : spansInZones;
    return part.query(
      `SELECT DISTINCT ${table}.trace_no, ${table}.start, ${table === "t" ? "NULL AS" : "p."} span_id
       FROM ${zones === undefined ? all : inZones(where, zones)} WHERE ${where.text}
       ORDER BY ${table}.start DESC, ${table}.trace_no DESC LIMIT ${limit}`,
      where.values,
    );
  };
  const found = await rowsByZone(from, { table, project, filter, last }, most, read);
  return { ids: found.map(({ trace_no }) => trace_no), parts };
}

it("is that of the rows, from any number of zones", async () => {
  const filter = fc.record(
    {
      spankind: fc.constantFrom("LLM" as const, "TOOL" as const, "AGENT" as const),
      name: fc.constantFrom("chat", "search", "plan"),
      minLatency: fc.constantFrom(0, 3, 4),
    },
    { requiredKeys: [] },
  );
  const query = fc.record({
    filter,
    table: fc.constantFrom("t" as const, "p" as const),
    most: fc.constantFrom(1, 10, 51, 5_000),
    last: fc.constantFrom(0, 100, 1_500, Number.MAX_SAFE_INTEGER),
  });
  const property = fc.asyncProperty(
    stored,
    fewOfTen,
    fc.array(query, { minLength: 5, maxLength: 5 }),
    async (made, few, queries) => {
      const rows = rowsOf(made);
      const spansOf = (zone: number) => ((zone * 7) % 10 < few ? SPANS_FOR_FEW : 1);
      await store(rows, made.zones * PER_ZONE, PER_ZONE, spansOf);
      for (const { filter, table, most, last } of queries) {
        const wanted = rows
          .filter(
            (row) =>
              row.start <= last &&
              (filter.spankind ?? row.spankind) === row.spankind &&
              (filter.name ?? row.name) === row.name &&
              (filter.minLatency === undefined || (row.latency ?? -1) >= filter.minLatency),
          )
          .sort((a, b) => b.start - a.start || b.n - a.n);
        const { ids } = await find(table, filter, most, { last });
        expect(ids).toEqual(wanted.slice(0, most).map(({ n }) => n));
      }
    },
  );
  await fc.assert(property, { numRuns: 15 });
});

it.each([
  [SPANS_FOR_FEW - 1, "bounds of subsets, of spans and of traces", false],
  [SPANS_FOR_FEW, "one row of bounds", true],
])("stores of 3 rows in a zone of %i spans %s", async (spans, _, isFew) => {
  const rows = rowsOf({ zones: 7, newest: 0, disorder: 0, seed: 1 });
  await store(rows, rows.length, PER_ZONE, () => spans);
  const stored = await database.query<{ of_traces: boolean; subset: number }>(
    "SELECT of_traces, subset FROM agate.zone_bounds ORDER BY zone_no",
  );
  if (isFew) expect(stored).toEqual(Array(7).fill({ of_traces: false, subset: -1 }));
  else {
    expect(stored.filter(({ subset }) => subset === 0)).toHaveLength(2 * 7);
    expect(stored.filter(({ subset }) => subset > 0).length).toBeGreaterThan(3 * 2 * 7);
    expect(stored.filter(({ subset }) => subset < 0)).toEqual([]);
  }
});

it.each([
  [4, "these", [undefined, 8]],
  [5, "all rows in their order", [undefined, undefined]],
])("where a project has few rows in %i of 8 zones, reads %s", async (few, _, zones) => {
  const rows = rowsOf({ zones: 8, newest: FIRST_ROWS + 1, disorder: 0, seed: 1 });
  await store(rows, 8 * PER_ZONE, PER_ZONE, (zone) => (zone < few ? SPANS_FOR_FEW : 1));
  const { ids, parts } = await find("p", {}, 5_000);
  expect(ids).toHaveLength(rows.length);
  expect(parts.map((part) => part.zones?.numbers.length)).toEqual(zones);
});

it("skips zones of few rows without the values", async () => {
  const rows = rowsOf({ zones: 9, newest: FIRST_ROWS + 1, disorder: 0, seed: 1 });
  await store(rows, 9 * PER_ZONE, PER_ZONE, () => SPANS_FOR_FEW);
  for (const table of ["t", "p"] as const) {
    const { ids, parts } = await find(table, { spankind: "AGENT" }, 10);
    expect(ids).toEqual([]);
    expect(parts.map((part) => part.zones?.numbers)).toEqual([undefined, []]);
  }
});

it("skips zones without the values", async () => {
  // Every zone has each kind and each latency, but no tool call takes longest.
  const rows = Array.from({ length: FIRST_ROWS + 300 }, (_, n): Row => {
    const spankind = n % 3 === 0 ? "TOOL" : "LLM";
    return { n, start: n, latency: n % 3, spankind, name: "chat" };
  });
  await store(rows, rows.length, 100);
  for (const table of ["t", "p"] as const) {
    const { ids, parts } = await find(table, { spankind: "TOOL", minLatency: 1 }, 10);
    expect(ids).toEqual([]);
    expect(parts.map(({ zones }) => zones?.numbers)).toEqual([undefined, []]);
  }
});

it.each([
  [FIRST_ROWS, 1],
  [FIRST_ROWS + 1, 2],
])("looks at %i rows in %i parts", async (count, parts) => {
  const rows = rowsOf({ zones: 0, newest: count, disorder: 0, seed: 1 });
  await store(rows, 0);
  expect((await find("p", { spankind: "AGENT" }, 10)).parts).toHaveLength(parts);
});

it.each(["t", "p"] as const)(
  "lists a row of %s once that starts earlier when the rest is read",
  async (table) => {
    const rows = rowsOf({ zones: 10, newest: FIRST_ROWS, disorder: 0, seed: 1 });
    await store(rows, 30);
    const traceNo = rows.at(-1)!.n;
    // As a trace whose top came late, or a span that was sent again.
    const moving: QueryRunner = {
      query: runner.query,
      snapshot: async (work) => {
        for (const name of ["traces", "spans"]) {
          await database.query(`UPDATE agate.${name} SET start = 10 WHERE trace_no = $1`, [
            traceNo,
          ]);
        }
        return runner.snapshot(work);
      },
    };
    const { ids } = await find(table, {}, 2_020, { from: moving });
    expect(ids).toEqual(
      rows
        .map(({ n }) => n)
        .reverse()
        .slice(0, 2_020),
    );
  },
);

it("lists every row once after a deadlock", async () => {
  const rows = rowsOf({ zones: 10, newest: FIRST_ROWS, disorder: 0, seed: 1 });
  await store(rows, 30);
  // Some rows of the snapshot are found by then.
  const onPart = (count: number) => {
    if (count === 3) throw Object.assign(new Error("deadlock detected"), { code: "40P01" });
  };
  const { ids, parts } = await find("p", {}, 5_000, { onPart });
  expect(parts.length).toBeGreaterThan(4);
  expect(ids).toEqual(rows.map(({ n }) => n).reverse());
});

it.each([
  [0, 2],
  [1, 1],
])(
  "reads rows that start at %i or later in %i parts where the 2,001st starts at 0",
  async (startedFrom, count) => {
    const rows = rowsOf({ zones: 0, newest: FIRST_ROWS + 1, disorder: 0, seed: 1 });
    await store(rows, 0);
    const { ids, parts } = await find("p", { startedFrom }, 5_000);
    expect(parts).toHaveLength(count);
    expect(ids).toHaveLength(FIRST_ROWS + 1 - startedFrom);
  },
);

it("does without zones where too many spans are in none, or earlier ones are not added yet", async () => {
  const rows = rowsOf({ zones: 10, newest: FIRST_ROWS, disorder: 0, seed: 1 });
  await store(rows, 30);
  const usesZones = async () => {
    const { parts } = await find("p", { spankind: "AGENT" }, 10);
    return parts.some(({ zones }) => zones !== undefined);
  };
  await database.query("DELETE FROM agate.unzoned");
  await database.query("INSERT INTO agate.unzoned (places, spans) VALUES ('[]', 20000)");
  expect(await usesZones()).toBe(true);
  await database.query("INSERT INTO agate.unzoned (places, spans) VALUES ('[]', 1)");
  expect(await usesZones()).toBe(false);
  await database.query("DELETE FROM agate.unzoned");
  await database.query("UPDATE agate.zone_progress SET earlier = 1");
  expect(await usesZones()).toBe(false);
  await database.query("UPDATE agate.zone_progress SET earlier = 0");
  expect(await usesZones()).toBe(true);
});

it.each([
  ["p", { spankind: "TOOL" }, true],
  ["p", { startedFrom: 1, startedBefore: 2 }, false],
  ["p", { environment: "production" }, true],
  ["t", { environment: "production" }, false],
  ["t", { environment: "production", application: "chat" }, true],
  ["t", { status: "ERROR" }, true],
  ["p", { status: "ERROR", spankind: "TOOL" }, false],
  ["p", { route: "/a" }, false],
  ["p", { route: "/a", minLatency: 1 }, true],
  ["p", { userId: "u", minLatency: 1 }, false],
  ["p", { sessionId: "s", minLatency: 1 }, false],
  ["t", { run: "r", minLatency: 1 }, false],
  ["t", { anyError: true, minLatency: 1 }, false],
  ["t", { traceIds: [], minLatency: 1 }, false],
  ["t", { text: "word", minLatency: 1 }, false],
] as const)("is used for a list of %s by %j: %s", (table, filter, expected) => {
  expect(isByZones(table, filter)).toBe(expected);
});

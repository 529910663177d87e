import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ListVerb } from "../contract/listed-pages.fixture.ts";
import { listedPages } from "../contract/listed-pages.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import {
  verbs,
  zonedChanges,
  zonedConditions,
  zonedTrace,
} from "../contract/zoned-traces.fixture.ts";
import type { SpanFilter } from "../span-query.ts";
import type { SpanStore } from "../span-store.ts";
import type { PostgresAddress } from "../store-address.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { openPostgresStore } from "./postgres-store.ts";
import { SpanDatabase } from "./span-database.ts";
import { WITHOUT_ZONES } from "./without-zones.fixture.ts";
import { dropEmptyZones, ZoneFiller } from "./zone-filler.ts";

// A filter finds the same as a look at every row does, in stores of many zones.

const project = "default";
/** So that lists go beyond the zones that they read at most. */
const SPANS_PER_ZONE = 40;
/** Beyond the first rows, which are looked at without zones. */
const TRACES = 2_900;

let address: PostgresAddress;
let store: SpanStore;
let database: SpanDatabase;
const open = () =>
  openPostgresStore({
    address,
    onFailure: (error) => expect.fail(String(error)),
    spansPerZone: SPANS_PER_ZONE,
  });
beforeAll(async () => {
  address = await (await sharedPostgres()).createDatabase();
  store = await open();
  database = new SpanDatabase(address, { connections: 2, statementMs: 60_000 });
});
afterAll(async () => {
  await database.close();
  await store.close();
});

const ZONED_TRACES = { count: TRACES, strangeName: "\0\u0001" };
const traceOf = (n: number) => zonedTrace(n, ZONED_TRACES);
const filters: fc.Arbitrary<SpanFilter> = fc.record(zonedConditions(ZONED_TRACES.strangeName), {
  requiredKeys: [],
});

const rest = async () => {
  const [left] = await database.query<{ spans: number; earlier: number }>(
    `SELECT (SELECT coalesce(sum(spans), 0) FROM agate.unzoned) AS spans,
       (SELECT earlier FROM agate.zone_progress) AS earlier`,
  );
  return left!.spans < SPANS_PER_ZONE && left!.earlier === 0;
};
const filled = () => expect.poll(rest).toBe(true);

it("finds by any filter what a look at all rows finds, page by page", async () => {
  for (let first = 0; first < TRACES; first += 100) {
    const traces = Array.from({ length: 100 }, (_, n) => first + n);
    await store.append({ project, receivedAt: first, spans: traces.flatMap(traceOf) });
    // Some of the rows are in no zone yet.
    if (first % 1_000 === 900) await expectSameLists(3);
  }
  await filled();
  await expectSameLists(30);
  const zones = await database.query<{ n: number }>("SELECT count(*) AS n FROM agate.zones");
  expect(zones[0]!.n).toBeGreaterThan(64);

  for (const n of [2, 290, 600]) {
    await store.append({ project, receivedAt: TRACES, spans: zonedChanges(n, ZONED_TRACES) });
  }
  await store.deleteTrace(project, traceIdOf(7));
  expect((await idsOf("listTraces", { minCost: 49 })).length).toBeGreaterThan(0);
  await expectSameLists(10);
  await filled();
  expect((await idsOf("listTraces", { minCost: 49 })).length).toBeGreaterThan(0);
  await expectSameLists(30);
});

it("finds a trace whose summary was made after it was in a zone", async () => {
  await filled();
  const traceId = traceIdOf(11);
  await database.query(
    "UPDATE agate.traces SET summarised = spans, cost = 77, spankind = 'AGENT' WHERE trace_id = $1",
    [traceId],
  );
  expect(await idsOf("listTraces", { minCost: 76, spankind: "AGENT" })).toEqual([traceId]);
  await expectSameLists(5);
});

it("takes the segments that a server of the version before leaves", async () => {
  await database.query("DELETE FROM agate.unzoned");
  const left = (isAgain: boolean) =>
    database.query(
      "INSERT INTO agate.unindexed (places, is_saturated, is_again) VALUES ('[[0,1,0]]', false, $1)",
      [String(isAgain)],
    );
  await store.close();
  await left(true);
  await left(false);
  expect(await database.query("SELECT places, spans FROM agate.unzoned")).toEqual([
    { places: "[[0,1,0]]", spans: 1_000 },
  ]);
  store = await open();
});

it("finds the same while the rows of an earlier version are added, and after", async () => {
  await store.searchCaughtUp();
  await store.close();
  for (const statement of WITHOUT_ZONES) await database.query(statement);
  await database.query("UPDATE agate.span_schema SET version = version - 1");
  store = await open();
  await expectSameLists(5);
  await filled();
  await expectSameLists(20);
});

it("leaves a step that failed to be taken again, and makes zones once where several servers do", async () => {
  await filled();
  await store.close();
  await database.query(
    `INSERT INTO agate.unzoned (places, spans)
     SELECT format('[[0,%s,0]]', trace_no), 4 FROM agate.traces WHERE trace_no <= 200`,
  );
  const counts = () =>
    database.query<{ zones: number; unzoned: number }>(
      `SELECT (SELECT count(*) FROM agate.zones) AS zones,
         (SELECT count(*) FROM agate.unzoned) AS unzoned`,
    );
  const before = await counts();
  const filler = new ZoneFiller(database, SPANS_PER_ZONE);
  await database.query("ALTER TABLE agate.zone_bounds RENAME TO gone");
  await expect(filler.fillSome()).rejects.toThrow("zone_bounds");
  await database.query("ALTER TABLE agate.gone RENAME TO zone_bounds");
  expect(await counts()).toEqual(before);
  const other = new SpanDatabase(address, { connections: 2, statementMs: 60_000 });
  const fillers = [filler, new ZoneFiller(other, SPANS_PER_ZONE)];
  while ((await Promise.all(fillers.map((one) => one.fillSome()))).includes(true));
  const [after] = await counts();
  expect(after!.zones - before[0]!.zones).toBe(
    Math.floor((before[0]!.unzoned * 4) / SPANS_PER_ZONE),
  );
  await other.close();
  store = await open();
  // A trace that is in two zones is listed once.
  await expectSameLists(10);
});

it("takes spans as soon as they are enough for a zone", async () => {
  const own = await (await sharedPostgres()).createDatabase();
  const onFailure = (error: unknown) => expect.fail(String(error));
  await (await openPostgresStore({ address: own, onFailure })).close();
  const alone = new SpanDatabase(own, { connections: 1, statementMs: 60_000 });
  const filler = new ZoneFiller(alone);
  const leave = (spans: number) =>
    alone.query("INSERT INTO agate.unzoned (places, spans) VALUES ('[[0,1,0]]', $1)", [spans]);
  expect(await filler.fillSome()).toBe(false);
  await leave(1);
  await leave(2_046);
  expect(await filler.fillSome()).toBe(false);
  await leave(1);
  expect(await filler.fillSome()).toBe(true);
  expect(await filler.fillSome()).toBe(false);
  expect(await alone.query("SELECT FROM agate.unzoned")).toEqual([]);
  await alone.close();
});

it("lists every span that was acknowledged, while others are written and zones are made", async () => {
  await filled();
  let isDone = false;
  const noise = async () => {
    for (let n = 0; !isDone; n++) {
      const spans = [0, 1, 2].flatMap((m) => traceOf(10 * TRACES + 3 * n + m));
      await store.append({ project, receivedAt: TRACES, spans });
    }
  };
  const writing = noise();
  const acknowledged: string[] = [];
  try {
    for (let n = 0; n < 40; n++) {
      const id = spanIdOf(1_000_000 + n);
      const traceId = traceIdOf(1_000 + n);
      // Old, so that it is not among the first rows.
      const span = storedSpan({ traceId, id, start: n, latency: 9_999, kind: "TOOL" });
      await store.append({ project, receivedAt: TRACES, spans: [span] });
      acknowledged.unshift(id);
      const found = await idsOf("listSpans", { spankind: "TOOL", minLatency: 9_999 });
      expect(found).toEqual(acknowledged);
    }
  } finally {
    isDone = true;
    await writing;
  }
});

it("drops the zones of days without traces, and no others", async () => {
  await filled();
  const count = async () =>
    (await database.query("SELECT DISTINCT zone_no FROM agate.zone_bounds")).length;
  const before = await count();
  await dropEmptyZones(database);
  expect(await count()).toBe(before);
  const zonesOnceExpired = async () => {
    // The test before has written as many traces as there was time for. Those being indexed are left for the next round.
    while ((await store.expire(TRACES + 1, TRACES)) > 0);
    await dropEmptyZones(database);
    return count();
  };
  await expect.poll(zonesOnceExpired).toBe(0);
  expect(await database.query("SELECT FROM agate.zones")).toEqual([]);
  await expectSameLists(5);
});

const CONDITIONS: Partial<Record<keyof SpanFilter, string>> = {
  spankind: "r.spankind =",
  name: "r.name =",
  status: "r.status =",
  application: "r.application =",
  route: "r.route =",
  variant: "r.variant =",
  revision: "r.revision =",
  environment: "r.environment =",
  minLatency: "r.latency >=",
  minCost: "r.cost >=",
  startedFrom: "r.start >=",
  startedBefore: "r.start <",
  traffic: "CASE WHEN t.run IS NULL THEN 'live' ELSE 'evaluation' END =",
};

async function expectSameLists(runs: number): Promise<void> {
  const [limit, pages] = [fc.constantFrom(7, 50, 1_000), 20];
  const property = fc.asyncProperty(verbs, filters, limit, async (verb, filter, limit) => {
    const conditions = Object.keys(filter).map(
      (key, n) => `${CONDITIONS[key as keyof SpanFilter]} $${n + 1}`,
    );
    const [rows, id] = verb === "listTraces" ? ["traces", "trace_id"] : ["spans", "span_id"];
    const all = await database.query<{ id: string }>(
      `SELECT r.${id} AS id FROM agate.${rows} r JOIN agate.traces t USING (trace_no)
       WHERE ${["TRUE", ...conditions].join(" AND ")}
       ORDER BY r.start DESC, r.${id} DESC LIMIT ${pages * limit}`,
      Object.values(filter) as (string | number)[],
    );
    expect(await idsOf(verb, filter, limit, pages)).toEqual(all.map((row) => row.id));
  });
  await fc.assert(property, { numRuns: runs });
}

/** The ids on the first pages of a list. */
async function idsOf(verb: ListVerb, filter: SpanFilter, limit = 100, pages?: number) {
  return (await listedPages(store, verb, { project, filter, limit }, pages)).flat();
}

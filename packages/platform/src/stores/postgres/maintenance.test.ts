import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { StoreTrouble } from "../store-errors.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { IndexRest } from "./index-rest.ts";
import { Maintenance } from "./maintenance.ts";
import { openPostgresAppender } from "./postgres-appender.ts";
import { prepareSpanDatabase } from "./prepare-database.ts";
import { SpanDatabase } from "./span-database.ts";

const SPANS_PER_ZONE = 10;
const EARLIER = 50;

let database: SpanDatabase;
let troubles: StoreTrouble[];

// Traces that were there before there were zones, and some that came later.
beforeAll(async () => {
  const address = await (await sharedPostgres()).createDatabase();
  await prepareSpanDatabase(address);
  database = new SpanDatabase(address, { connections: 2, statementMs: 30_000 });
  const appender = openPostgresAppender(address, Number.POSITIVE_INFINITY);
  const spans = Array.from({ length: EARLIER + 20 }, (_, n) =>
    storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n) }),
  );
  await appender.append({ project: "default", receivedAt: 1, spans });
  await appender.close();
});
beforeEach(async () => {
  troubles = [];
  await database.query("TRUNCATE agate.zones, agate.zone_bounds, agate.unindexed, agate.unzoned");
  await database.query(
    `INSERT INTO agate.unzoned (places, spans)
     SELECT format('[[0,%s,0]]', trace_no), 1 FROM agate.traces ORDER BY trace_no OFFSET $1`,
    [EARLIER],
  );
  await database.query("UPDATE agate.zone_progress SET earlier = $1", [EARLIER]);
});
afterAll(() => database.close());

function start(indexRest?: IndexRest): Maintenance {
  const maintenance = new Maintenance(
    database,
    (trouble) => troubles.push(trouble),
    { afterMs: 60_000 },
    { spansPerZone: SPANS_PER_ZONE, ...(indexRest && { indexRest }) },
  );
  onTestFinished(() => maintenance.close());
  maintenance.start();
  return maintenance;
}

const left = async () => {
  const [rows] = await database.query<{ earlier: number; unzoned: number; unindexed: number }>(
    `SELECT (SELECT earlier FROM agate.zone_progress) AS earlier,
       (SELECT count(*) FROM agate.unzoned) AS unzoned,
       (SELECT count(*) FROM agate.unindexed) AS unindexed`,
  );
  return rows;
};

it("leaves earlier traces alone while indexing rests for ingest, and makes zones of new ones", async () => {
  // Ingest that stays saturated.
  await database.query(
    "INSERT INTO agate.unindexed (places, noted, is_saturated, is_again) VALUES ('[]', 'infinity', true, true)",
  );
  let now = 0;
  let looks = 0;
  const indexRest = new IndexRest(database, () => {
    looks++;
    return now;
  });
  indexRest.worked(1_000);
  start(indexRest);
  // Some rounds, each of which looks at the clock.
  await expect.poll(() => looks, { timeout: 60_000 }).toBeGreaterThan(3);
  expect(await left()).toEqual({ earlier: EARLIER, unzoned: 0, unindexed: 1 });
  now = 6_000;
  await expect.poll(left, { timeout: 60_000 }).toEqual({ earlier: 0, unzoned: 0, unindexed: 0 });
  expect(troubles).toEqual([]);
});

it("makes zones of new traces between steps of indexing, and adds earlier ones after these", async () => {
  // What was left to be indexed at each change of zones.
  await database.query("CREATE TABLE seen (what text, unindexed integer)");
  for (const [table, event] of [
    ["zones", "INSERT"],
    ["zone_progress", "UPDATE"],
  ]) {
    await database.query(
      `CREATE FUNCTION see_${table}() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
         INSERT INTO seen SELECT '${table}', count(*) FROM agate.unindexed; RETURN NULL; END$$`,
    );
    await database.query(
      `CREATE TRIGGER see AFTER ${event} ON agate.${table} FOR EACH STATEMENT EXECUTE FUNCTION see_${table}()`,
    );
  }
  // Ten steps, two rows each.
  await database.query(
    "INSERT INTO agate.unindexed (places, is_again) SELECT '[]', true FROM generate_series(1, 20)",
  );
  start();
  await expect.poll(left, { timeout: 60_000 }).toEqual({ earlier: 0, unzoned: 0, unindexed: 0 });
  const seen = (what: string) =>
    database.query("SELECT DISTINCT unindexed FROM seen WHERE what = $1", [what]);
  expect(await seen("zone_progress")).toEqual([{ unindexed: 0 }]);
  expect(await seen("zones")).toContainEqual({ unindexed: 18 });
  expect(troubles).toEqual([]);
});

it("drops the zones of a day without traces that cannot be dropped itself", async () => {
  await database.query("CREATE VIEW own AS SELECT * FROM agate.spans_19700101");
  await database.query("TRUNCATE agate.unzoned");
  await database.query(
    `WITH gone AS (DELETE FROM agate.traces RETURNING trace_no, day)
     INSERT INTO agate.deleted_traces SELECT trace_no, day, true FROM gone`,
  );
  await database.query("UPDATE agate.zone_progress SET earlier = 0");
  await database.query(
    `INSERT INTO agate.zones (day, first_traces, last_traces, first_segments, last_segments)
     VALUES ('1970-01-01', '{1}', '{2}', '{0}', '{0}')`,
  );
  start();
  const zones = () => database.query("SELECT FROM agate.zones");
  await expect.poll(zones, { timeout: 60_000 }).toEqual([]);
  expect(troubles.map(({ what, error }) => `${what} ${String(error)}`)).toEqual([
    expect.stringMatching(/^Days could not be dropped\. .*other objects depend on it/),
  ]);
});

import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import type { SpanBatch } from "../span-store.ts";
import type { PostgresAddress } from "../store-address.ts";
import type { PostgresDatabases } from "../testing/embedded-postgres.fixture.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { IndexRest } from "./index-rest.ts";
import { Maintenance } from "./maintenance.ts";
import { openPostgresAppender } from "./postgres-appender.ts";
import { prepareSpanDatabase } from "./prepare-database.ts";
import { SpanDatabase } from "./span-database.ts";

let server: PostgresDatabases;
let address: PostgresAddress;
let database: SpanDatabase;

beforeAll(async () => {
  server = await sharedPostgres();
  address = await server.createDatabase();
  await prepareSpanDatabase(address);
  database = new SpanDatabase(address, { connections: 2, statementMs: 30_000 });
});
beforeEach(() => database.query("TRUNCATE agate.unindexed"));
afterAll(() => database.close());

/** A batch of a trace of its own. */
const batchOf = (n: number): SpanBatch => ({
  project: "default",
  receivedAt: 1,
  spans: [storedSpan({ traceId: traceIdOf(n), id: spanIdOf(n) })],
});

/** Appends batches at once; they are not indexed, as no store is open. */
async function append(...batches: readonly SpanBatch[]): Promise<void> {
  const appender = openPostgresAppender(address, Number.POSITIVE_INFINITY);
  await Promise.all(batches.map((batch) => appender.append(batch)));
  await appender.close();
}

/** As if everything had been committed just now, however slow the test is. */
const makeRecent = () => database.query("UPDATE agate.unindexed SET noted = 'infinity'");

/** Adds a commit of so many seconds ago. */
const note = (isSaturated: boolean, secondsAgo: number) =>
  database.query(
    `INSERT INTO agate.unindexed (places, noted, is_saturated)
     VALUES ('[]', now() - make_interval(secs => $1), $2::boolean)`,
    [secondsAgo, String(isSaturated)],
  );

/** Whether indexing rests so many milliseconds after a step of 10 ms. */
async function isRestingAfter(ms: number): Promise<boolean> {
  let now = 1_000;
  const rest = new IndexRest(database, () => now);
  rest.worked(10);
  now += ms;
  return rest.isResting();
}

describe("indexing beside ingest", () => {
  it("rests six times as long as it worked where batches had to wait", async () => {
    await append(batchOf(1), batchOf(2));
    await makeRecent();
    expect(await isRestingAfter(59)).toBe(true);
    expect(await isRestingAfter(60)).toBe(false);
  });

  it("does not rest where each batch was written at once, or nothing is left to be indexed", async () => {
    expect(await isRestingAfter(0)).toBe(false);
    await append(batchOf(3));
    await makeRecent();
    expect(await isRestingAfter(0)).toBe(false);
  });

  it("does not rest where the last batch that waited was committed two seconds ago", async () => {
    await note(true, 2);
    expect(await isRestingAfter(0)).toBe(false);
  });

  it.each([
    [7, true],
    [8, false],
  ])("after %i batches since that did not wait: %s", async (count, isResting) => {
    await note(true, 0);
    for (let n = 0; n < count; n++) await note(false, 0);
    await makeRecent();
    expect(await isRestingAfter(0)).toBe(isResting);
  });

  it.each([
    [30, true],
    [60, false],
  ])("with texts that have waited for %i s: %s", async (secondsAgo, isResting) => {
    await note(true, 0);
    await makeRecent();
    await database.query(
      `INSERT INTO agate.unindexed (unindexed_no, places, noted) OVERRIDING SYSTEM VALUE
       VALUES (0, '[]', now() - make_interval(secs => $1))`,
      [secondsAgo],
    );
    expect(await isRestingAfter(0)).toBe(isResting);
  });

  it("goes on in between while batches keep waiting", async () => {
    for (let n = 0; n < 5; n++) await append(batchOf(10 + 2 * n), batchOf(11 + 2 * n));
    // Ingest that stays saturated.
    await makeRecent();
    const maintenance = new Maintenance(database, ({ error }) => expect.fail(String(error)), {
      afterMs: 60_000,
    });
    onTestFinished(() => maintenance.close());
    maintenance.start();
    const left = () => database.query("SELECT FROM agate.unindexed");
    // On a machine that makes a step take seconds, the rests between them take a minute.
    await expect.poll(async () => (await left()).length, { timeout: 100_000 }).toBe(0);
  }, 120_000);
});

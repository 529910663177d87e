import { afterAll, beforeAll, expect, it } from "vitest";
import { storedScore } from "../contract/stored-score.fixture.ts";
import { storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import { Subject } from "../contract/subject.fixture.ts";
import { openChdbEngine } from "../testing/chdb-engine.fixture.ts";
import { ClickHouseSession } from "./clickhouse-session.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";

const DAY_MS = 86_400_000;

const engine = openChdbEngine();
const session = new ClickHouseSession(engine.connect(), engine.address());
const subject = new Subject(() =>
  openClickHouseStore({ address: engine.address(), connect: engine.connect }),
);
beforeAll(() => subject.open());
afterAll(async () => {
  await subject.store.close();
  await session.close();
  await engine.dispose();
});

/** The tables with a TTL, and its seconds. */
async function kept(): Promise<unknown[]> {
  return session.rows(
    `SELECT name, extract(engine_full, 'TTL .* toIntervalSecond\\\\((\\\\d+)\\\\)') AS seconds
     FROM system.tables WHERE database = {database:String} AND seconds <> '' ORDER BY name`,
    { database: engine.address().database },
  );
}

it("lets the database delete what arrived long ago, in every table", async () => {
  subject.fresh();
  const now = Date.now() * 1_000;
  await subject.append([storedSpan({ name: "old" })], now - 10 * DAY_MS * 1_000);
  await subject.append([storedSpan({ name: "young", traceId: traceIdOf(2) })], now);
  const scores = [
    storedScore({ receivedAt: now - 10 * DAY_MS * 1_000 }),
    storedScore({ traceId: traceIdOf(2), receivedAt: now }),
  ];
  await subject.store.putScores({ project: subject.project, scores });
  expect(await subject.store.keepFor(3 * DAY_MS)).toBe("by-database");
  const tables = ["commits", "scores", "spans", "spans_by_start", "traces", "traces_by_id"];
  expect(await kept()).toEqual(tables.map((name) => [name, String(3 * 86_400)]));
  for (const table of tables) {
    await session.command(`OPTIMIZE TABLE ${session.table(table)} FINAL`);
    const rows = await session.rows(`SELECT trace_id FROM ${session.table(table)}`);
    expect(rows).toEqual([[traceIdOf(2)]]);
  }
  expect(await subject.namesOf("listTraces", {})).toEqual(["young"]);
  expect(await subject.namesOf("listSpans", {})).toEqual(["young"]);
});

it("changes nothing where it is kept as it should be, and can keep everything again", async () => {
  const changes = async () =>
    session.rows(
      "SELECT name, metadata_modification_time FROM system.tables WHERE database = {database:String} ORDER BY name",
      {
        database: engine.address().database,
      },
    );
  await subject.store.keepFor(3 * DAY_MS);
  const before = await changes();
  await subject.store.keepFor(3 * DAY_MS);
  expect(await changes()).toEqual(before);
  await subject.store.keepFor(60_000);
  expect(await kept()).toContainEqual(["spans", "60"]);
  await subject.store.keepFor(null);
  expect(await kept()).toEqual([]);
  await subject.store.keepFor(null);
});

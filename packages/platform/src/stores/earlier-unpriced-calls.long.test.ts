import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ReportedFigures } from "@agate/spans/tree";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ClickHouseSession } from "./clickhouse/clickhouse-session.ts";
import { openClickHouseStore } from "./clickhouse/clickhouse-store.ts";
import { spanIdOf, storedSpan, traceIdOf, usageOf } from "./contract/stored-span.fixture.ts";
import { openPostgresStore } from "./postgres/postgres-store.ts";
import { SpanDatabase } from "./postgres/span-database.ts";
import { WITHOUT_ZONES } from "./postgres/without-zones.fixture.ts";
import type { SpanStore } from "./span-store.ts";
import { checkFolder } from "./sqlite/check-folder.ts";
import { filesIn } from "./sqlite/data-directory.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import { openChdbEngine } from "./testing/chdb-engine.fixture.ts";
import { sharedPostgres } from "./testing/shared-databases.fixture.ts";

// The calls without a cost in traces that were written before these were counted are counted after an upgrade.

const project = "default";
const SHOWN = ',"unpriced_calls":1';

interface Upgraded {
  open(): Promise<SpanStore>;
  /** Makes the closed database one of the version before. */
  downgrade(): Promise<void>;
  dispose(): Promise<void>;
}

function inSqlite(): Upgraded {
  const directory = mkdtempSync(join(tmpdir(), "agate-unpriced-"));
  const listedWrongly = () => {
    const { signal } = new AbortController();
    return checkFolder(directory, { repairIndex: false, signal }).listedWrongly;
  };
  return {
    open: () => openSqliteStore({ directory }),
    downgrade: async () => {
      using db = new DatabaseSync(filesIn(directory).spans);
      db.exec(`UPDATE traces SET total = replace(total, '${SHOWN}', '');
        ALTER TABLE traces DROP COLUMN unpriced_calls; DROP TABLE merge_progress;
        ALTER TABLE deleted_spans DROP COLUMN trace_no;
        DROP TABLE trace_zones; DROP TABLE span_zones; DROP TABLE unzoned;
        PRAGMA user_version = 12;`);
    },
    dispose: async () => {
      expect(listedWrongly()).toEqual([]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function inPostgres(): Promise<Upgraded> {
  const address = await (await sharedPostgres()).createDatabase();
  const onFailure = (error: unknown) => expect.fail(String(error));
  return {
    open: () => openPostgresStore({ address, onFailure }),
    downgrade: async () => {
      const database = new SpanDatabase(address, { connections: 1, statementMs: 60_000 });
      for (const statement of [
        ...WITHOUT_ZONES,
        `UPDATE agate.traces SET total = replace(total, '${SHOWN}', '')`,
        "ALTER TABLE agate.traces DROP COLUMN unpriced_calls",
        "ALTER TABLE agate.segments DROP COLUMN answer_sum",
        "ALTER TABLE agate.unindexed DROP COLUMN noted, DROP COLUMN is_saturated, DROP COLUMN is_again",
        "ALTER TABLE agate.texts DROP COLUMN trace_no, DROP COLUMN segment, DROP COLUMN word_list",
        "ALTER TABLE agate.long_texts DROP COLUMN trace_no, DROP COLUMN segment, DROP COLUMN word_list",
        "ALTER TABLE agate.traces DROP COLUMN indexed_again",
        "DROP INDEX agate.spans_by_values, agate.traces_by_values",
        "ALTER INDEX agate.spans_by_time RENAME TO spans_by_start",
        "ALTER INDEX agate.spans_by_segment RENAME TO spans_by_no",
        "UPDATE agate.span_schema SET version = 8",
      ]) {
        await database.query(statement, []);
      }
      await database.close();
    },
    dispose: async () => {},
  };
}

function inClickHouse(): Upgraded {
  const engine = openChdbEngine();
  return {
    open: () => openClickHouseStore({ address: engine.address(), connect: engine.connect }),
    downgrade: async () => {
      const session = new ClickHouseSession(engine.connect(), engine.address());
      for (const table of ["traces", "traces_by_id"].map((name) => session.table(name))) {
        await session.command(
          `ALTER TABLE ${table} UPDATE total = replaceOne(total, '${SHOWN}', '') WHERE TRUE`,
          {},
          { mutations_sync: "1" },
        );
      }
      await session.command(`ALTER TABLE ${session.table("traces")} DROP COLUMN unpriced_calls`);
      await session.command(`TRUNCATE TABLE ${session.table("schema_version")}`);
      await session.insert("schema_version", ["version"], [[5]]);
      await session.close();
    },
    dispose: () => engine.dispose(),
  };
}

describe.each([
  ["SQLite", inSqlite],
  ["PostgreSQL", inPostgres],
  ["ClickHouse", inClickHouse],
] as const)("an upgrade of %s", (_name, make) => {
  let upgraded: Upgraded;
  let store: SpanStore;
  beforeAll(async () => {
    upgraded = await make();
    store = await upgraded.open();
  }, 120_000);
  afterAll(async () => {
    await store.close();
    await upgraded.dispose();
  });

  const append = async (...spans: readonly ReturnType<typeof storedSpan>[]) =>
    expect(await store.append({ project, receivedAt: 1, spans })).toEqual({ kind: "committed" });
  const span = (trace: number, n: number, figures: ReportedFigures | null) =>
    storedSpan({
      traceId: traceIdOf(trace),
      id: spanIdOf(trace * 10 + n),
      parentId: n === 0 ? null : spanIdOf(trace * 10),
      start: trace,
      kind: figures?.role === "own" ? "LLM" : "AGENT",
      status: n === 1 ? "ERROR" : "OK",
      figures,
    });
  const call = (cost: number | null, key?: string): ReportedFigures => ({
    role: "own",
    usage: usageOf(10, 5),
    cost,
    call: key === undefined ? undefined : { key, isCostSent: false },
  });
  const found = async () => {
    const { tops } = await store.readTops(project, [0, 1, 2, 3, 4, 5].map(traceIdOf));
    const { items } = await store.listTraces({ project, filter: {}, limit: 100, after: null });
    const interval = 60_000_000;
    const from = storedSpan().start;
    const range = { from, to: from + interval, interval, groups: null };
    const { total } = await store.analytics({ project, filter: {}, ...range });
    return { tops, items, total };
  };

  it("counts calls without a cost as if each trace had been written by this version", async () => {
    await append(span(0, 0, null), span(0, 1, call(0.5)));
    await append(span(1, 0, null), span(1, 1, call(0.25)), span(1, 2, call(null)));
    await append(span(2, 0, call(null)));
    // In several commits, and sent again with a cost.
    await append(span(3, 1, call(null)));
    await append(span(3, 0, null), span(3, 2, call(null)));
    await append(span(3, 1, call(0.125)));
    // One call that two spans report, of which one has its cost.
    await append(span(4, 0, null), span(4, 1, call(null, "x")), span(4, 2, call(1, "x")));
    await append(span(5, 0, { role: "restated", usage: usageOf(1, 1), cost: null }));
    const before = await found();
    expect(before.total).toMatchObject({ cost: 1.875, priced: { count: 2, cost: 1.5 } });
    expect(before.items.filter((item) => item.includes(SHOWN))).toHaveLength(4);
    await store.close();
    await upgraded.downgrade();
    store = await upgraded.open();
    await expect.poll(found, { timeout: 20_000 }).toEqual(before);
    // A trace that goes on is counted anew, and not twice.
    await append(span(1, 2, call(0.125)), span(3, 3, call(null)));
    const after = await found();
    expect(after.total).toMatchObject({ cost: 2, priced: { count: 3, cost: 1.875 } });
    expect(after.items.filter((item) => item.includes(',"unpriced_calls":2'))).toHaveLength(1);
    await store.close();
    store = await upgraded.open();
    expect(await found()).toEqual(after);
  });
});

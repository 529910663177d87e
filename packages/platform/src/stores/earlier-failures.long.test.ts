import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ClickHouseSession } from "./clickhouse/clickhouse-session.ts";
import { openClickHouseStore } from "./clickhouse/clickhouse-store.ts";
import { spanIdOf, storedSpan, traceIdOf } from "./contract/stored-span.fixture.ts";
import { openPostgresStore } from "./postgres/postgres-store.ts";
import { SpanDatabase } from "./postgres/span-database.ts";
import { WITHOUT_ZONES } from "./postgres/without-zones.fixture.ts";
import type { SpanFilter } from "./span-query.ts";
import type { SpanStore } from "./span-store.ts";
import { checkFolder } from "./sqlite/check-folder.ts";
import { filesIn } from "./sqlite/data-directory.ts";
import { openSqliteStore } from "./sqlite/sqlite-store.ts";
import { openChdbEngine } from "./testing/chdb-engine.fixture.ts";
import { sharedPostgres } from "./testing/shared-databases.fixture.ts";

// What was written before traces had the number of their failed spans is found by it after an upgrade.

const project = "default";
const SHOWN = ',"failed_spans":';

interface Upgraded {
  open(): Promise<SpanStore>;
  /** Makes the closed database one of the version before. */
  downgrade(): Promise<void>;
  dispose(): Promise<void>;
}

function inSqlite(): Upgraded {
  const directory = mkdtempSync(join(tmpdir(), "agate-failures-"));
  return {
    open: () => openSqliteStore({ directory }),
    downgrade: async () => {
      using db = new DatabaseSync(filesIn(directory).spans);
      db.exec(`DROP INDEX traces_failed; DROP INDEX spans_failed_by_trace;
        ALTER TABLE traces DROP COLUMN unpriced_calls;
        UPDATE traces SET total = substr(total, 1, instr(total, '${SHOWN}') - 1) WHERE failed_spans > 0;
        ALTER TABLE traces DROP COLUMN failed_spans;
        DROP TABLE logged_spans; DROP TABLE merge_progress;
        ALTER TABLE deleted_spans DROP COLUMN trace_no;
        DROP TABLE trace_zones; DROP TABLE span_zones; DROP TABLE unzoned;
        PRAGMA user_version = 9;`);
    },
    dispose: async () => {
      const { signal } = new AbortController();
      expect(checkFolder(directory, { repairIndex: false, signal }).listedWrongly).toEqual([]);
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
        "DROP INDEX agate.traces_failed",
        `UPDATE agate.traces SET total = split_part(total, '${SHOWN}', 1)`,
        "ALTER TABLE agate.traces DROP COLUMN failed_spans, DROP COLUMN unpriced_calls",
        "DROP TABLE agate.unindexed_contents",
        "DROP INDEX agate.scores_logged",
        "ALTER TABLE agate.segments DROP COLUMN answer_sum",
        "ALTER TABLE agate.unindexed DROP COLUMN noted, DROP COLUMN is_saturated, DROP COLUMN is_again",
        "ALTER TABLE agate.texts DROP COLUMN trace_no, DROP COLUMN segment, DROP COLUMN word_list",
        "ALTER TABLE agate.long_texts DROP COLUMN trace_no, DROP COLUMN segment, DROP COLUMN word_list",
        "ALTER TABLE agate.traces DROP COLUMN indexed_again",
        "DROP INDEX agate.spans_by_values, agate.traces_by_values",
        "ALTER INDEX agate.spans_by_time RENAME TO spans_by_start",
        "ALTER INDEX agate.spans_by_segment RENAME TO spans_by_no",
        "UPDATE agate.span_schema SET version = 6",
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
      const [view] = await session.rows<[string]>(
        "SELECT as_select FROM system.tables WHERE name = 'traces_by_id_view'",
      );
      const select = view?.[0].replace(", failed_spans", "");
      await session.command(
        `ALTER TABLE ${session.table("traces_by_id_view")} MODIFY QUERY ${select}`,
      );
      await session.command(
        `ALTER TABLE ${session.table("traces")} DROP INDEX by_failed, DROP COLUMN unpriced_calls`,
      );
      for (const table of ["traces", "traces_by_id"].map((name) => session.table(name))) {
        await session.command(
          `ALTER TABLE ${table} UPDATE total = splitByString('${SHOWN}', total)[1] WHERE TRUE`,
          {},
          { mutations_sync: "1" },
        );
        await session.command(`ALTER TABLE ${table} DROP COLUMN failed_spans`);
      }
      await session.command(`TRUNCATE TABLE ${session.table("schema_version")}`);
      await session.insert("schema_version", ["version"], [[4]]);
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
  const span = (trace: number, n: number, status: "OK" | "ERROR") =>
    storedSpan({
      traceId: traceIdOf(trace),
      id: spanIdOf(trace * 10 + n),
      parentId: n === 0 ? null : spanIdOf(trace * 10),
      start: trace,
      status,
    });
  const found = async (filter: SpanFilter) => ({
    traces: (await store.listTraces({ project, filter, limit: 100, after: null })).items,
    spans: (await store.listSpans({ project, filter, limit: 100, after: null })).items,
    tops: (await store.readTops(project, [0, 1, 2, 3, 4].map(traceIdOf))).tops,
  });

  it("counts failed spans as if each trace had been written by this version", async () => {
    await append(span(0, 0, "OK"), span(0, 1, "OK"));
    await append(span(1, 0, "OK"), span(1, 1, "ERROR"), span(1, 2, "ERROR"));
    await append(span(2, 0, "ERROR"));
    // In several commits; a span that failed is sent again as one that did not.
    await append(span(3, 1, "ERROR"));
    await append(span(3, 0, "OK"), span(3, 2, "ERROR"));
    await append(span(4, 0, "OK"), span(4, 1, "ERROR"));
    await append(span(4, 1, "OK"));
    await append(span(3, 1, "OK"));
    const filters: readonly SpanFilter[] = [{}, { anyError: true }, { anyError: false }];
    const before = await Promise.all(filters.map(found));
    expect(before.map(({ traces }) => traces.length)).toEqual([5, 3, 2]);
    await store.close();
    await upgraded.downgrade();
    store = await upgraded.open();
    expect(await Promise.all(filters.map(found))).toEqual(before);
    // A trace that goes on is counted anew, and not twice.
    await append(span(1, 3, "ERROR"), span(2, 0, "OK"));
    const { traces } = await found({ anyError: true });
    expect(traces.map((item) => JSON.parse(item).metadata.failed_spans)).toEqual([1, 3]);
    await store.close();
    store = await upgraded.open();
    expect((await found({ anyError: true })).traces).toEqual(traces);
  });
});

import { join } from "node:path";
import type { SQLInputValue } from "node:sqlite";
import { DatabaseSync } from "node:sqlite";
import { MIGRATIONS } from "../packages/platform/src/stores/sqlite/span-schema.ts";
import { ingestSpans, ingestSpansOverGrpc } from "./ingest-load.ts";
import { createLoad } from "./loads/load.ts";
import type { LoadName } from "./loads/trace-plans.ts";
import type { Line } from "./report.ts";
import { median, perSecond, ratio } from "./report.ts";
import { startAgate, temporaryFolder } from "./server-process.ts";

const SPANS = 100_000;
const ROUNDS = 3;

/**
 * OTLP protobuf in batches of 500, each acknowledged when it is on disk, beside a bare script that
 * inserts the same rows into the same tables, a commit for every 500 spans.
 */
export async function benchIngest(loadName: LoadName): Promise<Line[]> {
  const load = createLoad(loadName);
  let bytes = 0;
  const served: number[] = [];
  const overGrpc: number[] = [];
  const bare: BulkInsert[] = [];
  const withoutRuns: BulkInsert[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await using folder = await temporaryFolder();
    {
      await using agate = await startAgate(folder.path);
      await ingestSpans(agate.port, SPANS / 5, load);
      const result = await ingestSpans(agate.port, SPANS, load);
      served.push(result.perSecond);
      bytes = result.bytes / result.spans;
    }
    {
      // On a server of its own: a larger store would count against whichever comes second.
      await using other = await temporaryFolder();
      await using agate = await startAgate(other.path);
      await ingestSpansOverGrpc(agate.grpcPort, SPANS / 5, load);
      overGrpc.push((await ingestSpansOverGrpc(agate.grpcPort, SPANS, load)).perSecond);
    }
    bare.push(bulkInsert(folder.path, "bare.db"));
    withoutRuns.push(bulkInsert(folder.path, "without-runs.db", RUN_INDEXES));
  }
  const rate = median(served);
  const reference = median(bare.map(({ perSecond: each }) => each));
  const [micros, without] = [bare, withoutRuns].map((inserts) =>
    median(inserts.map(({ processorMicros }) => processorMicros)),
  ) as [number, number];
  return [
    {
      what: `ingest of ${loadName}, OTLP protobuf, ${Math.round(bytes)} bytes a span, batches of ${load.spansPerBatch}, on disk before the answer (${SPANS} spans)`,
      measured: perSecond(rate, "spans"),
      reference: `bare bulk insert of the same rows ${perSecond(reference, "spans")}`,
      ratio: ratio(rate / reference),
      target: "≥ 0.4, and ≥ 25,000 spans/s",
    },
    {
      what: `the same batches over gRPC, 2 connections with 4 calls at a time each (${SPANS} spans)`,
      measured: perSecond(median(overGrpc), "spans"),
      reference: `over HTTP ${perSecond(rate, "spans")}`,
      ratio: ratio(median(overGrpc) / rate),
      target: "none: a figure to compare",
    },
    {
      // Processor time: on a busy machine the rates of two inserts say little about indexes.
      what: "the bare bulk insert, with the indexes that tell evaluation runs from live traffic",
      measured: `${micros.toFixed(1)} µs of processor a span`,
      reference: `without them ${without.toFixed(1)} µs`,
      ratio: ratio(micros / without),
      target: "≤ 1.05",
    },
  ];
}

/** What runs of evaluations have added to the tables. */
const RUN_INDEXES = ["traces_live", "traces_evaluated", "traces_by_run"];

const SPANS_PER_COMMIT = 500;

interface BulkInsert {
  readonly perSecond: number;
  /** Of a span. */
  readonly processorMicros: number;
}

/**
 * Copies the rows that the server wrote into a new file.
 *
 * @param without Indexes that the new file does not have.
 */
function bulkInsert(folder: string, name: string, without: readonly string[] = []): BulkInsert {
  const source = new DatabaseSync(join(folder, "spans.db"), { readOnly: true });
  const tables = ["traces", "segments", "spans"].map((table) => {
    const statement = source.prepare(`SELECT * FROM ${table} ORDER BY rowid`);
    statement.setReturnArrays(true);
    return { table, rows: statement.all() as unknown as SQLInputValue[][] };
  });
  const spans = tables[2]?.rows.length as number;
  const target = new DatabaseSync(join(folder, name));
  target.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536");
  target.exec("PRAGMA wal_autocheckpoint = 16384");
  for (const migration of MIGRATIONS) target.exec(migration);
  for (const index of without) target.exec(`DROP INDEX ${index}`);
  const inserts = tables.map(({ table, rows }) => ({
    rows,
    // Rows of each table that belong to one commit.
    perCommit: Math.ceil((rows.length * SPANS_PER_COMMIT) / spans),
    insert: target.prepare(`INSERT INTO ${table} VALUES (${rows[0]?.map(() => "?").join(", ")})`),
  }));
  const started = performance.now();
  const before = process.cpuUsage();
  for (let commit = 0; commit * SPANS_PER_COMMIT < spans; commit++) {
    target.exec("BEGIN");
    for (const { rows, perCommit, insert } of inserts) {
      for (const row of rows.slice(commit * perCommit, (commit + 1) * perCommit)) {
        insert.run(...row);
      }
    }
    target.exec("COMMIT");
  }
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - started) / 1000;
  source.close();
  target.close();
  return { perSecond: spans / seconds, processorMicros: (user + system) / spans };
}

import { Pool } from "pg";
import {
  ClickHouseSession,
  connectClickHouse,
} from "../packages/platform/src/stores/clickhouse/clickhouse-session.ts";
import { spansAndScores } from "../packages/platform/src/stores/clickhouse/trace-reader.ts";
import type {
  ClickHouseAddress,
  PostgresAddress,
} from "../packages/platform/src/stores/store-address.ts";
import { during, getRequest, httpLoad } from "./http-load.ts";
import { ingestSpans } from "./ingest-load.ts";
import { createLoad } from "./loads/load.ts";
import type { LoadName } from "./loads/trace-plans.ts";
import type { Line } from "./report.ts";
import { median, perSecond, ratio } from "./report.ts";
import { startAgate, temporaryFolder } from "./server-process.ts";
import type { EngineName } from "./stores/engine.ts";
import { openEngine } from "./stores/open-engine.ts";
import { untilQuiet } from "./stores/until-quiet.ts";

const TRACES = 2_000;
const AT_ONCE = 32;
/** Of PostgreSQL, as many as the server uses. */
const CONNECTIONS = 5;
const ROUNDS = 7;
const ROUND_MS = 2_000;
const WARM_UP_MS = 1_000;

/** Selects a random trace of those in the database. */
interface BareSelect extends AsyncDisposable {
  /** What is selected. */
  readonly of: string;
  select(): Promise<unknown>;
}

/** A trace of 20 spans from a database over HTTP, beside a statement that only selects what is stored of it. */
export async function benchDatabaseRead(
  loadName: LoadName,
  engines: readonly EngineName[],
): Promise<Line[]> {
  const lines: Line[] = [];
  for (const engine of engines) {
    // SQLite is in the server's own process: `trace-read` measures it.
    if (engine === "postgres") lines.push(...(await measure(engine, loadName, "≥ 0.4", "≥ 0.22")));
    if (engine === "clickhouse") lines.push(...(await measure(engine, loadName, "≥ 0.8", "≥ 0.8")));
  }
  return lines;
}

async function measure(
  name: "postgres" | "clickhouse",
  loadName: LoadName,
  ...[zstdTarget, plainTarget]: readonly [zstd: string, plain: string]
): Promise<Line[]> {
  const load = createLoad(loadName);
  await using engine = await openEngine(name);
  if (!("url" in engine.place) || engine.pid === null) throw new Error(`${name} has a URL`);
  const { address, url } = engine.place;
  await using folder = await temporaryFolder();
  await using agate = await startAgate(folder.path, { AGATE_STORE: url });
  const { traceIds } = await ingestSpans(agate.port, TRACES * load.spansPerTrace, load);
  await untilQuiet([agate.pid, engine.pid]);
  const paths = traceIds.map((id) => `/observability/traces/${id}/`);
  const overHttp = (accepted?: string) => async (ms: number) => {
    const request = () => getRequest(oneOf(paths), accepted);
    const next = during(ms, request);
    return (await httpLoad({ port: agate.port, connections: AT_ONCE, next })).perSecond;
  };
  await using bare = await openBareSelect(address);
  const ways = { zstd: overHttp("zstd"), plain: overHttp(), bare: (ms: number) => rate(bare, ms) };
  const rates = { zstd: [], plain: [], bare: [] } as Record<keyof typeof ways, number[]>;
  for (const way of Object.values(ways)) await way(WARM_UP_MS);
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of ["zstd", "plain", "bare"] as const) {
      rates[way].push(await ways[way](ROUND_MS));
    }
  }
  const reference = median(rates.bare);
  const line = (client: string, own: readonly number[], target: string): Line => ({
    what: `a trace from ${engine.description}, to ${client}`,
    measured: perSecond(median(own), "reads"),
    reference: `SELECT of ${bare.of} ${perSecond(reference, "reads")}`,
    ratio: ratio(median(own) / reference),
    target,
  });
  return [
    line("a client that accepts zstd", rates.zstd, zstdTarget),
    line("one that does not", rates.plain, plainTarget),
  ];
}

/** Statements a second. */
async function rate(bare: BareSelect, ms: number): Promise<number> {
  const started = performance.now();
  let reads = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (; performance.now() < started + ms; reads++) await bare.select();
    }),
  );
  return (reads * 1_000) / (performance.now() - started);
}

function openBareSelect(address: PostgresAddress | ClickHouseAddress): Promise<BareSelect> {
  return address.kind === "postgres" ? openPostgres(address.url) : openClickHouse(address);
}

async function openPostgres(url: string): Promise<BareSelect> {
  const pool = new Pool({ connectionString: url, max: CONNECTIONS });
  const { rows } = await pool.query<{ trace_no: string; day: string }>(
    "SELECT trace_no, to_char(day, 'YYYYMMDD') AS day FROM agate.traces",
  );
  return {
    of: "the stored bytes",
    select: () => {
      const { trace_no, day } = oneOf(rows);
      const text = `SELECT body FROM agate.segments_${day} WHERE trace_no = $1`;
      return pool.query({ name: `body-${day}`, text, values: [trace_no] });
    },
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

/** The very statement that the server reads a trace with, over as many connections. */
async function openClickHouse(address: ClickHouseAddress): Promise<BareSelect> {
  const session = new ClickHouseSession(connectClickHouse(address), address);
  const rows = await session.rows<[project: string, traceId: string]>(
    `SELECT project, trace_id FROM ${session.table("traces_by_id")}`,
  );
  return {
    of: "the same rows",
    select: () => {
      const [project, traceId] = oneOf(rows);
      return spansAndScores(session, project, { kind: "trace", traceId });
    },
    [Symbol.asyncDispose]: () => session.close(),
  };
}

function oneOf<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item;
}

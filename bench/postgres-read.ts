import { Pool } from "pg";
import { during, getRequest, httpLoad } from "./http-load.ts";
import { ingestSpans } from "./ingest-load.ts";
import { createLoad } from "./loads/load.ts";
import type { LoadName } from "./loads/trace-plans.ts";
import type { Line } from "./report.ts";
import { median, perSecond, ratio } from "./report.ts";
import { startAgate, temporaryFolder } from "./server-process.ts";
import { openEngine } from "./stores/open-engine.ts";
import { untilQuiet } from "./stores/until-quiet.ts";

const TRACES = 2_000;
const AT_ONCE = 32;
/** As many as the server uses. */
const CONNECTIONS = 5;
const ROUNDS = 7;
const ROUND_MS = 2_000;
const WARM_UP_MS = 1_000;

/** A trace of 20 spans from PostgreSQL over HTTP, beside a statement that only selects its stored bytes. */
export async function benchPostgresRead(loadName: LoadName): Promise<Line[]> {
  const load = createLoad(loadName);
  await using engine = await openEngine("postgres");
  if (!("url" in engine.place) || engine.pid === null) throw new Error("PostgreSQL has a URL");
  await using folder = await temporaryFolder();
  await using agate = await startAgate(folder.path, { AGATE_STORE: engine.place.url });
  const { traceIds } = await ingestSpans(agate.port, TRACES * load.spansPerTrace, load);
  await untilQuiet([agate.pid, engine.pid]);
  const paths = traceIds.map((id) => `/observability/traces/${id}/`);
  const overHttp = (accepted?: string) => async (ms: number) => {
    const request = () => getRequest(oneOf(paths), accepted);
    const next = during(ms, request);
    return (await httpLoad({ port: agate.port, connections: AT_ONCE, next })).perSecond;
  };
  await using bare = await openBareSelect(engine.place.url);
  const ways = { zstd: overHttp("zstd"), plain: overHttp(), bare: bare.rate };
  const rates = { zstd: [], plain: [], bare: [] } as Record<keyof typeof ways, number[]>;
  for (const way of Object.values(ways)) await way(WARM_UP_MS);
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of ["zstd", "plain", "bare"] as const) {
      rates[name].push(await ways[name](ROUND_MS));
    }
  }
  const reference = median(rates.bare);
  const line = (what: string, own: readonly number[], target: string): Line => ({
    what,
    measured: perSecond(median(own), "reads"),
    reference: `SELECT of the stored bytes ${perSecond(reference, "reads")}`,
    ratio: ratio(median(own) / reference),
    target,
  });
  return [
    line("a trace from PostgreSQL, to a client that accepts zstd", rates.zstd, "≥ 0.4"),
    line("a trace from PostgreSQL, to one that does not", rates.plain, "≥ 0.22"),
  ];
}

async function openBareSelect(url: string) {
  const pool = new Pool({ connectionString: url, max: CONNECTIONS });
  const { rows } = await pool.query<{ trace_no: string; day: string }>(
    "SELECT trace_no, to_char(day, 'YYYYMMDD') AS day FROM agate.traces",
  );
  const select = () => {
    const { trace_no, day } = oneOf(rows);
    const text = `SELECT body FROM agate.segments_${day} WHERE trace_no = $1`;
    return pool.query({ name: `body-${day}`, text, values: [trace_no] });
  };
  return {
    rate: async (ms: number): Promise<number> => {
      const started = performance.now();
      let reads = 0;
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (; performance.now() < started + ms; reads++) await select();
        }),
      );
      return (reads * 1_000) / (performance.now() - started);
    },
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

function oneOf<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item;
}

import { during, getRequest, httpLoad } from "./http-load.ts";
import { ingestSpans } from "./ingest-load.ts";
import type { Line } from "./report.ts";
import { median, perSecond, ratio } from "./report.ts";
import { startAgate, startBare, temporaryFolder, untilIdle } from "./server-process.ts";

const TRACES = 10_000;
const CONNECTIONS = 32;
const ROUNDS = 5;
const ROUND_MS = 3_000;

/** A trace of 20 spans and 26 KB, any of 10,000, beside a bare server sending the same bytes. */
export async function benchTraceRead(): Promise<Line[]> {
  await using folder = await temporaryFolder();
  await using agate = await startAgate(folder.path);
  const { traceIds } = await ingestSpans(agate.port, TRACES * 20, TEXT_BYTES);
  const whole = await wholeTraces(agate.port, traceIds);
  await using bare = await startBare(agate.port, whole);
  await untilIdle(agate.pid);
  const read = (port: number, ms: number) =>
    httpLoad({
      port,
      connections: CONNECTIONS,
      next: during(ms, () => getRequest(whole[Math.floor(Math.random() * whole.length)] as string)),
    });
  await read(agate.port, 1_000);
  await read(bare.port, 1_000);
  const rates: { agate: number[]; bare: number[] } = { agate: [], bare: [] };
  for (let round = 0; round < ROUNDS; round++) {
    rates.agate.push((await read(agate.port, ROUND_MS)).perSecond);
    rates.bare.push((await read(bare.port, ROUND_MS)).perSecond);
  }
  const bytes = (await fetch(`http://127.0.0.1:${agate.port}${whole[0]}`)).headers;
  return [
    {
      what: `trace read, 20 spans, ${bytes.get("content-length")} bytes, random of ${whole.length}`,
      measured: perSecond(median(rates.agate), "reads"),
      reference: `bare node:http ${perSecond(median(rates.bare), "reads")}`,
      ratio: ratio(median(rates.agate) / median(rates.bare)),
      target: "≥ 0.6",
    },
  ];
}

/** Chosen so that 20 spans answer with about 26 KB. */
const TEXT_BYTES = 185;

/** The paths of the traces that have all their 20 spans: the last one of a batch is cut. */
async function wholeTraces(port: number, traceIds: readonly string[]): Promise<string[]> {
  const sizes = new Map<string, number>();
  for (const id of traceIds) {
    const path = `/observability/traces/${id}/`;
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: "HEAD" });
    sizes.set(path, Number(answer.headers.get("content-length")));
  }
  const largest = Math.max(...sizes.values());
  return [...sizes]
    .filter(([, size]) => size > largest * 0.95)
    .map(([path]) => path)
    .slice(0, TRACES);
}

import { during, getRequest, httpLoad } from "./http-load.ts";
import { ingestSpans } from "./ingest-load.ts";
import { createLoad } from "./loads/load.ts";
import type { LoadName } from "./loads/trace-plans.ts";
import type { Line } from "./report.ts";
import { median, perSecond, ratio } from "./report.ts";
import { startAgate, startBare, temporaryFolder, untilIdle } from "./server-process.ts";

/** The bare server holds all of them in memory. */
const TRACES: Readonly<Record<LoadName, number>> = { mixed: 10_000, agent: 2_500 };
const CONNECTIONS = 32;
const ROUNDS = 5;
const ROUND_MS = 3_000;

/** Traces that are judged after the first rounds, by as many as a team of scorers and people would. */
const SCORED = 1_000;
const SCORES = 50;

/**
 * A trace of 20 spans, any of thousands, beside a bare server sending the same bytes. Then the same where
 * other traces have scores, and traces with 50 scores beside those.
 */
export async function benchTraceRead(loadName: LoadName): Promise<Line[]> {
  const load = createLoad(loadName);
  await using folder = await temporaryFolder();
  await using agate = await startAgate(folder.path);
  const spans = TRACES[loadName] * load.spansPerTrace;
  const { traceIds } = await ingestSpans(agate.port, spans, load);
  const whole = traceIds.map((id) => `/observability/traces/${id}/`);
  await using bare = await startBare(agate.port, whole);
  await untilIdle(agate.pid);
  const read = (port: number, ms: number, paths = whole) =>
    httpLoad({
      port,
      connections: CONNECTIONS,
      next: during(ms, () => getRequest(paths[Math.floor(Math.random() * paths.length)] as string)),
    });
  await read(agate.port, 1_000);
  await read(bare.port, 1_000);
  const rates: { agate: number[]; bare: number[] } = { agate: [], bare: [] };
  for (let round = 0; round < ROUNDS; round++) {
    rates.agate.push((await read(agate.port, ROUND_MS)).perSecond);
    rates.bare.push((await read(bare.port, ROUND_MS)).perSecond);
  }
  const [scored, unscored] = [whole.slice(0, SCORED), whole.slice(SCORED)];
  await judge(agate.port, scored);
  await untilIdle(agate.pid);
  const judged: { scored: number[]; unscored: number[]; bare: number[] } = {
    scored: [],
    unscored: [],
    bare: [],
  };
  for (let round = 0; round < ROUNDS; round++) {
    judged.unscored.push((await read(agate.port, ROUND_MS, unscored)).perSecond);
    judged.scored.push((await read(agate.port, ROUND_MS, scored)).perSecond);
    judged.bare.push((await read(bare.port, ROUND_MS)).perSecond);
  }
  const bytes = await bytesOf(agate.port, unscored[0] as string);
  return [
    {
      what: `trace read of ${loadName}, 20 spans, ${bytes} bytes, random of ${whole.length}`,
      measured: perSecond(median(rates.agate), "reads"),
      reference: `bare node:http ${perSecond(median(rates.bare), "reads")}`,
      ratio: ratio(median(rates.agate) / median(rates.bare)),
      target: "≥ 0.6",
    },
    {
      what: `the same, of traces without scores where ${SCORED} others have ${SCORES} each`,
      measured: perSecond(median(judged.unscored), "reads"),
      reference: `bare node:http ${perSecond(median(judged.bare), "reads")}`,
      ratio: ratio(median(judged.unscored) / median(judged.bare)),
      target: "≥ 0.6",
    },
    {
      what: `traces with ${SCORES} scores, ${await bytesOf(agate.port, scored[0] as string)} bytes`,
      measured: perSecond(median(judged.scored), "reads"),
      reference: `without scores ${perSecond(median(judged.unscored), "reads")}`,
      ratio: ratio(median(judged.scored) / median(judged.unscored)),
      target: "none",
    },
  ];
}

async function bytesOf(port: number, path: string): Promise<string | null> {
  return (await fetch(`http://127.0.0.1:${port}${path}`)).headers.get("content-length");
}

/** Gives each of these traces its scores, ten traces in a request. */
async function judge(port: number, paths: readonly string[]): Promise<void> {
  const ids = paths.map((path) => path.split("/").at(-2));
  for (let first = 0; first < ids.length; first += 10) {
    const scores = ids.slice(first, first + 10).flatMap((trace_id) =>
      Array.from({ length: SCORES }, (_, n) => ({
        trace_id,
        name: `score-${n}`,
        value: n / SCORES,
        explanation: "The answer names its source and solves the problem.",
      })),
    );
    const response = await fetch(`http://127.0.0.1:${port}/observability/scores/`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ scores }),
    });
    if (response.status !== 200) throw new Error(await response.text());
  }
}

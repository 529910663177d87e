import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
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
const ROUND_MS = 2_000;
const WARM_UP_MS = 1_000;

/** Traces that are judged, by as many as a team of scorers and people would. */
const SCORED = 1_000;
const SCORES = 50;

/**
 * A trace of 20 spans, any of thousands, beside a bare server sending the same bytes: as it was received, also
 * with scores, and when it has been quiet for so long that it is packed.
 */
export async function benchTraceRead(loadName: LoadName): Promise<Line[]> {
  const load = createLoad(loadName);
  await using folder = await temporaryFolder();
  await using agate = await startAgate(folder.path);
  const spans = TRACES[loadName] * load.spansPerTrace;
  const { traceIds } = await ingestSpans(agate.port, spans, load);
  const file = join(folder.path, "spans.db");
  const received = usedBytes(file) / spans;
  const all = traceIds.map((id) => `/observability/traces/${id}/`);
  const [scored, whole] = [all.slice(0, SCORED), all.slice(SCORED)];
  await using bare = await startBare(agate.port, whole);
  await judge(agate.port, scored);
  await untilIdle(agate.pid);
  // On a quiet machine within the first minute, in which nothing is packed.
  const rates = await alternate({
    agate: { port: agate.port, paths: whole },
    scored: { port: agate.port, paths: scored },
    bare: { port: bare.port, paths: whole },
  });
  const bytes = await bytesOf(agate.port, whole[0] as string);
  const scoredBytes = await bytesOf(agate.port, scored[0] as string);
  await untilPacked(file);
  await untilIdle(agate.pid);
  const packed = usedBytes(file) / spans;
  const index = join(folder.path, "index.db");
  await untilCutOff(file);
  await untilCutOff(index);
  const onDisk = [file, index].map((each) => Math.round(fileBytes(each) / spans));
  const indexUsed = usedBytes(index) / spans;
  await using bareFrames = await startBare(agate.port, whole, "zstd");
  const packedRates = await alternate({
    plain: { port: agate.port, paths: whole },
    bare: { port: bare.port, paths: whole },
    frames: { port: agate.port, paths: whole, accepted: "zstd" },
    bareFrames: { port: bareFrames.port, paths: whole },
  });
  return [
    {
      what: `trace read of ${loadName}, 20 spans, ${bytes} bytes, random of ${whole.length}`,
      measured: perSecond(rates.agate, "reads"),
      reference: `bare node:http ${perSecond(rates.bare, "reads")}`,
      ratio: ratio(rates.agate / rates.bare),
      target: "≥ 0.65",
    },
    {
      what: `traces with ${SCORES} scores, ${scoredBytes} bytes`,
      measured: perSecond(rates.scored, "reads"),
      reference: `without scores ${perSecond(rates.agate, "reads")}`,
      ratio: ratio(rates.scored / rates.agate),
      target: "none",
    },
    {
      what: "packed traces, to a client that accepts zstd",
      measured: perSecond(packedRates.frames, "reads"),
      reference: `bare node:http ${perSecond(packedRates.bare, "reads")} unpacked, ${perSecond(packedRates.bareFrames, "reads")} of the same frames`,
      ratio: ratio(packedRates.frames / packedRates.bare),
      target: "≥ 0.9",
    },
    {
      what: "packed traces, to one that does not",
      measured: perSecond(packedRates.plain, "reads"),
      reference: `bare node:http ${perSecond(packedRates.bare, "reads")}`,
      ratio: ratio(packedRates.plain / packedRates.bare),
      target: "≥ 0.28",
    },
    {
      what: "used pages of spans.db, all tables and indexes but those of scores, when all traces are packed",
      measured: `${Math.round(packed)} bytes a span`,
      reference: `as received ${Math.round(received)}`,
      ratio: ratio(packed / received),
      target: "none",
    },
    {
      what: "length of spans.db and index.db, without scores, when all traces are packed",
      measured: `${onDisk.join(" + ")} bytes a span`,
      reference: `their used pages ${Math.round(packed)} + ${Math.round(indexUsed)}`,
      ratio: ratio(onDisk.reduce((sum, bytes) => sum + bytes) / (packed + indexUsed)),
      target: "≤ 800 bytes a span",
    },
  ];
}

interface Reads {
  readonly port: number;
  readonly paths: readonly string[];
  readonly accepted?: string;
}

/** The median rates of reads that take turns. */
async function alternate<Name extends string>(
  reads: Readonly<Record<Name, Reads>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(reads) as Name[];
  const read = ({ port, paths, accepted }: Reads, ms: number) => {
    const request = () =>
      getRequest(paths[Math.floor(Math.random() * paths.length)] as string, accepted);
    return httpLoad({ port, connections: CONNECTIONS, next: during(ms, request) });
  };
  const rates = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (const name of names) await read(reads[name], WARM_UP_MS);
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of names) {
      rates.get(name)?.push((await read(reads[name], ROUND_MS)).perSecond);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(rates.get(name) ?? [])])) as Record<
    Name,
    number
  >;
}

/** Of the pages that are in use, without those of scores. */
function usedBytes(file: string): number {
  return pageBytes(file, "name NOT LIKE 'scores%'");
}

/** The length of a file, free pages included, without the pages of scores. */
function fileBytes(file: string): number {
  return statSync(file).size - pageBytes(file, "name LIKE 'scores%'");
}

function pageBytes(file: string, condition: string): number {
  using db = new DatabaseSync(file, { readOnly: true });
  const pages = db.prepare(
    `SELECT coalesce(sum(pgsize), 0) AS bytes FROM dbstat WHERE ${condition}`,
  );
  return (pages.get() as { bytes: number }).bytes;
}

/** Waits until a file is as long as its database: pages at its end leave it a second after the last write. */
async function untilCutOff(file: string): Promise<void> {
  using db = new DatabaseSync(file, { readOnly: true });
  const length = db.prepare(
    "SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size",
  );
  while (statSync(file).size > (length.get() as { bytes: number }).bytes) await pause(500);
}

async function untilPacked(file: string): Promise<void> {
  using db = new DatabaseSync(file, { readOnly: true });
  const left = db.prepare(
    "SELECT 1 FROM traces, merge_progress AS p WHERE traces.received > p.received LIMIT 1",
  );
  while (left.get() !== undefined) await pause(500);
}

async function bytesOf(port: number, path: string): Promise<string | null> {
  const headers = { "accept-encoding": "identity" };
  return (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).headers.get(
    "content-length",
  );
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

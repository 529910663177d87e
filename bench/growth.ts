import { setTimeout as pause } from "node:timers/promises";
import { measureQueries } from "./growth-queries.ts";
import { during, getRequest, httpLoad } from "./http-load.ts";
import { ingestSpans } from "./ingest-load.ts";
import { createLoad } from "./loads/load.ts";
import type { LoadName } from "./loads/trace-plans.ts";
import type { Line } from "./report.ts";
import { median, ratio } from "./report.ts";
import { startAgate, temporaryFolder, untilIdle } from "./server-process.ts";
import type { EngineName } from "./stores/engine.ts";
import { openEngine } from "./stores/open-engine.ts";
import { untilQuiet } from "./stores/until-quiet.ts";

const SMALL = 100_000;
/** A trace is packed when it has received nothing for a minute. */
const PACKED_AFTER_MS = 65_000;
const ROUNDS = 5;
const ROUND_MS = 2_000;
/** Of the ids that are read from; a sample of all, so that it needs no memory at 10,000,000 spans. */
const SAMPLE = 20_000;

/**
 * The time of a trace read when there are many spans, beside the time when there were few; and what lists and searches
 * take then.
 */
export async function benchGrowth(
  loadName: LoadName,
  spans: number,
  engines: readonly EngineName[],
): Promise<Line[]> {
  const lines: Line[] = [];
  for (const name of engines) lines.push(...(await measure(name, loadName, spans)));
  return lines;
}

async function measure(name: EngineName, loadName: LoadName, spans: number): Promise<Line[]> {
  const load = createLoad(loadName);
  await using engine = await openEngine(name);
  await using folder = await temporaryFolder();
  const { place, pid } = engine;
  await using agate =
    "url" in place
      ? await startAgate(folder.path, { AGATE_STORE: place.url })
      : await startAgate(place.address.directory);
  const sample: string[] = [];
  let seen = 0;
  let rate = 0;
  const growTo = async (target: number) => {
    while (seen < target) {
      const result = await ingestSpans(agate.port, Math.min(SMALL, target - seen), load);
      seen += result.spans;
      rate = result.perSecond;
      keepSome(sample, result.traceIds, seen / load.spansPerTrace);
    }
    await untilIdle(agate.pid);
    // Few spans and many are read as they lie in the end: packed.
    await pause(PACKED_AFTER_MS);
    await untilIdle(agate.pid);
    if (pid !== null) await untilQuiet([pid]);
    // A store larger than memory is read from the disk in any layout. The first pass shows
    // what that costs; the rounds after it show what the size of the store costs.
    const first = await firstPassMicros(agate.port, sample);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) times.push(await readMicros(agate.port, sample));
    return { first, again: median(times) };
  };
  const few = await growTo(SMALL);
  const many = await growTo(spans);
  const bytes = await engine.bytes();
  const queries = await measureQueries(agate.port, sample);
  return [
    {
      what: `${name}: trace read at ${seen.toLocaleString("en")} spans of ${loadName} (${(bytes / 1e9).toFixed(1)} GB; the last of them taken in at ${Math.round(rate).toLocaleString("en")}/s)`,
      measured: `${many.again.toFixed(1)} µs (read for the first time ${many.first.toFixed(1)} µs)`,
      reference: `at ${SMALL.toLocaleString("en")} spans ${few.again.toFixed(1)} µs (${few.first.toFixed(1)} µs)`,
      ratio: `${ratio(many.again / few.again)} (${ratio(many.first / few.first)})`,
      target: "≤ 1.3",
    },
    ...queries,
  ];
}

/** Reservoir sampling: each id that ever came by is kept with the same chance. */
function keepSome(sample: string[], ids: readonly string[], seenBefore: number): void {
  let seen = seenBefore - ids.length;
  for (const id of ids) {
    seen++;
    if (sample.length < SAMPLE) sample.push(id);
    else {
      const place = Math.floor(Math.random() * seen);
      if (place < SAMPLE) sample[place] = id;
    }
  }
}

/** Microseconds a read when every trace of the sample is read once. */
async function firstPassMicros(port: number, ids: readonly string[]): Promise<number> {
  const left = [...ids];
  const next = () => {
    const id = left.pop();
    return id === undefined ? undefined : getRequest(`/observability/traces/${id}/`);
  };
  return 1e6 / (await httpLoad({ port, connections: 32, next })).perSecond;
}

/** Microseconds a read, 32 connections at once. */
async function readMicros(port: number, ids: readonly string[]): Promise<number> {
  const result = await httpLoad({
    port,
    connections: 32,
    next: during(ROUND_MS, () => {
      const id = ids[Math.floor(Math.random() * ids.length)];
      return getRequest(`/observability/traces/${id}/`);
    }),
  });
  return 1e6 / result.perSecond;
}

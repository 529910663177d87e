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
/** PostgreSQL indexes the words of 10,000,000 spans in less than this. */
const CATCHES_UP_MS = 2 * 3_600_000;
const ROUNDS = 5;
const ROUND_MS = 2_000;
/** Of the ids that are read from; a sample of all, so that it needs no memory at 10,000,000 spans. */
const SAMPLE = 20_000;

/**
 * The time of a trace read where there are many spans, beside the time where there are few, in turns; and what lists
 * and searches take where there are many.
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
  await using many = await openStore(name, loadName);
  await many.growTo(spans);
  await using few = await openStore(name, loadName);
  await few.growTo(SMALL);
  // A store larger than memory is read from the disk in any layout. The first pass shows
  // what that costs; the rounds after it show what the size of the store costs.
  const first = { few: await firstPassMicros(few), many: await firstPassMicros(many) };
  const again = { few: [] as number[], many: [] as number[] };
  // In turns: the speed of a machine changes within minutes.
  for (let round = 0; round < ROUNDS; round++) {
    again.few.push(await readMicros(few));
    again.many.push(await readMicros(many));
  }
  const [ofFew, ofMany] = [median(again.few), median(again.many)];
  const queries = await measureQueries(many.port, many.sample);
  const bytes = await many.bytes();
  return [
    {
      what: `${name}: trace read at ${spans.toLocaleString("en")} spans of ${loadName} (${(bytes / 1e9).toFixed(1)} GB; the last of them taken in at ${Math.round(many.rate).toLocaleString("en")}/s)`,
      measured: `${ofMany.toFixed(1)} µs (read for the first time ${first.many.toFixed(1)} µs)`,
      reference: `at ${SMALL.toLocaleString("en")} spans ${ofFew.toFixed(1)} µs (${first.few.toFixed(1)} µs)`,
      ratio: `${ratio(ofMany / ofFew)} (${ratio(first.many / first.few)})`,
      target: "≤ 1.3",
    },
    ...queries,
  ];
}

/** A server with an empty store. */
async function openStore(name: EngineName, loadName: LoadName) {
  await using opened = new AsyncDisposableStack();
  const load = createLoad(loadName);
  const { place, pid, bytes } = opened.use(await openEngine(name));
  const folder = opened.use(await temporaryFolder());
  const agate = opened.use(
    "url" in place
      ? await startAgate(folder.path, { AGATE_STORE: place.url })
      : await startAgate(place.address.directory),
  );
  const sample: string[] = [];
  const parts = opened.move();
  return {
    port: agate.port,
    sample,
    /** How fast the last spans were taken in. */
    rate: 0,
    bytes,
    async growTo(target: number): Promise<void> {
      for (let seen = 0; seen < target; ) {
        const result = await ingestSpans(agate.port, Math.min(SMALL, target - seen), load);
        seen += result.spans;
        this.rate = result.perSecond;
        keepSome(sample, result.traceIds, seen / load.spansPerTrace);
      }
      await untilIdle(agate.pid);
      // Traces are read as they lie in the end: packed.
      await pause(PACKED_AFTER_MS);
      await untilIdle(agate.pid);
      // While its database indexes words, the server itself looks idle.
      if (pid !== null) await untilQuiet([agate.pid, pid], CATCHES_UP_MS);
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

interface ReadStore {
  readonly port: number;
  readonly sample: readonly string[];
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
async function firstPassMicros({ port, sample }: ReadStore): Promise<number> {
  const left = [...sample];
  const next = () => {
    const id = left.pop();
    return id === undefined ? undefined : getRequest(`/observability/traces/${id}/`);
  };
  return 1e6 / (await httpLoad({ port, connections: 32, next })).perSecond;
}

/** Microseconds a read, 32 connections at once. */
async function readMicros({ port, sample }: ReadStore): Promise<number> {
  const result = await httpLoad({
    port,
    connections: 32,
    next: during(ROUND_MS, () => {
      const id = sample[Math.floor(Math.random() * sample.length)];
      return getRequest(`/observability/traces/${id}/`);
    }),
  });
  return 1e6 / result.perSecond;
}

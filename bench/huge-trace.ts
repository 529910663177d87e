import type { Line } from "./report.ts";
import { ratio } from "./report.ts";
import { startAgate, temporaryFolder } from "./server-process.ts";

const BATCH = 100;
const BATCHES = 150;
/** Batches to the large trace go on this long, so that at least one of its summaries is made meanwhile. */
const LARGE_TRACE_MS = 30_000;
/** Spans of a small trace; the next batch then begins another. */
const SMALL_TRACE = 1_000;
/** Of the requests that make the trace large. */
const GROWTH_BATCH = 5_000;

interface Times {
  readonly mean: number;
  readonly slowest: number;
}

/**
 * Batches to a trace that is large already, one after the other, beside the same batches to small
 * traces: what a summary of the large one costs them shows in the mean and in the slowest.
 */
export async function benchHugeTrace(size: number): Promise<Line[]> {
  await using folder = await temporaryFolder();
  await using agate = await startAgate(folder.path);
  let traces = 0;
  const next = () => new TraceOfBatches(agate.port, ++traces);
  let current = next();
  const sendToSmall = () => {
    if (current.spans >= SMALL_TRACE) current = next();
    return current.send(BATCH);
  };
  await timesOf(sendToSmall);
  const small = await timesOf(sendToSmall);
  const huge = next();
  while (huge.spans < size) await huge.send(Math.min(GROWTH_BATCH, size - huge.spans));
  const large = await timesOf(() => huge.send(BATCH), LARGE_TRACE_MS);
  const shown = ({ mean, slowest }: Times) =>
    `${mean.toFixed(1)} ms a batch (slowest ${slowest.toFixed(0)} ms)`;
  return [
    {
      what: `batches of ${BATCH} spans to a trace of ${size.toLocaleString("en")}`,
      measured: shown(large),
      reference: `to traces of up to ${SMALL_TRACE} ${shown(small)}`,
      ratio: `${ratio(large.mean / small.mean)} (slowest ${ratio(large.slowest / small.slowest)})`,
      target: "≤ 2",
    },
  ];
}

async function timesOf(send: () => Promise<void>, atLeastMs = 0): Promise<Times> {
  const times: number[] = [];
  const begun = performance.now();
  while (times.length < BATCHES || performance.now() - begun < atLeastMs) {
    const started = performance.now();
    await send();
    times.push(performance.now() - started);
  }
  return {
    mean: times.reduce((sum, time) => sum + time) / times.length,
    slowest: times.reduce((most, time) => Math.max(most, time)),
  };
}

/** A trace that grows by a request at a time. */
class TraceOfBatches {
  readonly #url: string;
  readonly #traceId: string;
  spans = 0;

  constructor(port: number, trace: number) {
    this.#url = `http://127.0.0.1:${port}/v1/traces`;
    this.#traceId = trace.toString(16).padStart(32, "0");
  }

  async send(count: number): Promise<void> {
    const spans = Array.from({ length: count }, () => this.#next());
    const response = await fetch(this.#url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
    });
    const answer = await response.text();
    if (answer !== "{}") throw new Error(`Agate answered ${response.status}: ${answer}`);
  }

  /** A child of the first one. */
  #next(): object {
    const n = ++this.spans;
    return {
      traceId: this.#traceId,
      spanId: n.toString(16).padStart(16, "0"),
      ...(n > 1 && { parentSpanId: "1".padStart(16, "0") }),
      name: `step ${n % 100}`,
      startTimeUnixNano: String(1_780_000_000_000_000_000n + BigInt(n) * 1_000n),
      endTimeUnixNano: String(1_780_000_000_000_000_500n + BigInt(n) * 1_000n),
    };
  }
}

import type { Line } from "./report.ts";
import { ratio } from "./report.ts";
import { startAgate, temporaryFolder } from "./server-process.ts";

const BATCH = 100;
const BATCHES = 150;
/** Of the requests that make the trace large. */
const GROWTH_BATCH = 5_000;

interface Times {
  readonly mean: number;
  readonly slowest: number;
}

/**
 * Batches to a trace that is large already, one after the other, beside the same batches to a small
 * trace: what a summary of the large one costs them shows in the mean and in the slowest.
 */
export async function benchHugeTrace(size: number): Promise<Line[]> {
  await using folder = await temporaryFolder();
  await using agate = await startAgate(folder.path);
  const warmUp = new TraceOfBatches(agate.port, 1);
  await timesOf(warmUp);
  const small = await timesOf(new TraceOfBatches(agate.port, 2));
  const huge = new TraceOfBatches(agate.port, 3);
  while (huge.spans < size) await huge.send(Math.min(GROWTH_BATCH, size - huge.spans));
  const large = await timesOf(huge);
  const shown = ({ mean, slowest }: Times) =>
    `${mean.toFixed(1)} ms a batch (slowest ${slowest.toFixed(0)} ms)`;
  return [
    {
      what: `batches of ${BATCH} spans to a trace of ${size.toLocaleString("en")}`,
      measured: shown(large),
      reference: `to a small trace ${shown(small)}`,
      ratio: `${ratio(large.mean / small.mean)} (slowest ${ratio(large.slowest / small.slowest)})`,
      target: "≤ 2",
    },
  ];
}

async function timesOf(trace: TraceOfBatches): Promise<Times> {
  const times: number[] = [];
  for (let n = 0; n < BATCHES; n++) {
    const started = performance.now();
    await trace.send(BATCH);
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

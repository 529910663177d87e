import { setTimeout as pause } from "node:timers/promises";
import { httpLoad, postRequest } from "../http-load.ts";
import { processorSeconds } from "../process-tree.ts";
import type { IngestFigures } from "./figures.ts";
import type { SentIds } from "./measure-reads.ts";
import { percentile } from "./percentile.ts";
import { untilQuiet } from "./until-quiet.ts";
import type { Workload } from "./workload.ts";

const CONNECTIONS = 8;
const PATIENCE_MS = 600_000;
/** Bodies that are made before the clock runs; a chunk at a time, to bound memory. */
const BATCHES_AT_ONCE = 100;

export interface IngestResult {
  readonly figures: IngestFigures;
  readonly spans: number;
  readonly sentBytes: number;
  readonly ids: SentIds;
}

/** Sends the whole workload, each batch acknowledged when it is on disk. */
export async function measureIngest(
  server: { readonly port: number; readonly pid: number },
  enginePid: number | null,
  workload: Workload,
): Promise<IngestResult> {
  const before = usedBy(server.pid, enginePid);
  const times: number[] = [];
  const ids = { traces: [] as string[], spans: [] as string[] };
  const phrases: string[] = [];
  let [seconds, spans, sentBytes] = [0, 0, 0];
  for (let n = 0; n < workload.batches; ) {
    const requests: Buffer[] = [];
    for (; n < workload.batches && requests.length < BATCHES_AT_ONCE; n++) {
      const batch = workload.batch(n);
      ids.traces.push(...batch.traceIds);
      ids.spans.push(batch.spanId);
      phrases.push(batch.phrase);
      spans += workload.spansPerBatch;
      sentBytes += batch.body.length;
      requests.push(postRequest("/v1/traces", "application/x-protobuf", batch.body));
    }
    requests.reverse();
    const result = await httpLoad({
      port: server.port,
      connections: CONNECTIONS,
      next: () => requests.pop(),
      onAnswer: (milliseconds) => times.push(milliseconds),
    });
    seconds += result.seconds;
  }
  // Indexing may trail; what it takes is counted, too.
  for (const phrase of phrases.slice(-CONNECTIONS)) await untilFound(server.port, phrase);
  await untilQuiet(enginePid === null ? [server.pid] : [server.pid, enginePid]);
  const after = usedBy(server.pid, enginePid);
  return {
    spans,
    sentBytes,
    ids,
    figures: {
      spansPerSecond: spans / seconds,
      p50: percentile(times, 0.5),
      p95: percentile(times, 0.95),
      serverMicros: ((after.server - before.server) * 1e6) / spans,
      engineMicros: enginePid === null ? null : ((after.engine - before.engine) * 1e6) / spans,
    },
  };
}

/** Waits until full-text search finds these words. */
async function untilFound(port: number, phrase: string): Promise<void> {
  const query = new URLSearchParams({ q: `"${phrase}"`, limit: "1" });
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    const answer = await fetch(`http://127.0.0.1:${port}/observability/spans/?${query}`);
    const { items } = (await answer.json()) as { items: readonly unknown[] };
    if (items.length > 0) return;
    await pause(500);
  }
  throw new Error(`Search does not find what was sent: ${phrase}`);
}

function usedBy(serverPid: number, enginePid: number | null) {
  return {
    server: processorSeconds(serverPid),
    engine: enginePid === null ? 0 : processorSeconds(enginePid),
  };
}

import { ingestSpans } from "./ingest-load.ts";
import { createLoad } from "./loads/load.ts";
import type { LoadName } from "./loads/trace-plans.ts";
import { processorSeconds } from "./process-tree.ts";
import type { Line } from "./report.ts";
import { ratio } from "./report.ts";
import { anonymousMegabytes, startAgate, temporaryFolder, untilIdle } from "./server-process.ts";

/** Sent between two looks at the memory. */
const STEP = 20_000;
/** A machine that takes longer has been measured with fewer spans, and the figure says with how many. */
const LONGEST_MS = 10 * 60_000;

/** The server's own memory while it takes spans in and when it has indexed them, beside the idle server's. */
export async function benchMemory(loadName: LoadName, spans: number): Promise<Line[]> {
  const load = createLoad(loadName);
  await using folder = await temporaryFolder();
  await using agate = await startAgate(folder.path);
  await untilIdle(agate.pid);
  const idle = anonymousMegabytes(agate.pid);
  const before = processorSeconds(agate.pid);
  const end = performance.now() + LONGEST_MS;
  let most = idle;
  let sent = 0;
  while (sent < spans && performance.now() < end) {
    sent += (await ingestSpans(agate.port, Math.min(STEP, spans - sent), load)).spans;
    most = Math.max(most, anonymousMegabytes(agate.pid));
  }
  const micros = ((processorSeconds(agate.pid) - before) / sent) * 1e6;
  await untilIdle(agate.pid);
  const after = anonymousMegabytes(agate.pid);
  const megabytes = (value: number) => `${Math.round(value)} MB`;
  return [
    {
      what: `anonymous memory after ${sent.toLocaleString("en")} spans of ${loadName} (${micros.toFixed(1)} µs of processor a span)`,
      measured: `${megabytes(after)}, at most ${megabytes(most)}`,
      reference: `the idle server ${megabytes(idle)}`,
      ratio: ratio(after / idle),
      target: "≤ 300 MB",
    },
  ];
}

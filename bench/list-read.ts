import type { ListContent } from "@agate/protocol";
import { LIST_CONTENTS } from "@agate/protocol";
import { createProse, type Prose } from "./loads/prose.ts";
import { processorSeconds } from "./process-tree.ts";
import type { Line } from "./report.ts";
import { median, ratio } from "./report.ts";
import { startAgate, temporaryFolder, untilIdle } from "./server-process.ts";
import type { EngineName } from "./stores/engine.ts";
import { openEngine } from "./stores/open-engine.ts";

/** More than a page shows, of which a page is the newest. */
const TRACES = 200;
const PAGE = 50;
const INPUT_BYTES = 240_000;
const ROUNDS = 5;
/** A tick of processor time is 10 ms: several pages are read for a figure. */
const PAGES = 5;

interface Figures {
  /** Of all that is sent for the traces, not compressed. */
  readonly bytes: number;
  readonly requests: number;
  /** Of the server and its database, for all of it. */
  readonly cpuMs: number;
  readonly ms: number;
}

/** The newest 50 traces with inputs of 240 KB: as previews, beside whole records, in turns. */
export async function benchListRead(engines: readonly EngineName[]): Promise<Line[]> {
  const lines: Line[] = [];
  for (const engine of engines) lines.push(await measure(engine));
  return lines;
}

async function measure(name: EngineName): Promise<Line> {
  await using engine = await openEngine(name);
  await using folder = await temporaryFolder();
  const { place } = engine;
  await using agate =
    "url" in place
      ? await startAgate(folder.path, { AGATE_STORE: place.url })
      : await startAgate(place.address.directory);
  const prose = createProse();
  for (let n = 0; n < TRACES; n++) await send(agate.port, n, prose);
  await untilIdle(agate.pid);
  const pids = engine.pid === null ? [agate.pid] : [agate.pid, engine.pid];
  const read: Record<ListContent, Figures[]> = { preview: [], full: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const content of LIST_CONTENTS) {
      const figures = await readPages(agate.port, content, pids);
      // The first round is for warming up.
      if (round > 0) read[content].push(figures);
    }
  }
  const of = (content: ListContent, figure: keyof Figures) =>
    median(read[content].map((each) => each[figure]));
  const shown = (content: ListContent) =>
    `${kilobytes(of(content, "bytes"))} in ${of(content, "requests")} ${of(content, "requests") === 1 ? "request" : "requests"}, ${of(content, "cpuMs").toFixed(0)} ms of processor time, ${of(content, "ms").toFixed(0)} ms`;
  return {
    what: `list of ${PAGE} traces with inputs of ${kilobytes(INPUT_BYTES)}, ${name}: previews`,
    measured: shown("preview"),
    reference: `whole records ${shown("full")}`,
    ratio: `${ratio(of("preview", "cpuMs") / of("full", "cpuMs"))} (processor time)`,
    target: "≤ 150 KB",
  };
}

/** Reads the newest traces some times; a page of whole records ends early, and is read on. */
async function readPages(
  port: number,
  content: ListContent,
  pids: readonly number[],
): Promise<Figures> {
  const used = () => pids.reduce((sum, pid) => sum + processorSeconds(pid), 0);
  const before = used();
  const started = performance.now();
  let bytes = 0;
  let requests = 0;
  for (let page = 0; page < PAGES; page++) {
    let cursor: string | null = null;
    for (let left = PAGE; left > 0; ) {
      const query = new URLSearchParams({ content, limit: String(left) });
      if (cursor !== null) query.set("cursor", cursor);
      const response = await fetch(`http://127.0.0.1:${port}/observability/traces/?${query}`, {
        headers: { "accept-encoding": "identity" },
      });
      const body = Buffer.from(await response.arrayBuffer());
      const { items, next_cursor } = JSON.parse(body.toString());
      bytes += body.length;
      requests += 1;
      left -= items.length;
      cursor = next_cursor;
    }
  }
  const ms = (performance.now() - started) / PAGES;
  const cpuMs = ((used() - before) * 1000) / PAGES;
  return { bytes: bytes / PAGES, requests: requests / PAGES, cpuMs, ms };
}

/** One trace: a call with a conversation of two long messages. */
async function send(port: number, n: number, prose: Prose): Promise<void> {
  const text = Buffer.alloc(INPUT_BYTES);
  prose.fill(text, 0, INPUT_BYTES);
  const half = INPUT_BYTES / 2;
  const inputs = {
    messages: [
      { role: "system", content: text.toString("latin1", 0, half) },
      { role: "user", content: text.toString("latin1", half) },
    ],
  };
  const start = BigInt(Date.UTC(2026, 10, 1) + n * 1_000) * 1_000_000n;
  const span = {
    traceId: (n + 1).toString(16).padStart(32, "0"),
    spanId: (n + 1).toString(16).padStart(16, "0"),
    name: "answer",
    kind: 1,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + 900_000_000n),
    attributes: attributesOf({
      "ag.span.kind": "WORKFLOW",
      "ag.route": "/answer",
      "ag.content.inputs": JSON.stringify(inputs),
      "ag.content.outputs": JSON.stringify("A banded stone, a kind of chalcedony."),
      "gen_ai.request.model": "gpt-5",
      "user.id": `user-${n % 7}`,
    }),
  };
  const resource = attributesOf({
    "service.name": "support",
    "telemetry.sdk.language": "nodejs",
    "telemetry.sdk.name": "opentelemetry",
    "host.name": "worker-1",
  });
  const response = await fetch(`http://127.0.0.1:${port}/v1/traces`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      resourceSpans: [{ resource: { attributes: resource }, scopeSpans: [{ spans: [span] }] }],
    }),
  });
  if (response.status !== 200) throw new Error(await response.text());
}

function attributesOf(values: Readonly<Record<string, string>>) {
  return Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000).toLocaleString("en")} KB`;
}

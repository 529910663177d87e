import { mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { during, getRequest, httpLoad, postRequest } from "../http-load.ts";
import type { LoadBatch } from "../loads/load.ts";
import { processorSeconds } from "../process-tree.ts";
import { residentMegabytes } from "../server-process.ts";
import { type OwnProcess, startProcess, treeOf } from "./own-processes.ts";
import type { System } from "./systems.ts";
import { usedBytes } from "./used-bytes.ts";

const CONNECTIONS = 8;
const MOST_START_MS = 300_000;
/** A slower one is measured with what it has taken by then. */
const MOST_SEND_MS = 180_000;
const MOST_VISIBLE_MS = 300_000;
const MOST_CALM_MS = 30_000;
const READ_WARM_UP_MS = 1_000;
const READ_MS = 10_000;

export interface Figures {
  readonly spans: number;
  readonly traces: number;
  readonly spansPerSecond: number;
  /** Processor time of all its processes. */
  readonly microsPerSpan: number;
  readonly bytesPerSpan: number;
  readonly readsPerSecond: number;
  readonly microsPerRead: number;
  /** Resident memory of all its processes after the reads. */
  readonly megabytes: number;
  readonly processes: number;
  /** Of the machine, in the minute before its spans and in the one before the end of the reads. */
  readonly load: readonly [number, number];
}

/** What every system gets. */
export interface PeerLoad {
  readonly warmUp: readonly LoadBatch[];
  readonly batches: readonly LoadBatch[];
  readonly spansPerTrace: number;
}

interface Server {
  readonly system: System;
  readonly port: number;
  readonly process: OwnProcess;
  readonly spansPerTrace: number;
}

/**
 * Starts a system with an empty database, sends it the load and reads it back. Throws when a span is missing.
 *
 * @param ending Stops its server.
 * @param folder For its data, its home and its log.
 */
export async function measureSystem(
  ending: AsyncDisposableStack,
  system: System,
  { warmUp, batches, spansPerTrace }: PeerLoad,
  folder: string,
  venv: string,
): Promise<Figures> {
  const data = join(folder, "data");
  const home = join(folder, "home");
  for (const each of [data, home]) mkdirSync(each, { recursive: true });
  const [port, grpcPort] = [await freePort(), await freePort()];
  const program = system.program({ port, grpcPort, folder: data, home, venv });
  const process = startProcess(ending, program, join(folder, "server.log"));
  const server: Server = { system, port, process, spansPerTrace };
  await untilReady(server);
  const empty = usedBytes(data);
  await ingest(server, warmUp);
  await untilCalm(process.pid);
  const loadBefore = loadavg()[0] as number;
  const taken = await ingest(server, batches);
  await checkWhole(server, taken.traceIds);
  await untilCalm(process.pid);
  const spans = taken.traceIds.length * spansPerTrace;
  const all = spans + warmUp.flatMap(({ traceIds }) => traceIds).length * spansPerTrace;
  const bytesPerSpan = (usedBytes(data) - empty) / all;
  await read(server, taken.traceIds, READ_WARM_UP_MS);
  const reads = await read(server, taken.traceIds, READ_MS);
  const tree = treeOf(process.pid);
  return {
    spans,
    traces: taken.traceIds.length,
    spansPerSecond: spans / taken.seconds,
    microsPerSpan: (taken.processorSeconds / spans) * 1e6,
    bytesPerSpan,
    readsPerSecond: reads.perSecond,
    microsPerRead: reads.micros,
    megabytes: tree.reduce((sum, pid) => sum + residentMegabytes(pid), 0),
    processes: tree.length,
    load: [loadBefore, loadavg()[0] as number],
  };
}

interface Taken {
  readonly traceIds: readonly string[];
  /** From the first request until the last trace of every batch could be read whole. */
  readonly seconds: number;
  readonly processorSeconds: number;
}

async function ingest(server: Server, batches: readonly LoadBatch[]): Promise<Taken> {
  const { system, port, process } = server;
  const requests = batches.map(({ body }) =>
    postRequest("/v1/traces", "application/x-protobuf", body, system.ingestHeaders),
  );
  const before = processorSeconds(process.pid);
  const started = performance.now();
  let sent = 0;
  const next = () =>
    performance.now() - started < MOST_SEND_MS && sent < requests.length
      ? requests[sent++]
      : undefined;
  await httpLoad({ port, connections: CONNECTIONS, next });
  const taken = batches.slice(0, sent);
  // One trace of each batch: reading all of them would take a good part of a slow server's time.
  for (const { traceIds } of taken) await untilWhole(server, traceIds.at(-1) as string, started);
  const seconds = (performance.now() - started) / 1000;
  return {
    traceIds: taken.flatMap(({ traceIds }) => traceIds),
    seconds,
    processorSeconds: processorSeconds(process.pid) - before,
  };
}

async function untilWhole(server: Server, traceId: string, started: number): Promise<void> {
  while ((await countSpans(server, traceId)) < server.spansPerTrace) {
    const waited = performance.now() - started;
    if (waited > MOST_SEND_MS + MOST_VISIBLE_MS) {
      throw new Error(`a trace could not be read ${Math.round(waited / 1000)} s after the first`);
    }
    // Off by 1 % at most, and few enough to take little of the server's time.
    await pause(Math.max(10, waited / 100));
  }
}

async function checkWhole(server: Server, traceIds: readonly string[]): Promise<void> {
  let found = 0;
  for (const traceId of traceIds) found += await countSpans(server, traceId);
  const sent = traceIds.length * server.spansPerTrace;
  if (found !== sent) throw new Error(`${found} of ${sent} spans could be read back`);
}

/** Different spans of a trace in the answer of the system; 0 while it does not know the trace. */
async function countSpans({ system, port }: Server, traceId: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${system.tracePath(traceId)}`, {
    headers: { "accept-encoding": "identity" },
  });
  if (answer.status === 404) {
    await answer.arrayBuffer();
    return 0;
  }
  if (answer.status !== 200) {
    throw new Error(`a trace was answered with ${answer.status}: ${await answer.text()}`);
  }
  return new Set(system.spanIds(await answer.json())).size;
}

async function read({ system, port, process }: Server, traceIds: readonly string[], ms: number) {
  const before = processorSeconds(process.pid);
  const request = () => {
    const traceId = traceIds[Math.floor(Math.random() * traceIds.length)] as string;
    return getRequest(system.tracePath(traceId));
  };
  const { answers, perSecond } = await httpLoad({
    port,
    connections: CONNECTIONS,
    next: during(ms, request),
  });
  return { perSecond, micros: ((processorSeconds(process.pid) - before) / answers) * 1e6 };
}

async function untilReady({ system, port, process }: Server): Promise<void> {
  let hasEnded = false;
  const setEnded = () => {
    hasEnded = true;
  };
  process.exited.then(setEnded, setEnded);
  for (const end = performance.now() + MOST_START_MS; performance.now() < end; ) {
    const answer = await fetch(`http://127.0.0.1:${port}${system.readyPath}`).catch(() => null);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return;
    if (hasEnded) break;
    await pause(200);
  }
  const why = hasEnded ? "ended" : `did not answer within ${MOST_START_MS / 1000} s`;
  throw new Error(`its server ${why}:\n${process.printed()}`);
}

/** Waits until indexes and the like have caught up. */
async function untilCalm(pid: number): Promise<void> {
  const end = performance.now() + MOST_CALM_MS;
  for (let before = processorSeconds(pid); performance.now() < end; ) {
    await pause(1000);
    const now = processorSeconds(pid);
    if (now - before <= 0.05) return;
    before = now;
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

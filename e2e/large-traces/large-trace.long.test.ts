import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { get } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { DataFolder } from "../data-folder.ts";
import { emptyDataFolder } from "../data-folder.ts";
import type { RunningServer } from "../running-server.ts";
import { startServer } from "../running-server.ts";
import { sendSpans } from "../sent-span.ts";
import type { LargeTrace } from "./large-trace.ts";
import { CheckList, sendTrace } from "./large-trace.ts";
import { readMemory, watchMemory } from "./process-memory.ts";
import { TraceScanner } from "./trace-scanner.ts";

// 200,000 spans are some seconds' work each time, and many where others work beside.
vi.setConfig({ testTimeout: 120_000 });

const MB = 1_000_000;
/**
 * What the server may take for itself to send an answer of 250 MB. Most of that is what V8 grants
 * itself for young objects, in the thread that reads the trace and in the one that sends it; an
 * answer that was collected first would be all of it on top.
 */
const MOST_MEMORY = 500 * MB;

const CHAIN: LargeTrace = {
  traceId: "c".repeat(32),
  count: 20_000,
  parentOf: (n) => n - 1,
  payloadLength: 12,
};
const BROAD: LargeTrace = {
  traceId: "b".repeat(32),
  count: 200_000,
  // Three children each: siblings lie far from each other in the order in which they were sent.
  parentOf: (n) => Math.floor((n - 1) / 3),
  payloadLength: 480,
};
/** Far more than the sockets between server and client hold. */
const DOOMED: LargeTrace = { ...BROAD, traceId: "d".repeat(32), count: 20_000 };

// Each test has a server of its own over the same folder, so that the figures are of that test.
let folder: DataFolder;

beforeAll(async () => {
  folder = await emptyDataFolder();
  await using server = await startServer({ dataDirectory: folder.path });
  await sendTrace(server.url, CHAIN);
  await sendTrace(server.url, DOOMED);
  const started = performance.now();
  await sendTrace(server.url, BROAD);
  const seconds = (performance.now() - started) / 1000;
  report(`Taking in 200,000 spans: ${seconds.toFixed(1)} s`, readMemory(server.pid));
  // Or each of the servers below would go on with it.
  while (unindexedSpans() > 0) await delay(100);
  expect(await server.stop()).toBe(0);
}, 120_000);

afterAll(() => folder?.[Symbol.asyncDispose]());

function unindexedSpans(): number {
  using index = new DatabaseSync(join(folder.path, "index.db"), { readOnly: true });
  const { texts } = index.prepare("SELECT texts FROM progress").get() as { texts: number };
  return CHAIN.count + DOOMED.count + BROAD.count - texts;
}

function report(what: string, memory: Record<string, number> | null | undefined): void {
  const shown = Object.entries(memory ?? {}).map(
    ([name, bytes]) => `${name} ${Math.round(bytes / MB)} MB`,
  );
  console.log([what, ...shown].join(", "));
}

async function openTrace(server: RunningServer, { traceId }: LargeTrace): Promise<IncomingMessage> {
  const request = get(`${server.url}/observability/traces/${traceId}/`, { agent: false });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  expect(response.statusCode).toBe(200);
  // A length would mean that the whole answer was there before its first byte was sent.
  expect(response.headers["content-length"]).toBeUndefined();
  expect(response.headers["transfer-encoding"]).toBe("chunked");
  return response;
}

/** Takes the first bytes of an answer and no more: the rest waits in the server. */
async function takeFirst(response: IncomingMessage, scanner: TraceScanner): Promise<void> {
  while (scanner.bytes < MB) {
    const piece = response.read() as Buffer | null;
    if (piece === null) await once(response, "readable");
    else scanner.write(piece);
  }
}

async function takeRest(response: IncomingMessage, scanner: TraceScanner): Promise<void> {
  for await (const piece of response) scanner.write(piece);
}

describe("a large trace comes back whole", () => {
  it("a chain of 20,000", async () => {
    await using server = await startServer({ dataDirectory: folder.path });
    const list = new CheckList(CHAIN);
    const scanner = new TraceScanner(list.check);
    await takeRest(await openTrace(server, CHAIN), scanner);
    expect([list.verdict, scanner.isComplete]).toEqual(["whole", true]);
  });

  it("one of 200,000, in bounded memory, though its client stops reading for a while", async () => {
    await using server = await startServer({ dataDirectory: folder.path });
    const before = readMemory(server.pid);
    const watch = watchMemory(server.pid);
    const list = new CheckList(BROAD);
    const scanner = new TraceScanner(list.check);
    const started = performance.now();
    const response = await openTrace(server, BROAD);
    const first = performance.now() - started;
    await takeFirst(response, scanner);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    await takeRest(response, scanner);
    const last = performance.now() - started;
    const after = watch?.stop();
    expect([list.verdict, scanner.isComplete]).toEqual(["whole", true]);

    // As large as it is meant to be, or the bound says nothing.
    expect(scanner.bytes).toBeGreaterThan(240 * MB);
    const size = Math.round(scanner.bytes / MB);
    report(`Sending ${size} MB: first byte ${first.toFixed()} ms, last ${last.toFixed()} ms`, null);
    report("  before", before);
    report("  after", after);
    if (before && after) expect(after.peakOwn - before.own).toBeLessThan(MOST_MEMORY);
  });
});

describe("while a client does not read its answer", () => {
  it("the rest is not collected in memory, and others are answered", async () => {
    await using server = await startServer({ dataDirectory: folder.path });
    const before = readMemory(server.pid);
    const response = await openTrace(server, BROAD);
    await takeFirst(response, new TraceScanner(() => {}));
    const meanwhile = readMemory(server.pid);
    report("A client that does not read", meanwhile);
    if (before && meanwhile) expect(meanwhile.own - before.own).toBeLessThan(MOST_MEMORY);

    const id = { traceId: "e".repeat(32), spanId: "e".repeat(16), parentSpanId: null };
    const span = { ...id, name: "meanwhile", start: 1_700_000_000_000_000, inputs: "" };
    expect(await sendSpans(server.url, [span])).toBe(200);
    for (const path of [
      "/health",
      `/observability/traces/${id.traceId}/`,
      "/observability/traces/",
      "/observability/spans/?limit=10",
      "/observability/analytics/",
    ]) {
      const answer = await fetch(server.url + path);
      await answer.arrayBuffer();
      expect([path, answer.status]).toEqual([path, 200]);
    }
    response.destroy();
  });
});

describe("clients that go away in the middle", () => {
  it("leave nothing behind", async () => {
    await using server = await startServer({ dataDirectory: folder.path });
    const before = readMemory(server.pid);
    const clients = 12;
    for (let n = 0; n < clients; n++) {
      const response = await openTrace(server, BROAD);
      await takeFirst(response, new TraceScanner(() => {}));
      response.destroy();
    }
    const brokenOff = () => server.log().match(/"aborted":true/g)?.length;
    await expect.poll(brokenOff).toBe(clients);
    expect(server.log()).not.toMatch(/"level":[456]0/);
    const after = readMemory(server.pid);
    report(`After ${clients} broken answers`, after);
    // More than one answer takes, as garbage is not collected at once, but far from twelve times it.
    if (before && after) expect(after.own - before.own).toBeLessThan(2 * MOST_MEMORY);
  });
});

describe("a trace that is deleted while it is sent", () => {
  it("breaks the answer off: half of it never looks whole", async () => {
    await using server = await startServer({ dataDirectory: folder.path });
    const scanner = new TraceScanner(() => {});
    const response = await openTrace(server, DOOMED);
    await takeFirst(response, scanner);
    const url = `${server.url}/observability/traces/${DOOMED.traceId}/`;
    expect((await fetch(url, { method: "DELETE" })).status).toBe(204);
    expect((await fetch(url)).status).toBe(404);
    await expect.poll(deletedTraces).toBe(0);
    await expect(takeRest(response, scanner)).rejects.toThrow("aborted");
    expect(scanner.isComplete).toBe(false);
    expect(await server.stop()).toBe(0);
    expect(server.log()).toContain('"msg":"A trace was deleted while it was being sent."');
  });

  /** Traces that are out of sight at once, but whose rows are still being freed, step by step. */
  function deletedTraces(): number {
    using db = new DatabaseSync(folder.spansFile, { readOnly: true });
    return (db.prepare("SELECT count(*) AS n FROM deleted_traces").get() as { n: number }).n;
  }
});

import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import type { RunningServer } from "../running-server.ts";
import { startServer } from "../running-server.ts";
import type { SentSpan } from "../sent-span.ts";
import { sendSpans } from "../sent-span.ts";

const KEPT_SECONDS = 2;

function oneSpan(name: string, inputs: string): SentSpan {
  return {
    traceId: randomBytes(16).toString("hex"),
    spanId: randomBytes(8).toString("hex"),
    parentSpanId: null,
    name,
    start: Date.now() * 1000,
    inputs,
  };
}

async function statusOf(server: RunningServer, path: string): Promise<number> {
  const response = await fetch(`${server.url}/observability/${path}`);
  await response.arrayBuffer();
  return response.status;
}

async function listed(server: RunningServer, query: string): Promise<number> {
  const response = await fetch(`${server.url}/observability/${query}`);
  return ((await response.json()) as { items: unknown[] }).items.length;
}

/** Sends one trace and reads it back; null if that took as long as it is kept, and it may be gone. */
async function keptStatus(server: RunningServer, span: SentSpan): Promise<number | null> {
  const sentAt = performance.now();
  expect(await sendSpans(server.url, [span])).toBe(200);
  const status = await statusOf(server, `traces/${span.traceId}/`);
  return performance.now() - sentAt < KEPT_SECONDS * 1000 ? status : null;
}

it("deletes what was kept long enough, and takes in new spans meanwhile", async () => {
  await using server = await startServer({ flags: ["--retention", `${KEPT_SECONDS}s`] });
  const old = Array.from({ length: 2000 }, () => oneSpan("old", "oldword ".repeat(100)));
  const [first] = old as [SentSpan];
  expect(await sendSpans(server.url, old)).toBe(200);

  let isGone = false;
  const statuses: (number | null)[] = [];
  const ingest = (async () => {
    while (!isGone) statuses.push(await keptStatus(server, oneSpan("new", "newword")));
  })();
  await expect.poll(() => listed(server, "traces/?limit=1&name=old"), { timeout: 20_000 }).toBe(0);
  isGone = true;
  await ingest;

  expect(statuses.filter((status) => status !== null && status !== 200)).toEqual([]);
  expect(await statusOf(server, `traces/${first.traceId}/`)).toBe(404);
  expect(await statusOf(server, `spans/${first.spanId}/`)).toBe(404);
  expect(await listed(server, "spans/?limit=1&q=oldword")).toBe(0);
  expect(await server.stop()).toBe(0);
  expect(server.log()).toMatch(/"deleted":\d+,"msg":"Retention deleted traces\."/);
});

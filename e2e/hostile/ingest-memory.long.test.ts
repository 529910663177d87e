import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { watchMemory } from "../large-traces/process-memory.ts";
import type { RunningServer } from "../running-server.ts";
import { startServer } from "../running-server.ts";
import { canLimitMemory, limitMemory } from "./memory-limit.ts";
import { field, type Posted, post, request, span } from "./otlp-bytes.ts";

const MIB = 1024 ** 2;
const ALLOWED = [200, 413, 429, 503];

/** Spans of a trace of their own each, as the attack that was found had them. */
function tinySpans(count: number): Buffer {
  return request(Array.from({ length: count }, () => span(randomBytes(16))));
}

function jsonSpans(count: number): Buffer {
  const spans = Array.from({ length: count }, () => ({
    traceId: randomBytes(16).toString("hex"),
    spanId: randomBytes(8).toString("hex"),
    name: "s",
  }));
  return Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
}

const JSON_TYPE = { type: "application/json" };

/** Each sends everything at once. */
const ATTACKS: [name: string, attack: (url: string) => Promise<Posted[]>][] = [
  [
    "6 requests of 58,000 spans (6.8 MB as they are sent)",
    async (url) => {
      const body = tinySpans(58_000);
      return Promise.all(Array.from({ length: 6 }, () => post(url, body)));
    },
  ],
  [
    "4 requests of 49,000 spans, each within the limit",
    async (url) => {
      const body = tinySpans(49_000);
      return Promise.all(Array.from({ length: 4 }, () => post(url, body)));
    },
  ],
  [
    "4 requests of 49,000 spans in JSON",
    async (url) => {
      const body = jsonSpans(49_000);
      return Promise.all(Array.from({ length: 4 }, () => post(url, body, JSON_TYPE)));
    },
  ],
  [
    "6 requests of one span of 20 MB",
    async (url) => {
      const text = Buffer.alloc(20 * MIB, "word ");
      const attribute = Buffer.concat([
        field(1, Buffer.from("input.value")),
        field(2, field(1, text)),
      ]);
      const body = request([span(randomBytes(16), field(9, attribute))]);
      return Promise.all(Array.from({ length: 6 }, () => post(url, body)));
    },
  ],
  [
    "4 requests of 10 million events (20 MB, 20 kB as they are sent)",
    async (url) => {
      const events = Buffer.alloc(20 * MIB, Buffer.from([0x5a, 0x00]));
      const body = request([span(randomBytes(16), events)]);
      return Promise.all(Array.from({ length: 4 }, () => post(url, body)));
    },
  ],
  [
    "4 requests of 7 million empty objects in JSON (21 MB)",
    async (url) => {
      const body = Buffer.from(`{"unknown":[${"{},".repeat(7_000_000)}{}]}`);
      return Promise.all(Array.from({ length: 4 }, () => post(url, body, JSON_TYPE)));
    },
  ],
  [
    "4 requests of 40,000 spans that repeat a resource of 1 MB",
    async (url) => {
      const key = Buffer.concat([
        field(1, Buffer.from("k")),
        field(2, field(1, Buffer.alloc(MIB, "r"))),
      ]);
      const spans = Array.from({ length: 40_000 }, () => span(randomBytes(16)));
      const body = request(spans, field(1, key));
      return Promise.all(Array.from({ length: 4 }, () => post(url, body)));
    },
  ],
  [
    "2,000 small requests at once",
    async (url) => {
      const bodies = Array.from({ length: 20 }, () => tinySpans(20));
      return Promise.all(
        Array.from({ length: 2_000 }, (_, n) => post(url, bodies[n % 20] as Buffer)),
      );
    },
  ],
];

async function expectAlive(server: RunningServer): Promise<void> {
  const health = await fetch(`${server.url}/health`);
  expect(health.status).toBe(200);
  const traceId = randomBytes(16);
  await expect
    .poll(() => post(server.url, request([span(traceId)])), { timeout: 60_000, interval: 500 })
    .toMatchObject({ status: 200 });
  const read = await fetch(`${server.url}/observability/traces/${traceId.toString("hex")}/`);
  expect(read.status).toBe(200);
  await read.body?.cancel();
}

// Before: six gzip requests of 58,000 spans exhausted the heap of a server with 2 GiB.
describe.skipIf(!canLimitMemory)("a server with 1 GiB of memory", () => {
  it.each(ATTACKS)("survives %s", async (_, attack) => {
    using limit = limitMemory(1024 * MIB);
    await using server = await startServer({ within: limit.within });
    const memory = watchMemory(server.pid);
    const answers = await attack(server.url);
    const statuses = new Map<number, number>();
    for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    for (const { status, retryAfter } of answers) {
      expect(ALLOWED).toContain(status);
      if (status === 429 || status === 503) expect(retryAfter).not.toBeNull();
    }
    await expectAlive(server);
    const { peakOwn } = memory?.stop() ?? { peakOwn: 0 };
    console.log(
      JSON.stringify(Object.fromEntries(statuses)),
      `peak ${Math.round(peakOwn / MIB)} MiB`,
    );
    expect(await server.stop()).toBe(0);
  });
});

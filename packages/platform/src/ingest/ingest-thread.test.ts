import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { SpanStore } from "../stores/span-store.ts";
import { openSqliteStore } from "../stores/sqlite/sqlite-store.ts";
import type { IngestRequest, IngestService } from "./ingest-service.ts";
import { startIngestThread, WaitingBytes } from "./ingest-thread.ts";
import { DEFAULT_DECODE_LIMITS } from "./otlp/decode-outcome.ts";

let directory: string;
let store: SpanStore;
let ingest: IngestService;
const ended: Error[] = [];
beforeEach(async () => {
  ended.length = 0;
  directory = mkdtempSync(join(tmpdir(), "agate-ingest-"));
  store = await openSqliteStore({ directory });
  ingest = startIngestThread({
    makeAppender: () => store.appenderHandle(),
    pricesFile: null,
    maxDecompressedBytes: 2 ** 28,
    // Nothing keeps a request from exhausting the small heap of the thread.
    decodeLimits: { ...DEFAULT_DECODE_LIMITS, values: Number.POSITIVE_INFINITY },
    maxWaitingBytes: 2 ** 28,
    redactionOf: () => null,
    onTrouble: ({ what }) => expect.fail(what),
    onThreadEnded: (error) => ended.push(error),
    // Where much is promoted to the old generation at once, V8 ends the process, not the thread.
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 6 },
  });
});
afterEach(async () => {
  await ingest.close();
  await store.close();
  rmSync(directory, { recursive: true });
});

function send(request: Partial<IngestRequest>) {
  const intake = ingest.begin();
  const whole = {
    signal: "traces",
    project: "p",
    encoding: "json",
    compression: "none",
    body: new Uint8Array(),
  };
  return intake.ingest({ ...whole, ...request } as IngestRequest).finally(intake.end);
}

function oneSpan(): Partial<IngestRequest> {
  const span = { traceId: "ab".repeat(16), spanId: "cd".repeat(8), name: "s" };
  const json = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
  return { body: new Uint8Array(Buffer.from(json)) };
}

it("refuses what its thread dies of, and starts another", async () => {
  expect(await send(oneSpan())).toMatchObject({ kind: "accepted" });
  // Events with 80 MB of names, in a scope's only span.
  const event = field(11, field(2, Buffer.alloc(1_000, "n")));
  const events = Buffer.alloc(80_000 * event.length, event);
  const wrapped = [2, 2, 1].reduce<Buffer>((inner, number) => field(number, inner), events);
  const dying = send({ encoding: "protobuf", body: new Uint8Array(wrapped) });
  const waiting = send(oneSpan());
  expect(await dying).toMatchObject({ kind: "unavailable", retryAfterSeconds: 1 });
  expect(await waiting).toMatchObject({ kind: "unavailable", retryAfterSeconds: 1 });
  expect(ended).toMatchObject([{ code: "ERR_WORKER_OUT_OF_MEMORY" }]);
  await expect.poll(() => send(oneSpan())).toMatchObject({ kind: "accepted" });
});

function field(number: number, bytes: Buffer): Buffer {
  const head = [(number << 3) | 2];
  let rest = bytes.length;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) head.push((rest % 128) | 0x80);
  return Buffer.concat([Buffer.from([...head, rest]), bytes]);
}

const OVERHEAD = 16 * 1024;

it("takes one request of any size, and others while all fit", () => {
  const waiting = new WaitingBytes(3 * OVERHEAD);
  const large = waiting.reserve();
  expect(large.resize(100 * OVERHEAD)).toBe(true);
  const next = waiting.reserve();
  expect(next.resize(0)).toBe(false);
  large.release();
  expect(next.resize(OVERHEAD)).toBe(true);
  expect(waiting.reserve().resize(1)).toBe(false);
  expect(waiting.reserve().resize(0)).toBe(true);
});

it("never counts more than the limit for several requests, and forgets what was released", () => {
  const LIMIT = 10 * OVERHEAD;
  const steps = fc.array(
    fc.record({ who: fc.nat({ max: 5 }), bytes: fc.option(fc.nat({ max: 12 * OVERHEAD })) }),
  );
  fc.assert(
    fc.property(steps, (all) => {
      const waiting = new WaitingBytes(LIMIT);
      const requests = Array.from({ length: 6 }, () => waiting.reserve());
      const held = new Map<number, number>();
      for (const { who, bytes } of all) {
        const others = [...held].reduce((sum, [at, own]) => (at === who ? sum : sum + own), 0);
        if (bytes === null) {
          requests[who]?.release();
          held.delete(who);
          continue;
        }
        const fits = others === 0 || others + bytes + OVERHEAD <= LIMIT;
        expect(requests[who]?.resize(bytes)).toBe(fits);
        if (fits) held.set(who, bytes + OVERHEAD);
      }
    }),
  );
});

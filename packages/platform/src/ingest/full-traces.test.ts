import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shippedPrices } from "@agate/spans/prices";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { SpanStore } from "../stores/span-store.ts";
import { openSqliteStore } from "../stores/sqlite/sqlite-store.ts";
import { createIngest } from "./create-ingest.ts";
import { DEFAULT_DECODE_LIMITS } from "./otlp/decode-limits.ts";

const MOST = 5;
const directory = mkdtempSync(join(tmpdir(), "agate-full-traces-"));
let store: SpanStore;

beforeAll(async () => {
  store = await openSqliteStore({ directory, maxSpansPerTrace: MOST });
});

afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

const traceId = (n: number) => n.toString(16).padStart(32, "a");
const span = (trace: number, n: number) => ({
  traceId: traceId(trace),
  spanId: n.toString(16).padStart(16, "c"),
  name: "s",
});

/** Sends spans in slices of two. */
async function send(spans: readonly object[]): Promise<unknown> {
  const ingest = createIngest({
    appender: store,
    prices: shippedPrices(),
    maxDecompressedBytes: 1_000_000,
    decodeLimits: DEFAULT_DECODE_LIMITS,
    sliceLimits: { spans: 2, characters: 1_000_000, inFlight: 2_000_000 },
  });
  const text = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  const body = new Uint8Array(Buffer.from(text));
  const outcome = await ingest({ project: "p", encoding: "json", compression: "none", body }, null);
  if (outcome.kind !== "accepted") throw new Error(outcome.kind);
  return JSON.parse(Buffer.from(outcome.body).toString());
}

const numbers = (count: number, first = 1) => Array.from({ length: count }, (_, n) => first + n);

it("accepts a request whose slices fill a trace, and rejects the spans after that", async () => {
  expect(await send(numbers(MOST).map((n) => span(1, n)))).toEqual({});
  expect(await send([span(1, 9)])).toEqual({
    partialSuccess: {
      rejectedSpans: "1",
      errorMessage: `1 span rejected: trace ${traceId(1)} holds 5 spans, the most in a trace (--max-spans-per-trace)`,
    },
  });
});

it("counts the rejected spans of all slices and traces once, and those of the decoder", async () => {
  const spans = [
    ...numbers(MOST + 3).map((n) => span(2, n)),
    // In another slice once more.
    span(2, MOST + 1),
    ...numbers(MOST + 1).map((n) => span(3, n)),
    { ...span(4, 1), traceId: "short" },
  ];
  const holds = `trace ${traceId(2)} and 1 other hold 5 spans, the most in a trace`;
  expect(await send(spans)).toEqual({
    partialSuccess: {
      rejectedSpans: "5",
      errorMessage: expect.stringMatching(
        `^1 span rejected: .*; 4 spans rejected: ${holds} \\(--max-spans-per-trace\\)$`,
      ),
    },
  });
  expect(await store.sizesOf("p", [traceId(2), traceId(3)])).toEqual(
    new Map([
      [traceId(2), MOST],
      [traceId(3), MOST],
    ]),
  );
});

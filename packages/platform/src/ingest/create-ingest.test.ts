import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { shippedPrices } from "@agate/spans/prices";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { AppendOutcome, SpanBatch, SpanStore } from "../stores/span-store.ts";
import { openSqliteStore } from "../stores/sqlite/sqlite-store.ts";
import { createIngest } from "./create-ingest.ts";
import { DEFAULT_DECODE_LIMITS } from "./otlp/decode-outcome.ts";

const LIMIT = 2_000;
const SLICE_LIMITS = { spans: 10, bytes: LIMIT, inFlight: 2 * LIMIT };

/** A store that commits when it is told to. */
function heldStore() {
  const pending: { batch: SpanBatch; answer: PromiseWithResolvers<AppendOutcome> }[] = [];
  return {
    pending,
    append(batch: SpanBatch) {
      const answer = Promise.withResolvers<AppendOutcome>();
      pending.push({ batch, answer });
      return answer.promise;
    },
    putScores: async () => ({ kind: "committed" }) as const,
    commitFirst(outcome: AppendOutcome = { kind: "committed" }) {
      pending.shift()?.answer.resolve(outcome);
    },
  };
}

function requestOf(
  first: number,
  count: number,
  compression: "none" | "gzip" = "none",
  name = "s",
) {
  const spans = Array.from({ length: count }, (_, n) => ({
    traceId: "ab".repeat(16),
    spanId: (first + n).toString(16).padStart(16, "c"),
    name,
  }));
  const json = Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
  const body = new Uint8Array(compression === "gzip" ? gzipSync(json) : json);
  return { signal: "traces", project: "p", encoding: "json", compression, body } as const;
}

function ingestInto(store: ReturnType<typeof heldStore>) {
  return createIngest({
    appender: store,
    prices: shippedPrices(),
    maxDecompressedBytes: 1_000_000,
    decodeLimits: DEFAULT_DECODE_LIMITS,
    sliceLimits: SLICE_LIMITS,
  });
}

/** Lets everything go on that can. */
async function settle(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}

it("decodes no further than the store takes, and answers when all of a request is on disk", async () => {
  const store = heldStore();
  const ingest = ingestInto(store);
  const answered: string[] = [];
  const first = ingest(requestOf(0, 100), null).then(({ kind }) => answered.push(`first ${kind}`));
  const second = ingest(requestOf(100, 1, "gzip"), null).then(({ kind }) =>
    answered.push(`second ${kind}`),
  );
  let spans = 0;
  let most = 0;
  while (answered.length < 2) {
    await settle();
    const inFlight = store.pending.reduce(
      (sum, { batch }) => sum + batch.spans.reduce((own, span) => own + span.openRecord.length, 0),
      0,
    );
    most = Math.max(most, inFlight);
    spans += store.pending[0]?.batch.spans.length ?? 0;
    store.commitFirst();
  }
  await Promise.all([first, second]);
  expect(spans).toBe(101);
  expect(answered).toEqual(["first accepted", "second accepted"]);
  // A slice may end with a record that is over its limit, and a single one always gets in.
  expect(most).toBeLessThanOrEqual(SLICE_LIMITS.inFlight);
  expect(most).toBeGreaterThan(LIMIT);
});

it("ends a slice with the record that takes it to its bytes", async () => {
  const store = heldStore();
  const sent = ingestInto(store)(requestOf(0, 10, "none", "東".repeat(200)), null);
  const slices: number[][] = [];
  while (slices.flat().length < 10) {
    await settle();
    const records = store.pending[0]?.batch.spans.map((span) => Buffer.byteLength(span.openRecord));
    if (records !== undefined) slices.push(records);
    store.commitFirst();
  }
  expect(await sent).toMatchObject({ kind: "accepted" });
  const sum = (sizes: readonly number[]) => sizes.reduce((all, size) => all + size, 0);
  expect(slices.length).toBeGreaterThan(2);
  for (const sizes of slices) expect(sum(sizes.slice(0, -1))).toBeLessThan(LIMIT);
  for (const sizes of slices.slice(0, -1)) expect(sum(sizes)).toBeGreaterThanOrEqual(LIMIT);
});

it("refuses a request of which a part could not be written, and goes on with the next", async () => {
  const store = heldStore();
  const ingest = ingestInto(store);
  const refused = ingest(requestOf(0, 4), null);
  const next = ingest(requestOf(50, 1), null);
  await settle();
  store.commitFirst({ kind: "unavailable", reason: "The disk is full." });
  while (store.pending.length > 0) {
    store.commitFirst();
    await settle();
  }
  expect(await refused).toMatchObject({ kind: "unavailable", reason: "The disk is full." });
  expect(await next).toMatchObject({ kind: "accepted" });
});

it("goes on after a request that cannot be decoded, and one whose append fails", async () => {
  const store = heldStore();
  const ingest = ingestInto(store);
  const failed = ingest(requestOf(0, 1), null);
  await settle();
  store.pending.shift()?.answer.reject(new Error("broken"));
  await expect(failed).rejects.toThrow("broken");
  const garbage = { ...requestOf(0, 1), body: new Uint8Array([1, 2, 3]) };
  expect(await ingest(garbage, null)).toMatchObject({ kind: "undecodable" });
  const next = ingest(requestOf(0, 1), null);
  await settle();
  store.commitFirst();
  expect(await next).toMatchObject({ kind: "accepted" });
});

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
    sliceLimits: { spans: 2, bytes: 1_000_000, inFlight: 2_000_000 },
  });
  const text = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  const body = new Uint8Array(Buffer.from(text));
  const outcome = await ingest(
    { signal: "traces", project: "p", encoding: "json", compression: "none", body },
    null,
  );
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

import { shippedPrices } from "@agate/spans/prices";
import { expect, it } from "vitest";
import type { SpanBatch } from "../stores/span-store.ts";
import { createIngest } from "./create-ingest.ts";
import { DEFAULT_DECODE_LIMITS } from "./otlp/decode-outcome.ts";

const CANARY = 'canary-5b8efff7 "9803"\nsecond-line-of-it';

/** What is stored of a span that has a text everywhere. */
async function stored(text: string, secrets: string | null): Promise<string> {
  const batches: SpanBatch[] = [];
  const ingest = createIngest({
    appender: {
      async append(batch) {
        batches.push(batch);
        return { kind: "committed" };
      },
      putScores: async () => ({ kind: "committed" }),
    },
    prices: shippedPrices(),
    maxDecompressedBytes: 1_000_000,
    decodeLimits: DEFAULT_DECODE_LIMITS,
  });
  const attributes = [
    { key: "note", value: { stringValue: `Bearer ${text}` } },
    { key: "input.value", value: { stringValue: JSON.stringify({ nested: [text] }) } },
    { key: "list", value: { arrayValue: { values: [{ stringValue: text }] } } },
    { key: `key ${text}`, value: { intValue: "1" } },
    { key: "url", value: { stringValue: `https://x/?a=${encodeURIComponent(text)}` } },
  ];
  const span = {
    ...{ traceId: "ab".repeat(16), spanId: "cd".repeat(8), name: text, attributes },
    status: { code: 2, message: text },
    events: [{ name: text, attributes }],
  };
  const request = {
    resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans: [span] }] }],
  };
  const body = new Uint8Array(Buffer.from(JSON.stringify(request)));
  const sent = {
    signal: "traces",
    project: "p",
    encoding: "json",
    compression: "none",
    body,
  } as const;
  expect((await ingest(sent, null, secrets)).kind).toBe("accepted");
  return JSON.stringify(batches.map(({ spans }) => spans));
}

it("stores a span without the secrets of its project's builds, and marks it", async () => {
  const secrets = JSON.stringify([{ name: "TOKEN", value: CANARY }]);
  const kept = await stored(CANARY, secrets);
  expect(kept).not.toMatch(/canary|second-line/);
  expect(kept).toContain("[secret:TOKEN]");
  expect(kept).toContain("redacted");
  expect(await stored(CANARY, null)).toContain("canary");
  // Another text is kept as it came.
  expect(await stored("harmless", secrets)).toBe(await stored("harmless", null));
});

import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { expect, it } from "vitest";
import { decodeOtlpJson } from "./decode-otlp-json.ts";
import { decodeOtlpProtobuf } from "./decode-otlp-protobuf.ts";
import type { DecodeOutcome } from "./decode-outcome.ts";
import { Dice, mutateBytes, mutateJson } from "./testing/mutations.fixture.ts";
import { recordSpans } from "./testing/recorded-spans.fixture.ts";

const CASES = 1000;
const spans = recordSpans();
const protobuf = ProtobufTraceSerializer.serializeRequest(spans) as Uint8Array;
const json = JsonTraceSerializer.serializeRequest(spans) as Uint8Array;

const TRACE_ID = /^(?!0+$)[0-9a-f]{32}$/;
const SPAN_ID = /^(?!0+$)[0-9a-f]{16}$/;

/** Holds an outcome against what the rest of the server relies on. */
function inspect(outcome: DecodeOutcome): DecodeOutcome["kind"] {
  if (outcome.kind !== "decoded") {
    if (outcome.reason.length === 0 || outcome.reason.length > 300) {
      throw new Error(`a reason of ${outcome.reason.length} characters`);
    }
    return outcome.kind;
  }
  const { spans, rejected, rejectedReason } = outcome.request;
  if ((rejected === 0) !== (rejectedReason === "") || rejectedReason.length > 300) {
    throw new Error(`${rejected} rejected for: ${rejectedReason}`);
  }
  for (const span of spans) {
    // Not `expect`, which takes longer than the decoder: this is done for millions of spans.
    if (!TRACE_ID.test(span.traceId)) throw new Error(`the trace id ${span.traceId}`);
    for (const id of [span.spanId, span.parentSpanId]) {
      if (id !== null && !SPAN_ID.test(id)) throw new Error(`the span id ${id}`);
    }
    for (const { us, nanos } of [span.start, span.end, ...span.events.map(({ time }) => time)]) {
      if (!(us >= 0 && Number.isInteger(us) && nanos >= 0 && nanos < 1000)) {
        throw new Error(`the instant ${us} ${nanos}`);
      }
    }
    if (![0, 1, 2, 3, 4, 5].includes(span.kind)) throw new Error(`the kind ${span.kind}`);
    if (![0, 1, 2].includes(span.statusCode)) throw new Error(`the status ${span.statusCode}`);
  }
  return outcome.kind;
}

/** Runs seeded cases; a failure names the seed that repeats it. Both outcomes must have occurred. */
function fuzz(decodeCase: (dice: Dice) => DecodeOutcome): void {
  const kinds = new Set<string>();
  for (let seed = 0; seed < CASES; seed += 1) {
    try {
      kinds.add(inspect(decodeCase(new Dice(seed))));
    } catch (cause) {
      throw new Error(`seed ${seed}`, { cause });
    }
  }
  expect([...kinds].sort()).toEqual(["decoded", "undecodable"]);
}

it("survives damaged protobuf", () => {
  fuzz((dice) => decodeOtlpProtobuf(mutateBytes(dice, protobuf, dice.pick([protobuf, json]))));
});

it("survives a protobuf request in which any one byte is another", () => {
  for (let at = 0; at < protobuf.length; at += 1) {
    for (const step of [-1, 1, 8, 64, 128]) {
      const byte = ((protobuf[at] as number) + step) & 0xff;
      inspect(decodeOtlpProtobuf(protobuf.with(at, byte)));
    }
  }
});

it("survives random bytes", () => {
  fuzz((dice) => {
    const bytes = Uint8Array.from({ length: dice.roll(40) }, () => dice.roll(256));
    inspect(decodeOtlpJson(bytes));
    return decodeOtlpProtobuf(bytes);
  });
});

it("survives damaged JSON text", () => {
  fuzz((dice) => decodeOtlpJson(mutateBytes(dice, json, dice.pick([protobuf, json]))));
});

it("survives JSON of another shape", () => {
  const request: unknown = JSON.parse(new TextDecoder().decode(json));
  fuzz((dice) =>
    decodeOtlpJson(new TextEncoder().encode(JSON.stringify(mutateJson(dice, request)))),
  );
});

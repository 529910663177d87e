import { randomFillSync } from "node:crypto";
import { ProtobufWriter } from "./protobuf-writer.ts";

// OTLP protobuf written by hand: the load must cost the machine as little as possible, so a batch is
// encoded once and every copy only gets new ids and times.

const SPANS_PER_TRACE = 20;

/** An ExportTraceServiceRequest of which any number of copies with fresh ids can be made. */
export interface OtlpBatch {
  readonly spans: number;
  readonly traces: number;
  /** A copy with ids that were never used before, and the trace ids in it. */
  fresh(): { body: Buffer; traceIds: string[] };
}

/**
 * A batch of spans as an instrumented LLM application sends them: traces of 20, every other span a
 * model call with messages, usage and settings.
 *
 * @param textBytes Length of the prompt and answer texts, which sets the size of a span.
 * @param ending What the prompt of each span ends with.
 */
export function createOtlpBatch(
  spans: number,
  textBytes: number,
  ending: (span: number) => string = () => "",
): OtlpBatch {
  const traces = Math.ceil(spans / SPANS_PER_TRACE);
  const tracePlaces: number[][] = Array.from({ length: traces }, () => []);
  const spanPlaces: number[][] = Array.from({ length: spans }, () => []);
  const writer = new ProtobufWriter();
  writer.message(1, () => {
    writer.message(1, () => {
      attribute(writer, 1, "service.name", "bench");
      attribute(writer, 1, "telemetry.sdk.language", "nodejs");
    });
    writer.message(2, () => {
      writer.message(1, () => writer.text(1, "bench-instrumentation"));
      for (let s = 0; s < spans; s++) {
        const inTrace = s % SPANS_PER_TRACE;
        const first = s - inTrace;
        writer.message(2, () => {
          writer.id(1, 16, tracePlaces[Math.floor(s / SPANS_PER_TRACE)] as number[]);
          writer.id(2, 8, spanPlaces[s] as number[]);
          if (inTrace > 0) {
            const parent = first + (inTrace % 2 === 1 ? 0 : inTrace - 1);
            writer.id(4, 8, spanPlaces[parent] as number[]);
          }
          writer.text(5, inTrace === 0 ? "invoke_workflow answer" : `step ${inTrace}`);
          writer.varint(6, 1);
          writer.time(7, s);
          writer.time(8, s + 25_000);
          if (inTrace % 2 === 0) writeStep(writer, inTrace, textBytes, ending(s));
          else writeModelCall(writer, textBytes, ending(s));
          writer.message(15, () => writer.varint(3, 1));
        });
      }
    });
  });
  const { template, times } = writer.finish();
  return {
    spans,
    traces,
    fresh() {
      const body = Buffer.from(template);
      const traceIds = tracePlaces.map((places) => patch(body, places, 16));
      for (const places of spanPlaces) patch(body, places, 8);
      const now = BigInt(Date.now()) * 1_000_000n;
      for (const { at, micros } of times) {
        body.writeBigUInt64LE(now + BigInt(micros) * 1_000n, at);
      }
      return { body, traceIds };
    },
  };
}

function patch(body: Buffer, places: readonly number[], length: number): string {
  const [first, ...others] = places as [number, ...number[]];
  randomFillSync(body, first, length);
  for (const place of others) body.copy(body, place, first, first + length);
  return body.toString("hex", first, first + length);
}

function writeStep(writer: ProtobufWriter, n: number, textBytes: number, end: string): void {
  attribute(writer, 9, "openinference.span.kind", n === 0 ? "CHAIN" : "TOOL");
  attribute(writer, 9, "input.value", `{"question":"${words(textBytes, n)}${end}"}`);
  attribute(writer, 9, "input.mime_type", "application/json");
  attribute(writer, 9, "output.value", words(textBytes / 2, n + 7));
  attribute(writer, 9, "session.id", "session-1");
  attribute(writer, 9, "user.id", "user-1");
}

function writeModelCall(writer: ProtobufWriter, textBytes: number, end: string): void {
  attribute(writer, 9, "gen_ai.operation.name", "chat");
  attribute(writer, 9, "gen_ai.provider.name", "openai");
  attribute(writer, 9, "gen_ai.request.model", "gpt-5-mini");
  attribute(writer, 9, "gen_ai.response.model", "gpt-5-mini-2025-08-07");
  attribute(writer, 9, "gen_ai.request.temperature", 0.7);
  attribute(writer, 9, "gen_ai.request.max_tokens", 512);
  attribute(writer, 9, "gen_ai.usage.input_tokens", 412);
  attribute(writer, 9, "gen_ai.usage.output_tokens", 88);
  const prompt = JSON.stringify([
    { role: "user", parts: [{ type: "text", content: `${words(textBytes, 3)}${end}` }] },
  ]);
  const answer = JSON.stringify([
    { role: "assistant", parts: [{ type: "text", content: words(textBytes / 2, 5) }] },
  ]);
  attribute(writer, 9, "gen_ai.input.messages", prompt);
  attribute(writer, 9, "gen_ai.output.messages", answer);
  attribute(writer, 9, "server.address", "api.example.com");
}

function attribute(
  writer: ProtobufWriter,
  field: number,
  key: string,
  value: string | number,
): void {
  writer.message(field, () => {
    writer.text(1, key);
    writer.message(2, () => {
      if (typeof value === "string") writer.text(1, value);
      else if (Number.isInteger(value)) writer.varint(3, value);
      else writer.double(4, value);
    });
  });
}

const WORDS =
  "the order of parcel refund ship to customer and answer in a short friendly tone".split(" ");

function words(bytes: number, seed: number): string {
  let text = "";
  for (let i = seed; text.length < bytes; i = (i * 7 + 3) % 1009)
    text += `${WORDS[i % WORDS.length]} `;
  return text.trimEnd();
}

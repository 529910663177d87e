import type { Blank } from "../protobuf-writer.ts";
import { ProtobufWriter } from "../protobuf-writer.ts";

const SPANS_PER_TRACE = 20;
/** Of a prompt; an answer is half as long. Chosen so that a span is about 1 KB of protobuf. */
const TEXT_BYTES = 390;

export const SPANS_PER_BATCH = 512;
export const APPLICATIONS = ["shop", "desk", "mail", "docs", "code", "chat", "plan", "news"];

/** Where a trace lies in a batch. */
export interface TraceTemplate {
  readonly id: Blank;
  readonly user: Blank;
  readonly session: Blank;
  /** Each at its part of the trace's duration. */
  readonly times: { readonly at: number; readonly part: number }[];
}

/** A batch in OTLP, with blanks for what every copy has of its own. */
export interface BatchTemplate {
  readonly bytes: Buffer;
  readonly traces: readonly TraceTemplate[];
  readonly spanIds: readonly Blank[];
  readonly texts: readonly Blank[];
}

/**
 * A batch as an instrumented LLM application sends it: traces of 20 spans, every other one a model
 * call with messages, usage and settings.
 */
export function createBatchTemplate(): BatchTemplate {
  const traces = Array.from({ length: Math.ceil(SPANS_PER_BATCH / SPANS_PER_TRACE) }, () => ({
    id: blank(16),
    user: blank(6),
    session: blank(8),
    starts: [] as Blank[],
    ends: [] as Blank[],
  }));
  const spanIds = Array.from({ length: SPANS_PER_BATCH }, () => blank(8));
  const texts = { prompt: blank(TEXT_BYTES), answer: blank(TEXT_BYTES / 2) };
  const writer = new ProtobufWriter();
  writer.message(1, () => {
    writer.message(1, () => {
      attribute(writer, 1, "service.name", "bench");
      attribute(writer, 1, "telemetry.sdk.language", "nodejs");
    });
    writer.message(2, () => {
      writer.message(1, () => writer.text(1, "bench-instrumentation"));
      for (let s = 0; s < SPANS_PER_BATCH; s++) {
        const n = Math.floor(s / SPANS_PER_TRACE);
        const trace = traces[n] as (typeof traces)[number];
        const inTrace = s % SPANS_PER_TRACE;
        writer.message(2, () => {
          writer.text(1, trace.id);
          writer.text(2, spanIds[s] as Blank);
          if (inTrace > 0) {
            const parent = s - inTrace + (inTrace % 2 === 1 ? 0 : inTrace - 1);
            writer.text(4, spanIds[parent] as Blank);
          }
          writer.text(5, inTrace === 0 ? "invoke_workflow answer" : `step ${inTrace}`);
          writer.varint(6, 1);
          const [start, end] = [blank(8), blank(8)];
          writer.fixed64(7, start.places);
          writer.fixed64(8, end.places);
          trace.starts.push(start);
          trace.ends.push(end);
          if (inTrace === 0) writeTop(writer, n, trace, texts);
          else if (inTrace % 2 === 0) writeTool(writer, texts);
          else writeModelCall(writer, s, texts);
          // One call of 26 goes wrong.
          writer.message(15, () => writer.varint(3, n === 7 && inTrace === 0 ? 2 : 1));
        });
      }
    });
  });
  const { template } = writer.finish();
  return {
    bytes: template,
    spanIds,
    texts: Object.values(texts),
    traces: traces.map(({ starts, ends, ...trace }) => ({
      ...trace,
      // The top takes the whole time, the others follow each other in it.
      times: [...starts, ...ends].map(({ places }, i) => {
        const s = i % starts.length;
        const isEnd = i >= starts.length;
        const part = s === 0 ? Number(isEnd) : (s - (isEnd ? 0 : 1)) / starts.length;
        return { at: places[0] as number, part };
      }),
    })),
  };
}

interface Texts {
  readonly prompt: Blank;
  readonly answer: Blank;
}

function writeTop(
  writer: ProtobufWriter,
  n: number,
  { user, session }: { readonly user: Blank; readonly session: Blank },
  { prompt, answer }: Texts,
): void {
  attribute(writer, 9, "ag.span.kind", "WORKFLOW");
  attribute(writer, 9, "ag.application", APPLICATIONS[n % APPLICATIONS.length] as string);
  attribute(writer, 9, "ag.route", `/answer-${n % 3}`);
  attribute(writer, 9, "ag.variant.name", n % 4 === 0 ? "short-answers" : "default");
  attribute(writer, 9, "ag.variant.revision", 1 + (n % 5));
  attribute(writer, 9, "ag.environment", n % 5 === 0 ? "staging" : "production");
  attribute(writer, 9, "ag.content.inputs", '{"question":"', prompt, '"}');
  attribute(writer, 9, "ag.content.outputs", '"', answer, '"');
  attribute(writer, 9, "user.id", "user-", user);
  attribute(writer, 9, "session.id", "session-", session);
}

function writeTool(writer: ProtobufWriter, { prompt, answer }: Texts): void {
  attribute(writer, 9, "openinference.span.kind", "TOOL");
  attribute(writer, 9, "input.value", '{"question":"', prompt, '"}');
  attribute(writer, 9, "input.mime_type", "application/json");
  attribute(writer, 9, "output.value", answer);
}

function writeModelCall(writer: ProtobufWriter, s: number, { prompt, answer }: Texts): void {
  attribute(writer, 9, "gen_ai.operation.name", "chat");
  attribute(writer, 9, "gen_ai.provider.name", "openai");
  attribute(writer, 9, "gen_ai.request.model", "gpt-5-mini");
  attribute(writer, 9, "gen_ai.response.model", "gpt-5-mini-2025-08-07");
  attribute(writer, 9, "gen_ai.request.temperature", 0.7);
  attribute(writer, 9, "gen_ai.request.max_tokens", 512);
  attribute(writer, 9, "gen_ai.usage.input_tokens", 100 + ((s * 37) % 900));
  attribute(writer, 9, "gen_ai.usage.output_tokens", 20 + ((s * 13) % 200));
  const message = (role: string) => `[{"role":"${role}","parts":[{"type":"text","content":"`;
  attribute(writer, 9, "gen_ai.input.messages", message("user"), prompt, '"}]}]');
  attribute(writer, 9, "gen_ai.output.messages", message("assistant"), answer, '"}]}]');
  attribute(writer, 9, "server.address", "api.example.com");
}

function attribute(
  writer: ProtobufWriter,
  field: number,
  key: string,
  ...value: [number] | readonly (string | Blank)[]
): void {
  writer.message(field, () => {
    writer.text(1, key);
    writer.message(2, () => {
      const [first] = value;
      if (typeof first !== "number") writer.text(1, ...(value as readonly (string | Blank)[]));
      else if (Number.isInteger(first)) writer.varint(3, first);
      else writer.double(4, first);
    });
  });
}

function blank(bytes: number): Blank {
  return { bytes, places: [] };
}

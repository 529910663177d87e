import type { SpanRecord } from "@agate/protocol";
import { ROOT_CONTEXT, type Span, trace } from "@opentelemetry/api";
import { OTLPTraceExporter as GrpcExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { RunningServer } from "../running-server.ts";
import { startServer } from "../running-server.ts";
import { EVENTFUL_RECORD } from "./eventful-record.ts";
import { recordEventfulTrace } from "./eventful-trace.ts";
import { HttpExchanges } from "./http-exchanges.ts";
import { findTraces, readSpan, readTrace, spanNamed, spansOf } from "./read-back.ts";

// A flush sends all batches at once, and the exporter refuses more than 30 at a time.
const TREE_SPANS = 200;
const BATCH = 7;

const ENCODINGS = [
  { encoding: "protobuf", Exporter: ProtobufExporter, type: "application/x-protobuf" },
  { encoding: "JSON", Exporter: JsonExporter, type: "application/json" },
];
const FORMS = ENCODINGS.flatMap((encoding) => [
  { ...encoding, compression: "none", contentEncoding: undefined },
  { ...encoding, compression: "gzip", contentEncoding: "gzip" },
]);

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ flags: ["--otlp-grpc", "0"] });
});
afterAll(() => server[Symbol.asyncDispose]());
afterEach(() => vi.unstubAllEnvs());

describe.each(FORMS)(
  "the OpenTelemetry exporter, $encoding, compression: $compression",
  ({ Exporter, type, compression, contentEncoding }) => {
    it("sends what is read back as the same record in every form", async () => {
      // Set up by the standard variables alone, as the guide says.
      vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", server.url);
      vi.stubEnv("OTEL_EXPORTER_OTLP_COMPRESSION", compression);
      const provider = provide(new Exporter());
      using exchanges = new HttpExchanges();
      const traceId = recordEventfulTrace(provider);
      await provider.forceFlush();

      expect(exchanges.seen).toEqual([
        { contentType: type, contentEncoding, status: 200, answerType: type },
      ]);
      const record = await readTrace(server.url, traceId);
      expect(record.trace_id).toBe(traceId);
      expect(withoutIds(record)).toEqual(EVENTFUL_RECORD);
      const inner = spanNamed(record, "look-up");
      expect(await readSpan(server.url, inner.id)).toEqual(inner);
      const found = await findTraces(server.url, "session_id=s-1&user_id=u-1&environment=staging");
      expect(found.map((item) => item.trace_id)).toContain(traceId);
      await provider.shutdown();
    });
  },
);

it.each(["none", "gzip"])(
  "the OpenTelemetry exporter over gRPC sends the same with the endpoint alone, compression: %s",
  async (compression) => {
    const [, grpcUrl = ""] = /"otlp_grpc":"([^"]+)"/.exec(server.log()) ?? [];
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", grpcUrl);
    vi.stubEnv("OTEL_EXPORTER_OTLP_COMPRESSION", compression);
    const provider = provide(new GrpcExporter());
    const traceId = recordEventfulTrace(provider);
    await provider.forceFlush();
    expect(withoutIds(await readTrace(server.url, traceId))).toEqual(EVENTFUL_RECORD);
    await provider.shutdown();
  },
);

describe.each(ENCODINGS)("an application that sends small batches of $encoding", ({ Exporter }) => {
  it("finds its whole trace as soon as it has flushed", async () => {
    const provider = provide(new Exporter({ url: `${server.url}/v1/traces` }), BATCH);
    using exchanges = new HttpExchanges();
    const { traceId, topId, parents } = recordTree(provider, TREE_SPANS);
    await provider.forceFlush();

    const bySpan = await readSpan(server.url, topId);
    const record = await readTrace(server.url, traceId);
    expect(bySpan).toEqual(record);
    expect(exchanges.seen).toHaveLength(Math.ceil(TREE_SPANS / BATCH));
    const spans = spansOf(record);
    expect(new Map(spans.map((span) => [span.id, span.parent_span_id]))).toEqual(parents);
    expect(spans).toHaveLength(TREE_SPANS);
    for (const { id, children } of spans) {
      for (const child of children ?? []) expect(child.parent_span_id).toBe(id);
    }
    await provider.shutdown();
  });
});

function provide(exporter: SpanExporter, maxExportBatchSize = 512): TracerProvider {
  return new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": "geology-bot",
      "deployment.environment.name": "staging",
      "process.pid": 4711,
    }),
    spanProcessors: [new BatchSpanProcessor({ exporter, maxExportBatchSize })],
  });
}

/** Each span has up to three below it. They end, and are sent, from the leaves to the top. */
function recordTree(provider: TracerProvider, count: number) {
  const tracer = provider.getTracer("crawler");
  const parents = new Map<string, string | null>();
  const spans: Span[] = [];
  for (let index = 0; index < count; index++) {
    const parent = spans[Math.floor((index - 1) / 3)];
    const above = parent === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent);
    const span = tracer.startSpan(`page ${index}`, {}, above);
    parents.set(span.spanContext().spanId, parent?.spanContext().spanId ?? null);
    spans.push(span);
  }
  for (const span of spans.toReversed()) span.end();
  const { traceId, spanId: topId } = (spans[0] as Span).spanContext();
  return { traceId, topId, parents };
}

/** Ids replaced by the names of the spans that they are of. */
function withoutIds(record: SpanRecord): unknown {
  let text = JSON.stringify(record).replaceAll(record.trace_id, "id of the trace");
  for (const { id, name } of spansOf(record)) text = text.replaceAll(id, `id of ${name}`);
  return JSON.parse(text);
}

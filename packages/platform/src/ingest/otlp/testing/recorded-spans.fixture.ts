import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from "@opentelemetry/api";
import { TraceState } from "@opentelemetry/core";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";

/** Spans recorded with the OpenTelemetry SDK, with fixed ids and times, using all it can say. */
export function recordSpans(): ReadableSpan[] {
  const exporter = new InMemorySpanExporter();
  let spans = 0;
  const provider = new TracerProvider({
    resource: resourceFromAttributes(
      { "service.name": "tést", "process.pid": 4711 },
      { schemaUrl: "https://example.com/resource" },
    ),
    idGenerator: {
      generateTraceId: () => TRACE_ID,
      generateSpanId: () => {
        spans += 1;
        return `b7ad6b71692033${spans.toString(16).padStart(2, "0")}`;
      },
    },
    spanLimits: { attributeCountLimit: 24, eventCountLimit: 2, linkCountLimit: 2 },
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer("agate-test", "1.2.3", {
    schemaUrl: "https://example.com/scope",
  });

  const remote = trace.setSpanContext(ROOT_CONTEXT, {
    traceId: TRACE_ID,
    spanId: "00f067aa0ba902b7",
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
    traceState: new TraceState("vendor=a,other=b"),
  });
  const root = tracer.startSpan(
    "chat модель 🜁",
    {
      kind: SpanKind.CLIENT,
      startTime: [1_790_000_000, 123_456_789],
      attributes: {
        text: "naïve 漢字 🜁 \u0000 end",
        empty: "",
        long: "x".repeat(500),
        yes: true,
        no: false,
        zero: 0,
        small: 42,
        negative: -42,
        "most negative": -(2 ** 63),
        "past 2^53": 2 ** 60,
        "safe max": Number.MAX_SAFE_INTEGER,
        "whole double": 1e300,
        fraction: -0.1,
        bytes: new Uint8Array([0, 1, 254, 255]),
        list: ["a", 1, true, 0.5, null, ["nested"]],
        map: { inner: { deep: [1, { x: "y" }] }, none: null },
        nothing: null,
        constructor: "data",
      },
      links: [
        {
          context: { traceId: "f".repeat(32), spanId: "e".repeat(16), traceFlags: 0 },
          attributes: { why: "batch", at: 7 },
        },
        {
          context: {
            traceId: "d".repeat(32),
            spanId: "c".repeat(16),
            traceFlags: 1,
            isRemote: true,
            traceState: new TraceState("k=v"),
          },
        },
      ],
    },
    remote,
  );
  root.addEvent("dropped for the limit", [1_790_000_000, 1]);
  root.addEvent("first token", { index: 0, "time.s": 0.25 }, [1_790_000_000, 200_000_001]);
  root.addEvent("done", [1_790_000_001, 999_999_999]);
  root.setStatus({ code: SpanStatusCode.ERROR, message: "überlastet" });

  const child = tracer.startSpan(
    "child",
    { startTime: [1_790_000_000, 500_000_000] },
    trace.setSpan(ROOT_CONTEXT, root),
  );
  child.setStatus({ code: SpanStatusCode.OK });
  child.end([1_790_000_000, 500_000_999]);
  root.end([1_790_000_001, 1]);

  const other = provider.getTracer("other");
  other.startSpan("alone", { startTime: [0, 0], root: true }).end([0, 1]);
  return exporter.getFinishedSpans();
}

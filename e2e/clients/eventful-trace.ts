import type { Context, Span, SpanOptions } from "@opentelemetry/api";
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { TracerProvider } from "@opentelemetry/sdk-trace";

/** Every type of attribute that the OpenTelemetry SDK can send. */
export const ALL_TYPES = {
  text: 'naïve 漢字 🜁\n"quoted" \u0000',
  "empty text": "",
  yes: true,
  no: false,
  whole: 42,
  negative: -7,
  "past 2^32": 2 ** 40,
  fraction: 0.1,
  tiny: 5e-324,
  bytes: new Uint8Array([0, 1, 254, 255]),
  texts: ["a", "b"],
  numbers: [1, 2.5, -3],
  booleans: [true, false],
  mixed: ["a", 1, null, ["nested"]],
  map: { inner: { deep: [1, { x: "y" }] } },
  nothing: null,
  constructor: "data",
};

/**
 * Records a trace of five spans that says all that a span can: attributes, events, an exception, a
 * link, each status. At fixed times, so that only its ids differ from one call to the next.
 */
export function recordEventfulTrace(provider: TracerProvider): string {
  const tracer = provider.getTracer("geology", "1.2.3", { schemaUrl: "https://example.com/s" });
  const span = (name: string, options: SpanOptions, seconds: number, parent?: Span) => {
    const above: Context = parent ? trace.setSpan(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
    return tracer.startSpan(name, { ...options, startTime: at(seconds, 123_456_789) }, above);
  };

  const top = span("answer", { kind: SpanKind.SERVER, attributes: ALL_TYPES }, 0);
  top.setAttributes({
    "ag.span.kind": "WORKFLOW",
    "ag.content.inputs": JSON.stringify({ question: "Which stone?" }),
    "ag.content.outputs": JSON.stringify(["Agate."]),
    "ag.variant.name": "concise",
    "ag.variant.revision": 3,
    "user.id": "u-1",
    "session.id": "s-1",
  });
  top.addEvent("first token", { index: 0, "waited.s": 0.25 }, at(1, 1));

  const chat = span(
    "chat gpt-4o-mini",
    {
      kind: SpanKind.CLIENT,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4o-mini",
        "gen_ai.request.temperature": 0.2,
        "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"Which?"}]}]',
        "gen_ai.output.messages": '[{"role":"assistant","parts":[]}]',
        "gen_ai.usage.input_tokens": 1000,
        "gen_ai.usage.output_tokens": 100,
        "gen_ai.usage.cache_read.input_tokens": 200,
      },
    },
    2,
    top,
  );
  chat.setStatus({ code: SpanStatusCode.OK });
  chat.end(at(3, 0));

  const lookUp = span(
    "look-up",
    {
      attributes: { "ag.span.kind": "TOOL" },
      links: [
        {
          context: { traceId: "f".repeat(32), spanId: "e".repeat(16), traceFlags: 1 },
          attributes: { why: "asked before" },
        },
      ],
    },
    4,
    top,
  );
  const request = span("GET /stones", { kind: SpanKind.CLIENT }, 5, lookUp);
  request.end(at(6, 999_999_999));
  lookUp.recordException(
    { name: "NotFoundError", message: "no such stone", stack: "at look-up" },
    at(7, 5),
  );
  lookUp.setStatus({ code: SpanStatusCode.ERROR, message: "no such stone" });
  lookUp.end(at(8, 0));

  span("publish", { kind: SpanKind.PRODUCER }, 9, top).end(at(9, 123_456_789));
  top.end(at(10, 0));
  return top.spanContext().traceId;
}

function at(seconds: number, nanos: number): [number, number] {
  return [1_790_000_000 + seconds, nanos];
}

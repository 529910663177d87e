import { randomBytes } from "node:crypto";
import type { OtlpSpan } from "../../send-otlp.ts";

/** A trace to send, and what its test looks for. */
export interface SampleTrace {
  readonly traceId: string;
  readonly spans: readonly OtlpSpan[];
}

export function newTraceId(): string {
  return randomBytes(16).toString("hex");
}

/** The id of a numbered span: unlike those of any other trace. */
export function spanId(traceId: string, n: number): string {
  return `${traceId.slice(0, 8)}${n.toString(16).padStart(8, "0")}`;
}

/**
 * An agent that thinks, calls a tool twice (once in vain) and answers: 1 agent, 2 model calls, 2 tools,
 * a retrieval, a guard that failed, and a span whose parent never came.
 */
export function agentTrace(start: number): SampleTrace {
  const traceId = newTraceId();
  const span = (
    n: number,
    parent: number | null,
    from: number,
    to: number,
    rest: Partial<OtlpSpan>,
  ) => ({
    traceId,
    spanId: spanId(traceId, n),
    ...(parent !== null && { parentSpanId: spanId(traceId, parent) }),
    start: start + from,
    end: start + to,
    name: `span ${n}`,
    ...rest,
  });
  const spans: OtlpSpan[] = [
    span(0, null, 0, 2400, {
      name: "plan a trip",
      status: { code: 1 },
      attributes: {
        "ag.span.kind": "AGENT",
        "ag.application": "travel",
        "ag.environment": "staging",
        "ag.variant.name": "careful",
        "ag.variant.revision": 3,
        "user.id": "ada@example.com",
        "session.id": "session 7",
        "ag.content.inputs": JSON.stringify({
          city: "Berne",
          nights: 2,
          notes: "first line\nsecond line",
        }),
        "ag.content.outputs": JSON.stringify("Two nights in the old town."),
      },
    }),
    span(1, 0, 40, 700, {
      name: "chat gpt-5-mini",
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-5-mini",
        "gen_ai.request.temperature": 0.2,
        "gen_ai.usage.input_tokens": 1000,
        "gen_ai.usage.output_tokens": 200,
        "gen_ai.usage.cache_read.input_tokens": 600,
        "gen_ai.usage.reasoning.output_tokens": 30,
        "gen_ai.system_instructions": JSON.stringify([
          { type: "text", content: "You plan trips." },
        ]),
        "gen_ai.input.messages": JSON.stringify([
          {
            role: "user",
            parts: [
              { type: "text", content: "Two nights in Berne, please." },
              { type: "uri", modality: "image", uri: "https://example.com/map.png" },
            ],
          },
        ]),
        "gen_ai.output.messages": JSON.stringify([
          {
            role: "assistant",
            parts: [
              { type: "reasoning", content: "The weather decides." },
              { type: "tool_call", id: "call_1", name: "weather", arguments: { city: "Berne" } },
            ],
            finish_reason: "tool_calls",
          },
        ]),
      },
    }),
    span(2, 0, 720, 1200, {
      name: "weather",
      status: { code: 2, message: "The weather service does not answer" },
      attributes: {
        "ag.span.kind": "TOOL",
        "ag.content.inputs": JSON.stringify({ city: "Berne" }),
      },
      events: [
        {
          name: "exception",
          time: start + 1190,
          attributes: {
            "exception.type": "TimeoutError",
            "exception.message": "No answer within 400 ms",
            "exception.stacktrace":
              "TimeoutError: No answer\n    at weather (tools.ts:12:9)\n    at plan (agent.ts:40:3)",
          },
        },
      ],
    }),
    span(3, 0, 1210, 1500, { name: "weather again", attributes: { "ag.span.kind": "TOOL" } }),
    span(4, 3, 1220, 1480, { name: "GET /forecast", attributes: { "http.method": "GET" } }),
    span(5, 0, 1300, 1400, { name: "look up hotels", attributes: { "ag.span.kind": "RETRIEVER" } }),
    span(6, 0, 1520, 2300, {
      name: "chat gpt-5-mini",
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-5-mini",
        "gen_ai.usage.input_tokens": 1400,
        "gen_ai.usage.output_tokens": 90,
      },
    }),
    span(7, 6, 2250, 2290, {
      name: "guard",
      status: { code: 2, message: "Too cheerful" },
      attributes: { "ag.span.kind": "GUARDRAIL" },
    }),
    { ...span(8, null, 900, 950, { name: "lost child" }), parentSpanId: spanId(traceId, 999) },
  ];
  return { traceId, spans };
}

/** Numbered spans below one another as `parentOf` says. */
export function numberedTrace(
  count: number,
  parentOf: (n: number) => number,
  payload = 0,
): SampleTrace {
  const traceId = newTraceId();
  const start = Date.now() - 60_000;
  const text = "lorem ipsum ".repeat(payload / 12);
  const spans = Array.from({ length: count }, (_, n): OtlpSpan => {
    const from = start + n;
    return {
      traceId,
      spanId: spanId(traceId, n),
      ...(n > 0 && { parentSpanId: spanId(traceId, parentOf(n)) }),
      name: `step ${n}`,
      start: n === 0 ? start : from,
      end: n === 0 ? start + count + 10 : from + 5,
      attributes: {
        "ag.span.kind": n === 0 ? "AGENT" : n % 3 === 0 ? "LLM" : "TASK",
        "ag.content.inputs": JSON.stringify({ n, text }),
      },
    };
  });
  return { traceId, spans };
}

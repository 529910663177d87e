import { expect, it } from "vitest";
import { mapped, otlpSpan } from "../record/otlp-span.fixture.ts";

it("reads a chat span as @traceloop/instrumentation-openai 0.27 sends it", () => {
  const { record, stored } = mapped({
    "gen_ai.provider.name": "openai",
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "gpt-5-mini",
    "gen_ai.request.max_tokens": 50,
    "gen_ai.request.temperature": 0.2,
    "gen_ai.input.messages":
      '[{"role":"system","parts":[{"type":"text","content":"Be brief."}]},{"role":"user","parts":[{"type":"text","content":"Hi"}]}]',
    "gen_ai.response.model": "gpt-5-mini-2025-08-07",
    "gen_ai.response.id": "chatcmpl-1",
    "gen_ai.usage.total_tokens": 120,
    "gen_ai.usage.output_tokens": 20,
    "gen_ai.usage.input_tokens": 100,
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.output.messages":
      '[{"role":"assistant","finish_reason":"stop","parts":[{"type":"text","content":"Hello!"}]}]',
  });
  expect(record.spankind).toBe("LLM");
  expect(record.config).toEqual({ model: "gpt-5-mini", max_tokens: 50, temperature: 0.2 });
  expect(record.metadata.usage).toEqual({
    input_tokens: 100,
    output_tokens: 20,
    total_tokens: 120,
    cached_input_tokens: null,
    reasoning_tokens: null,
  });
  // 100 at $0.25, 20 at $2 per million.
  expect(record.metadata.cost).toBe(0.000065);
  expect(stored.figures?.role).toBe("own");
});

it("reads a decorated function's span", () => {
  const { record } = mapped({
    "traceloop.span.kind": "workflow",
    "traceloop.workflow.name": "joke",
    "traceloop.entity.name": "joke",
    "traceloop.entity.path": "",
    "traceloop.entity.input": '{"args":["cats"],"kwargs":{}}',
    "traceloop.entity.output": '"Why did the cat…"',
    "traceloop.association.properties.user_id": "u-1",
    "traceloop.association.properties.session_id": "s-1",
    "traceloop.association.properties.plan": "free",
  });
  expect(record.spankind).toBe("WORKFLOW");
  expect(record.content.inputs).toEqual({ args: ["cats"], kwargs: {} });
  expect(record.content.outputs).toBe("Why did the cat…");
  expect(record.user_id).toBe("u-1");
  expect(record.metadata.session_id).toBe("s-1");
  expect(record.metadata.attributes).toEqual({
    "traceloop.workflow.name": "joke",
    "traceloop.entity.name": "joke",
    "traceloop.entity.path": "",
    "traceloop.association.properties.plan": "free",
  });
});

it.each([
  ["task", "TASK"],
  ["agent", "AGENT"],
  ["tool", "TOOL"],
  ["session", "UNKNOWN"],
  ["unknown", "UNKNOWN"],
])("kind %s is %s", (kind, spankind) => {
  expect(mapped({ "traceloop.span.kind": kind }).record.spankind).toBe(spankind);
});

// Captured from @traceloop/node-server-sdk 0.27.0: Anthropic had counted 600 tokens of input and 400
// that were cached.
it("adds the cached tokens that its instrumentation of Anthropic leaves out", () => {
  const call = {
    "gen_ai.provider.name": "anthropic",
    "gen_ai.operation.name": "chat",
    "gen_ai.response.model": "claude-sonnet-4-5",
    "gen_ai.usage.total_tokens": 800,
    "gen_ai.usage.output_tokens": 200,
    "gen_ai.usage.input_tokens": 600,
    "gen_ai.usage.cache_creation.input_tokens": 0,
    "gen_ai.usage.cache_read.input_tokens": 400,
  };
  const usageOf = (name: string) => {
    const scope = { ...otlpSpan().scope, name };
    return mapped(call, { scope }).record.metadata.usage;
  };
  expect(usageOf("@traceloop/instrumentation-anthropic")).toMatchObject({
    input_tokens: 1000,
    cached_input_tokens: 400,
    total_tokens: 1200,
  });
  expect(usageOf("another")).toMatchObject({ input_tokens: 600, total_tokens: 800 });
});

import { expect, it } from "vitest";
import { mapped } from "../record/otlp-span.fixture.ts";

// Captured from @mastra/core 1.71.0 with @mastra/otel-exporter 1.4.0.
const METADATA = {
  "mastra.metadata.runId": "590bffc8-4747-453e-b6b6-378e64c40f4a",
  "mastra.metadata.userId": "user-1",
  "mastra.metadata.sessionId": "session-1",
  "mastra.metadata.customer": "acme",
};

it("reads an agent's input and output, which have its type in their names", () => {
  const { record } = mapped({
    "gen_ai.operation.name": "invoke_agent",
    "mastra.span.type": "agent_run",
    "mastra.agent_run.input": "Which stone is blue?",
    "mastra.agent_run.output": '{"text":"Agate is a banded stone.","files":[]}',
    "gen_ai.agent.id": "stones",
    "gen_ai.tool.definitions": '["find_stone"]',
    "gen_ai.system_instructions": "Answer briefly.",
    ...METADATA,
    "mastra.tags": '["demo"]',
  });
  expect(record).toMatchObject({
    spankind: "AGENT",
    user_id: "user-1",
    content: {
      inputs: "Which stone is blue?",
      outputs: { text: "Agate is a banded stone.", files: [] },
    },
    metadata: { session_id: "session-1" },
  });
  expect(record.metadata.attributes).toEqual({
    "gen_ai.operation.name": "invoke_agent",
    "mastra.span.type": "agent_run",
    "gen_ai.agent.id": "stones",
    "gen_ai.tool.definitions": '["find_stone"]',
    "gen_ai.system_instructions": "Answer briefly.",
    "mastra.metadata.runId": METADATA["mastra.metadata.runId"],
    "mastra.metadata.customer": "acme",
    "mastra.tags": '["demo"]',
  });
});

it("reads a model call", () => {
  const { record, stored } = mapped({
    "gen_ai.operation.name": "chat",
    "mastra.span.type": "model_inference",
    "gen_ai.output.messages":
      '[{"role":"assistant","parts":[{"type":"text","content":"Agate is a banded stone."}]}]',
    "gen_ai.request.model": "gpt-4o-mini",
    "gen_ai.provider.name": "openai.chat",
    "gen_ai.usage.input_tokens": 1000,
    "gen_ai.usage.output_tokens": 200,
    "gen_ai.usage.reasoning_tokens": 50,
    "gen_ai.usage.cache_read.input_tokens": 400,
    "gen_ai.response.model": "gpt-4o-mini-2024-07-18",
    ...METADATA,
  });
  expect(record.spankind).toBe("LLM");
  expect(record.metadata.usage).toMatchObject({ input_tokens: 1000, cached_input_tokens: 400 });
  expect(record.metadata.cost).toBeCloseTo(0.00024, 12);
  expect(stored.figures?.role).toBe("own");
});

it("takes a generation for the loop around model calls, or for the call in earlier versions", () => {
  const loop = {
    "mastra.span.type": "model_generation",
    "gen_ai.operation.name": "model_generation",
  };
  expect(mapped(loop).record.spankind).toBe("CHAIN");
  // @mastra/otel-exporter 0.3.3.
  const call = mapped({
    "mastra.span.type": "model_generation",
    "gen_ai.operation.name": "chat",
    "gen_ai.usage.input_tokens": 1000,
    "gen_ai.usage.cached_input_tokens": 400,
  }).record;
  expect(call.spankind).toBe("LLM");
  expect(call.metadata.usage).toMatchObject({ cached_input_tokens: 400 });
});

it.each([
  ["workflow_run", "WORKFLOW"],
  ["workflow_step", "TASK"],
  ["model_step", "TASK"],
  ["mcp_tool_call", "TOOL"],
  ["rag_embedding", "EMBEDDING"],
  ["scorer_run", "EVALUATOR"],
])("a span of type %s is a %s", (type, kind) => {
  const { record } = mapped({
    "gen_ai.operation.name": type,
    "mastra.span.type": type,
    [`mastra.${type}.input`]: '{"q":" hi "}',
    [`mastra.${type}.status`]: "success",
  });
  expect(record).toMatchObject({ spankind: kind, content: { inputs: { q: " hi " } } });
  expect(record.metadata.attributes).toHaveProperty([`mastra.${type}.status`]);
});

it("leaves the application's own metadata alone", () => {
  const { record } = mapped({ "mastra.metadata.input": "mine", "mastra.metadata.output": "too" });
  expect(record.content).toMatchObject({ inputs: null, outputs: null });
  expect(record.metadata.attributes).toEqual({
    "mastra.metadata.input": "mine",
    "mastra.metadata.output": "too",
  });
});

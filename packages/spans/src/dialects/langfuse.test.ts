import { describe, expect, it } from "vitest";
import { mapped } from "../record/otlp-span.fixture.ts";

const generation = {
  "langfuse.observation.type": "generation",
  "langfuse.observation.model.name": "gpt-4o",
  "langfuse.observation.model.parameters": '{"temperature":0.7}',
  "langfuse.observation.input": '[{"role":"user","content":"Hi"}]',
  "langfuse.observation.output": "Hello",
  "langfuse.observation.usage_details": '{"input":20,"output":10,"total":30}',
  "langfuse.observation.cost_details": '{"input":0.001,"output":0.002,"total":0.003}',
  "langfuse.observation.level": "DEFAULT",
  "langfuse.environment": "staging",
  "langfuse.user.id": "u-1",
  "langfuse.session.id": "s-1",
};

describe("a generation", () => {
  const { record, stored } = mapped(generation);

  it("is a model call with its content, parameters and figures", () => {
    expect(record).toMatchObject({
      spankind: "LLM",
      environment: "staging",
      user_id: "u-1",
      config: { temperature: 0.7 },
      content: { inputs: [{ role: "user", content: "Hi" }], outputs: "Hello" },
      metadata: { model: "gpt-4o", session_id: "s-1", cost: 0.003 },
    });
    expect(stored.figures).toMatchObject({ cost: 0.003, role: "own" });
    expect(record.metadata.usage).toMatchObject({
      input_tokens: 20,
      output_tokens: 10,
      total_tokens: 30,
    });
  });

  it("keeps the parts of the cost, which no field shows", () => {
    expect(record.metadata.attributes).toEqual({
      "langfuse.observation.type": "generation",
      "langfuse.observation.cost_details": generation["langfuse.observation.cost_details"],
      "langfuse.observation.level": "DEFAULT",
    });
  });

  it("adds up a cost that has no total", () => {
    const { record } = mapped({ "langfuse.observation.cost_details": '{"input":0.5,"output":1}' });
    expect(record.metadata.cost).toBe(1.5);
  });

  it("keeps usage details that it does not show as they were", () => {
    const usage = '{"input":20,"output":10,"cache_read_input_tokens":80}';
    const { record } = mapped({ "langfuse.observation.usage_details": usage });
    expect(record.metadata.usage).toMatchObject({ input_tokens: 100, cached_input_tokens: 80 });
    expect(record.metadata.attributes).toEqual({ "langfuse.observation.usage_details": usage });
  });

  it.each(["not JSON", "[1]", '{"input":"many"}'])("makes nothing of usage details %s", (usage) => {
    const { record } = mapped({ "langfuse.observation.usage_details": usage });
    expect(record.metadata.usage).toBeNull();
    expect(record.metadata.attributes).toEqual({ "langfuse.observation.usage_details": usage });
  });
});

it.each([
  ["embedding", "EMBEDDING"],
  ["agent", "AGENT"],
  ["tool", "TOOL"],
  ["chain", "CHAIN"],
  ["retriever", "RETRIEVER"],
  ["evaluator", "EVALUATOR"],
  ["guardrail", "GUARDRAIL"],
  ["span", "WORKFLOW"],
  ["event", "UNKNOWN"],
])("observation type %s is %s", (type, kind) => {
  expect(mapped({ "langfuse.observation.type": type }).record.spankind).toBe(kind);
});

it("takes the trace's content for a span that has none of its own", () => {
  const { record } = mapped({
    "langfuse.trace.input": "asked",
    "langfuse.trace.output": '{"answer":42}',
    "langfuse.observation.output": "own",
  });
  expect(record.content.inputs).toBe("asked");
  expect(record.content.outputs).toBe("own");
  expect(record.metadata.attributes).toEqual({ "langfuse.trace.output": '{"answer":42}' });
});

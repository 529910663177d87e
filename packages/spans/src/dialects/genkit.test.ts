import { describe, expect, it } from "vitest";
import { mapped } from "../record/otlp-span.fixture.ts";

// Captured from genkit 1.42.0 with @genkit-ai/compat-oai 1.42.0.
const USAGE = { inputTokens: 1000, outputTokens: 200, totalTokens: 1200 };
const INPUT = {
  messages: [
    { role: "system", content: [{ text: "Answer briefly." }] },
    { role: "user", content: [{ text: "Which stone is blue?" }] },
  ],
  config: { temperature: 0.5 },
  tools: [],
  output: {},
};
const MESSAGE = { role: "model", content: [{ text: "Agate is a banded stone." }] };
const RAW = {
  id: "chatcmpl-6",
  model: "gpt-4o-mini-2024-07-18",
  object: "chat.completion",
  usage: {
    prompt_tokens: 1000,
    completion_tokens: 200,
    total_tokens: 1200,
    prompt_tokens_details: { cached_tokens: 400, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 50, audio_tokens: 0 },
  },
};

function modelCall(output: unknown, name = "openai/gpt-4o-mini") {
  return {
    "genkit:type": "action",
    "genkit:metadata:subtype": "model",
    "genkit:key": `/model/${name}`,
    "genkit:name": name,
    "genkit:path": `/{stoneFlow,t:flow}/{generate,t:util}/{${name},t:action,s:model}`,
    "genkit:input": JSON.stringify(INPUT),
    "genkit:output": JSON.stringify(output),
    "genkit:state": "success",
  };
}

describe("a model call", () => {
  const output = { finishReason: "stop", message: MESSAGE, usage: USAGE, raw: RAW };
  const { record, stored } = mapped(modelCall(output));

  it("has its model, content, and the tokens that are in its output", () => {
    expect(record).toMatchObject({
      spankind: "LLM",
      config: { model: "gpt-4o-mini" },
      content: { inputs: INPUT, outputs: output },
      metadata: { model: "gpt-4o-mini-2024-07-18", provider: "openai" },
    });
    expect(record.metadata.usage).toEqual({
      input_tokens: 1000,
      output_tokens: 200,
      total_tokens: 1200,
      cached_input_tokens: 400,
      reasoning_tokens: 50,
    });
    // 600 × $0.15 + 400 × $0.075 + 200 × $0.60 per million.
    expect(record.metadata.cost).toBeCloseTo(0.00024, 12);
    expect(stored.figures?.role).toBe("own");
  });

  it("keeps all other attributes", () => {
    const { "genkit:input": _, "genkit:output": __, ...others } = modelCall(output);
    expect(record.metadata.attributes).toEqual(others);
  });

  it("adds the thoughts of Gemini to its output, where only the total includes them", () => {
    const usage = {
      inputTokens: 1000,
      outputTokens: 150,
      thoughtsTokens: 50,
      cachedContentTokens: 400,
      totalTokens: 1200,
    };
    const call = modelCall({ message: MESSAGE, usage }, "googleai/gemini-2.5-flash");
    expect(mapped(call).record.metadata).toMatchObject({
      model: "gemini-2.5-flash",
      provider: "googleai",
      usage: { input_tokens: 1000, output_tokens: 200, cached_input_tokens: 400 },
    });
  });

  it.each(["not JSON", [], null, { usage: "many", raw: 1 }, { usage: { inputTokens: -1 } }])(
    "has no tokens when its output is %j",
    (output) => {
      expect(mapped(modelCall(output)).record.metadata.usage).toBeNull();
    },
  );
});

it.each([
  [{ "genkit:type": "action", "genkit:metadata:subtype": "flow" }, "WORKFLOW"],
  [{ "genkit:type": "flowStep" }, "TASK"],
  [{ "genkit:type": "util" }, "CHAIN"],
  [{ "genkit:type": "action", "genkit:metadata:subtype": "tool" }, "TOOL"],
  [{ "genkit:type": "action", "genkit:metadata:subtype": "embedder" }, "EMBEDDING"],
  [{ "genkit:type": "action", "genkit:metadata:subtype": "retriever" }, "RETRIEVER"],
  [{ "genkit:type": "action", "genkit:metadata:subtype": "custom" }, "UNKNOWN"],
])("a span with %j is a %s", (attributes, kind) => {
  expect(mapped(attributes).record.spankind).toBe(kind);
});

it("leaves the tokens of a `generate` to the model calls inside it", () => {
  const { record } = mapped({
    "genkit:type": "util",
    "genkit:name": "generate",
    "genkit:output": JSON.stringify({ message: MESSAGE, usage: USAGE }),
  });
  expect(record.metadata).toMatchObject({ model: null, usage: null });
});

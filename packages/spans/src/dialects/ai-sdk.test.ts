import { describe, expect, it } from "vitest";
import { mapped } from "../record/otlp-span.fixture.ts";

// As ai 7.0.169 sends them through LegacyOpenTelemetry, and older versions by themselves.
const doGenerate = {
  "operation.name": "ai.generateText.doGenerate weather-bot",
  "resource.name": "weather-bot",
  "ai.operationId": "ai.generateText.doGenerate",
  "ai.telemetry.functionId": "weather-bot",
  "ai.model.provider": "openai.chat",
  "ai.model.id": "gpt-5-mini",
  "ai.settings.maxOutputTokens": 50,
  "ai.settings.temperature": 0.2,
  "ai.settings.maxRetries": 2,
  "ai.request.headers.user-agent": "ai/7.0.169",
  "ai.prompt.messages":
    '[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"Weather in Berne?"}]}]',
  "ai.prompt.tools": ['{"type":"function","name":"weather","description":"w"}'],
  "ai.prompt.toolChoice": '{"type":"auto"}',
  "gen_ai.system": "openai.chat",
  "gen_ai.request.model": "gpt-5-mini",
  "gen_ai.request.max_tokens": 50,
  "gen_ai.request.temperature": 0.2,
  "ai.response.finishReason": "tool-calls",
  "ai.response.text": "",
  "ai.response.toolCalls": '[{"toolCallId":"c1","toolName":"weather","input":{"city":"Berne"}}]',
  "ai.response.id": "r1",
  "ai.response.model": "gpt-5-mini-2025-08-07",
  "ai.response.timestamp": "1970-01-01T00:00:00.000Z",
  "ai.usage.inputTokens": 100,
  "ai.usage.outputTokens": 20,
  "ai.usage.totalTokens": 120,
  "ai.usage.reasoningTokens": 5,
  "ai.usage.cachedInputTokens": 40,
  "ai.usage.inputTokenDetails.noCacheTokens": 60,
  "ai.usage.inputTokenDetails.cacheReadTokens": 40,
  "ai.usage.outputTokenDetails.textTokens": 15,
  "ai.usage.outputTokenDetails.reasoningTokens": 5,
  "gen_ai.response.finish_reasons": ["tool-calls"],
  "gen_ai.response.id": "r1",
  "gen_ai.response.model": "gpt-5-mini-2025-08-07",
  "gen_ai.usage.input_tokens": 100,
  "gen_ai.usage.output_tokens": 20,
};

describe("the call to the model", () => {
  const { record, stored } = mapped(doGenerate);

  it("has its content from prompt, tools and response", () => {
    expect(record.content).toEqual({
      inputs: {
        messages: JSON.parse(doGenerate["ai.prompt.messages"]),
        tools: [{ type: "function", name: "weather", description: "w" }],
        tool_choice: { type: "auto" },
      },
      internals: null,
      outputs: { text: "", tool_calls: JSON.parse(doGenerate["ai.response.toolCalls"]) },
    });
  });

  it("is an LLM span that owns its tokens, priced by the response's model", () => {
    expect(record.spankind).toBe("LLM");
    expect(record.config).toEqual({
      model: "gpt-5-mini",
      max_tokens: 50,
      temperature: 0.2,
      max_retries: 2,
    });
    expect(record.metadata).toMatchObject({
      model: "gpt-5-mini-2025-08-07",
      provider: "openai.chat",
      cost: 0.000056,
      usage: {
        input_tokens: 100,
        output_tokens: 20,
        total_tokens: 120,
        cached_input_tokens: 40,
        reasoning_tokens: 5,
      },
    });
    expect(stored.figures?.role).toBe("own");
  });

  it("shows what both vocabularies say only once", () => {
    expect(record.metadata.attributes).toEqual({
      "operation.name": "ai.generateText.doGenerate weather-bot",
      "resource.name": "weather-bot",
      "ai.operationId": "ai.generateText.doGenerate",
      "ai.telemetry.functionId": "weather-bot",
      "ai.model.id": "gpt-5-mini",
      "gen_ai.request.model": "gpt-5-mini",
      "ai.request.headers.user-agent": "ai/7.0.169",
      "ai.response.finishReason": "tool-calls",
      "ai.response.id": "r1",
      "ai.response.timestamp": "1970-01-01T00:00:00.000Z",
      "ai.usage.inputTokenDetails.noCacheTokens": 60,
      "ai.usage.outputTokenDetails.textTokens": 15,
      "gen_ai.response.finish_reasons": ["tool-calls"],
      "gen_ai.response.id": "r1",
    });
  });
});

describe("the span around it", () => {
  it("restates the tokens of the call inside", () => {
    const { record, stored } = mapped({
      "ai.operationId": "ai.generateText",
      "ai.model.provider": "openai.chat",
      "ai.model.id": "gpt-5-mini",
      "ai.prompt":
        '{"system":"Be brief.","messages":[{"role":"user","content":"Weather in Berne?"}]}',
      "ai.response.text": "It is sunny.",
      "ai.usage.inputTokens": 200,
      "ai.usage.outputTokens": 40,
      "ai.telemetry.metadata.userId": "u-1",
      "ai.telemetry.metadata.sessionId": "s-1",
    });
    expect(record.spankind).toBe("AGENT");
    expect(stored.figures?.role).toBe("restated");
    expect(record.config).toBeNull();
    expect(record.content.inputs).toEqual({
      system: "Be brief.",
      messages: [{ role: "user", content: "Weather in Berne?" }],
    });
    expect(record.content.outputs).toBe("It is sunny.");
    expect(record.user_id).toBe("u-1");
    expect(record.metadata.session_id).toBe("s-1");
  });

  it("takes user and session from the runtime context that version 7 has for them", () => {
    const { record } = mapped({
      "gen_ai.operation.name": "invoke_agent",
      "ai.settings.context.userId": "u-1",
      "ai.settings.context.sessionId": "s-1",
    });
    expect(record.user_id).toBe("u-1");
    expect(record.metadata.session_id).toBe("s-1");
  });

  it("restates them even if someone calls it a model call", () => {
    const { stored } = mapped({
      "openinference.span.kind": "LLM",
      "ai.operationId": "ai.streamText",
      "ai.usage.promptTokens": 200,
    });
    expect(stored.figures?.role).toBe("restated");
  });
});

describe("other operations", () => {
  it.each([
    ["ai.streamText.doStream", "LLM"],
    ["ai.generateObject.doGenerate", "LLM"],
    ["ai.embed.doEmbed", "EMBEDDING"],
    ["ai.rerank.doRerank", "RERANKER"],
    ["ai.toolCall", "TOOL"],
    ["ai.streamText", "AGENT"],
    ["ai.generateObject", "AGENT"],
    ["ai.embedMany", "CHAIN"],
    ["ai.rerank", "CHAIN"],
    ["ai.transcribe", "LLM"],
    ["other", "UNKNOWN"],
  ])("%s is %s", (operation, kind) => {
    expect(mapped({ "ai.operationId": operation }).record.spankind).toBe(kind);
  });

  it("takes a tool call's arguments and result", () => {
    const { record } = mapped({
      "ai.operationId": "ai.toolCall",
      "ai.toolCall.name": "weather",
      "ai.toolCall.args": '{"city":"Berne"}',
      "ai.toolCall.result": '{"sky":"sunny"}',
    });
    expect(record.content.inputs).toEqual({ city: "Berne" });
    expect(record.content.outputs).toEqual({ sky: "sunny" });
  });

  it("takes what was embedded and its vectors", () => {
    const one = mapped({
      "ai.operationId": "ai.embed",
      "ai.value": '"hello"',
      "ai.embedding": "[0.1,0.2]",
      "ai.usage.tokens": 7,
    });
    expect(one.record.content).toEqual({ inputs: "hello", internals: null, outputs: [0.1, 0.2] });
    expect(one.stored.figures?.role).toBe("restated");
    const many = mapped({
      "ai.operationId": "ai.embedMany.doEmbed",
      "ai.model.provider": "openai.embedding",
      "ai.model.id": "text-embedding-3-small",
      "ai.values": ['"a"', '"b"'],
      "ai.embeddings": ["[0.1]", "[0.2]"],
      "ai.usage.tokens": 1000,
    });
    expect(many.record.content).toEqual({
      inputs: ["a", "b"],
      internals: null,
      outputs: [[0.1], [0.2]],
    });
    // 1000 at $0.02 per million.
    expect(many.record.metadata.cost).toBe(0.00002);
    expect(many.stored.figures?.role).toBe("own");
  });

  it("takes an object as it was generated", () => {
    const { record } = mapped({
      "ai.operationId": "ai.generateObject.doGenerate",
      "ai.response.object": '{"a":1}',
    });
    expect(record.content.outputs).toEqual({ a: 1 });
  });
});

describe("version 7", () => {
  it("speaks GenAI, with details of its own beside it", () => {
    const { record, stored } = mapped({
      "gen_ai.operation.name": "agent_step",
      "ai.request.headers.user-agent": "ai/7.0.169",
      "ai.prompt.toolChoice": '{"type":"auto"}',
      "ai.usage.inputTokenDetails.noCacheTokens": 60,
      "ai.usage.outputTokenDetails.reasoningTokens": 5,
    });
    expect(record.spankind).toBe("TASK");
    expect(record.content.inputs).toBeNull();
    expect(stored.figures).toMatchObject({ usage: { reasoning_tokens: 5 }, role: "restated" });
    expect(record.metadata.attributes).toMatchObject({ "ai.prompt.toolChoice": '{"type":"auto"}' });
  });
});

import { describe, expect, it } from "vitest";
import { mapped } from "../record/otlp-span.fixture.ts";

const chat = {
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": "anthropic",
  "gen_ai.request.model": "claude-sonnet-4-5",
  "gen_ai.request.temperature": 0.2,
  "gen_ai.request.max_tokens": 50,
  "gen_ai.request.stop_sequences": ["END"],
  "gen_ai.request.choice.count": 1,
  "gen_ai.response.id": "msg_1",
  "gen_ai.response.model": "claude-sonnet-4-5-20250929",
  "gen_ai.response.finish_reasons": ["stop"],
  "gen_ai.usage.input_tokens": 1000,
  "gen_ai.usage.output_tokens": 200,
  "gen_ai.usage.cache_read.input_tokens": 600,
  "gen_ai.usage.cache_creation.input_tokens": 100,
  "gen_ai.usage.reasoning.output_tokens": 30,
  "gen_ai.conversation.id": "conversation-7",
  "gen_ai.system_instructions": '[{"type":"text","content":"Be brief."}]',
  "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"Hi"}]}]',
  "gen_ai.tool.definitions": '[{"type":"function","name":"weather"}]',
  "gen_ai.output.messages":
    '[{"role":"assistant","parts":[{"type":"text","content":"Hello"}],"finish_reason":"stop"}]',
};

describe("a chat span of the current conventions", () => {
  const { record, stored } = mapped(chat);

  it("composes its content from messages, instructions and tools", () => {
    expect(record.content).toEqual({
      inputs: {
        messages: JSON.parse(chat["gen_ai.input.messages"]),
        system_instructions: JSON.parse(chat["gen_ai.system_instructions"]),
        tools: JSON.parse(chat["gen_ai.tool.definitions"]),
      },
      internals: null,
      outputs: { messages: JSON.parse(chat["gen_ai.output.messages"]) },
    });
  });

  it("takes its parameters as config", () => {
    expect(record.config).toEqual({
      model: "claude-sonnet-4-5",
      temperature: 0.2,
      max_tokens: 50,
      stop_sequences: ["END"],
      "choice.count": 1,
    });
  });

  it("counts tokens, and prices what was read from and written to the cache apart", () => {
    expect(record.metadata.usage).toEqual({
      input_tokens: 1000,
      output_tokens: 200,
      total_tokens: 1200,
      cached_input_tokens: 600,
      reasoning_tokens: 30,
    });
    // 300 at $3, 600 at $0.30, 100 at $3.75, 200 at $15 per million.
    expect(record.metadata.cost).toBe(0.004455);
    expect(stored.figures).toEqual({
      usage: record.metadata.usage,
      cost: 0.004455,
      role: "own",
      call: { key: "anthropic msg_1", isCostSent: false, during: expect.any(Array) },
    });
  });

  it("names the response's model, and keeps what no field shows", () => {
    expect(record.spankind).toBe("LLM");
    expect(record.metadata.model).toBe("claude-sonnet-4-5-20250929");
    expect(record.metadata.provider).toBe("anthropic");
    expect(record.metadata.session_id).toBe("conversation-7");
    expect(record.metadata.attributes).toEqual({
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": "claude-sonnet-4-5",
      "gen_ai.response.id": "msg_1",
      "gen_ai.response.finish_reasons": ["stop"],
      "gen_ai.usage.cache_creation.input_tokens": 100,
    });
  });

  it("reads messages that come as structured values, too", () => {
    const messages = [new Map([["role", "user"]])];
    const structured = mapped({ "gen_ai.input.messages": messages });
    expect(structured.record.content.inputs).toEqual({ messages: [{ role: "user" }] });
  });
});

describe("the operation's name", () => {
  it.each([
    ["chat", "LLM"],
    ["Generate_Content", "LLM"],
    ["text_completion", "LLM"],
    ["embeddings", "EMBEDDING"],
    ["retrieval", "RETRIEVER"],
    ["create_agent", "AGENT"],
    ["invoke_agent", "AGENT"],
    ["execute_tool", "TOOL"],
    ["invoke_workflow", "WORKFLOW"],
    ["something_new", "UNKNOWN"],
  ])("%s makes the span %s", (operation, kind) => {
    const { record } = mapped({ "gen_ai.operation.name": operation });
    expect(record.spankind).toBe(kind);
    expect(record.metadata.attributes).toEqual({ "gen_ai.operation.name": operation });
  });

  it("may be missing: a model with tokens or messages is a model call", () => {
    const withTokens = { "gen_ai.request.model": "m", "gen_ai.usage.input_tokens": 1 };
    const withMessages = { "gen_ai.request.model": "m", "gen_ai.prompt.0.role": "user" };
    expect(mapped(withTokens).record.spankind).toBe("LLM");
    expect(mapped(withMessages).record.spankind).toBe("LLM");
    expect(mapped({ "gen_ai.request.model": "m" }).record.spankind).toBe("UNKNOWN");
    expect(mapped({ "gen_ai.usage.input_tokens": 1 }).record.spankind).toBe("UNKNOWN");
  });
});

describe("tools and retrieval", () => {
  it("takes a tool's arguments and result as its content", () => {
    const { record, stored } = mapped({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "weather",
      "gen_ai.tool.call.arguments": '{"city":"Berne","population":12345678901234567890}',
      "gen_ai.tool.call.result": "sunny",
    });
    expect(record.spankind).toBe("TOOL");
    expect(record.content.inputs).toMatchObject({ city: "Berne" });
    // Not a digit is lost on the way into the record, though a number of JavaScript's has fewer.
    expect(stored.openRecord).toContain('"population":12345678901234567890');
    expect(record.content.outputs).toBe("sunny");
    expect(record.metadata.attributes).toEqual({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "weather",
    });
  });

  it("takes a retrieval's query and documents as its content", () => {
    const { record } = mapped({
      "gen_ai.operation.name": "retrieval",
      "gen_ai.retrieval.query.text": "agate",
      "gen_ai.retrieval.documents": '[{"id":"d1","score":0.5}]',
    });
    expect(record.content.inputs).toBe("agate");
    expect(record.content.outputs).toEqual([{ id: "d1", score: 0.5 }]);
  });
});

describe("the forms that the conventions replaced", () => {
  it("reads indexed prompts, the system's name and prompt tokens", () => {
    const { record } = mapped({
      "gen_ai.system": "openai",
      "gen_ai.request.model": "gpt-4o",
      "gen_ai.prompt.0.role": "system",
      "gen_ai.prompt.0.content": "Be brief.",
      "gen_ai.prompt.1.role": "user",
      "gen_ai.prompt.1.content": "Weather?",
      "gen_ai.completion.0.role": "assistant",
      "gen_ai.completion.0.finish_reason": "tool_calls",
      "gen_ai.completion.0.tool_calls.0.id": "call_1",
      "gen_ai.completion.0.tool_calls.0.name": "weather",
      "gen_ai.completion.0.tool_calls.0.arguments": '{"city":"Berne"}',
      "llm.request.functions.0.name": "weather",
      "gen_ai.usage.prompt_tokens": "100",
      "gen_ai.usage.completion_tokens": 10n,
      "llm.usage.total_tokens": 110,
      "gen_ai.prompt.name": "greeting",
    });
    expect(record.spankind).toBe("LLM");
    expect(record.content).toEqual({
      inputs: {
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "Weather?" },
        ],
        tools: [{ name: "weather" }],
      },
      internals: null,
      outputs: {
        messages: [
          {
            role: "assistant",
            finish_reason: "tool_calls",
            tool_calls: [{ id: "call_1", name: "weather", arguments: '{"city":"Berne"}' }],
          },
        ],
      },
    });
    expect(record.metadata.provider).toBe("openai");
    expect(record.metadata.usage).toMatchObject({
      input_tokens: 100,
      output_tokens: 10,
      total_tokens: 110,
    });
    expect(record.metadata.attributes).toEqual({ "gen_ai.prompt.name": "greeting" });
  });
});

describe("tokens", () => {
  it("adds the cached ones to an input that leaves them out", () => {
    // As Anthropic itself counts: input without what the cache gave or took.
    const more = mapped({
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 5,
      "gen_ai.usage.cache_read.input_tokens": 900,
      "gen_ai.usage.cache_creation.input_tokens": 90,
      "gen_ai.usage.total_tokens": 15,
    });
    expect(more.record.metadata.usage).toMatchObject({ input_tokens: 1000, total_tokens: 1005 });
    expect(more.record.metadata.attributes).toMatchObject({
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.total_tokens": 15,
    });
    const adding = mapped({
      "gen_ai.usage.input_tokens": 100,
      "gen_ai.usage.output_tokens": 5,
      "gen_ai.usage.cache_read.input_tokens": 60,
      "gen_ai.usage.total_tokens": 165,
    });
    expect(adding.record.metadata.usage).toMatchObject({ input_tokens: 160, total_tokens: 165 });
  });

  it("of a model that gives none back are those it was sent", () => {
    const input = { "gen_ai.usage.input_tokens": 8 };
    const embedding = mapped({ "gen_ai.operation.name": "embeddings", ...input });
    expect(embedding.record.metadata.usage).toMatchObject({ output_tokens: null, total_tokens: 8 });
    const rerank = mapped({ "gen_ai.operation.name": "rerank", ...input });
    expect(rerank.record.metadata.usage).toMatchObject({ output_tokens: null, total_tokens: 8 });
    const chat = mapped({ "gen_ai.operation.name": "chat", ...input });
    expect(chat.record.metadata.usage).toMatchObject({ output_tokens: null, total_tokens: null });
  });

  it("are not made of what cannot be a count", () => {
    const attributes = {
      "gen_ai.usage.input_tokens": -1,
      "gen_ai.usage.output_tokens": Number.NaN,
      "gen_ai.usage.total_tokens": "many",
      "gen_ai.usage.reasoning_tokens": 2n ** 60n,
    };
    const { record, stored } = mapped(attributes);
    expect(record.metadata.usage).toBeNull();
    expect(stored.figures).toBeNull();
    expect(record.metadata.attributes).toEqual({
      "gen_ai.usage.input_tokens": -1,
      "gen_ai.usage.output_tokens": "NaN",
      "gen_ai.usage.total_tokens": "many",
      "gen_ai.usage.reasoning_tokens": 2 ** 60,
    });
  });

  it("of an agent restate those of the calls it made", () => {
    const { stored } = mapped({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.request.model": "gpt-5-mini",
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 5,
    });
    expect(stored.figures?.role).toBe("restated");
  });
});

describe("parameters that two dialects send", () => {
  it("are shown once, and kept where they differ", () => {
    const { record } = mapped({
      "gen_ai.operation.name": "chat",
      "ai.settings.temperature": 0.9,
      "ai.settings.maxOutputTokens": 50,
      "gen_ai.request.temperature": 0.2,
      "gen_ai.request.max_tokens": 50,
    });
    expect(record.config).toEqual({ temperature: 0.2, max_tokens: 50 });
    expect(record.metadata.attributes).toEqual({
      "gen_ai.operation.name": "chat",
      "ai.settings.temperature": 0.9,
    });
  });
});

describe("the cost that a client sends", () => {
  const call = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-5-mini",
    "gen_ai.usage.input_tokens": 1_000_000,
    "gen_ai.usage.output_tokens": 0,
  };

  it.each([
    "gen_ai.usage.cost",
    "gen_ai.usage.total_cost",
    "operation.cost",
    "gen_ai.cost.total_cost",
    "litellm.cost.total",
  ])("is read from %s", (name) => {
    const { record } = mapped({ ...call, [name]: 0.5 });
    expect(record.metadata.cost).toBe(0.5);
    expect(record.metadata.attributes).not.toHaveProperty([name]);
  });

  it("is computed where it is 0 for tokens that have a price", () => {
    const { record } = mapped({ ...call, "gen_ai.usage.cost": 0 });
    expect(record.metadata.cost).toBe(0.25);
    expect(record.metadata.attributes).toMatchObject({ "gen_ai.usage.cost": 0 });
  });

  it.each([
    ["without tokens", { "gen_ai.usage.input_tokens": 0 }],
    ["of a model without a known price", { "gen_ai.request.model": "llama-at-home" }],
    ["that the developer stored", { "ag.cost": 0 }],
  ])("stays 0 %s", (_, attributes) => {
    const { record } = mapped({ ...call, "gen_ai.usage.cost": 0, ...attributes });
    expect(record.metadata.cost).toBe(0);
  });
});

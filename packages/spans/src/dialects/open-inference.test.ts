import { describe, expect, it } from "vitest";
import { mapped } from "../record/otlp-span.fixture.ts";

// As @arizeai/openinference-instrumentation-openai 4.2.7 sends them.
const chat = {
  "openinference.span.kind": "LLM",
  "llm.model_name": "gpt-5-mini-2025-08-07",
  "input.value":
    '{"model":"gpt-5-mini","temperature":0.2,"max_tokens":50,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]}',
  "input.mime_type": "application/json",
  "llm.invocation_parameters": '{"model":"gpt-5-mini","temperature":0.2,"max_tokens":50}',
  "llm.system": "openai",
  "llm.input_messages.0.message.role": "system",
  "llm.input_messages.0.message.content": "Be brief.",
  "llm.input_messages.1.message.role": "user",
  "llm.input_messages.1.message.content": "Hi",
  "output.value":
    '{"id":"chatcmpl-1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hello!"}}]}',
  "output.mime_type": "application/json",
  "llm.output_messages.0.message.role": "assistant",
  "llm.output_messages.0.message.content": "Hello!",
  "llm.finish_reason": "stop",
  "llm.token_count.completion": 20,
  "llm.token_count.prompt": 100,
  "llm.token_count.total": 120,
  "llm.token_count.prompt_details.cache_read": 40,
  "llm.token_count.prompt_details.audio": 0,
  "llm.token_count.completion_details.audio": 0,
  "llm.token_count.completion_details.reasoning": 5,
};

describe("a chat completion", () => {
  const { record, stored } = mapped(chat);

  it("shows the exact request and response as content, the messages beside them", () => {
    expect(record.content.inputs).toEqual(JSON.parse(chat["input.value"]));
    expect(record.content.outputs).toEqual(JSON.parse(chat["output.value"]));
    expect(record.content.internals).toEqual({
      input_messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
      ],
      output_messages: [{ role: "assistant", content: "Hello!" }],
    });
  });

  it("fills kind, model, provider, config, tokens and cost", () => {
    expect(record.spankind).toBe("LLM");
    expect(record.config).toEqual({ model: "gpt-5-mini", temperature: 0.2, max_tokens: 50 });
    expect(record.metadata.model).toBe("gpt-5-mini-2025-08-07");
    expect(record.metadata.provider).toBe("openai");
    expect(record.metadata.usage).toEqual({
      input_tokens: 100,
      output_tokens: 20,
      total_tokens: 120,
      cached_input_tokens: 40,
      reasoning_tokens: 5,
    });
    // 60 at $0.25, 40 cached at $0.025, 20 at $2 per million.
    expect(record.metadata.cost).toBe(0.000056);
    expect(stored.figures?.role).toBe("own");
  });

  it("repeats nothing among the attributes that a field shows", () => {
    expect(record.metadata.attributes).toEqual({
      "input.mime_type": "application/json",
      "output.mime_type": "application/json",
      "llm.finish_reason": "stop",
      "llm.token_count.prompt_details.audio": 0,
      "llm.token_count.completion_details.audio": 0,
    });
  });
});

describe("messages without an exact input", () => {
  it("are the inputs and outputs, tool calls and parts unfolded", () => {
    const { record } = mapped({
      "openinference.span.kind": "llm",
      "llm.input_messages.0.message.role": "user",
      "llm.input_messages.0.message.contents.0.message_content.type": "text",
      "llm.input_messages.0.message.contents.0.message_content.text": "Weather?",
      "llm.input_messages.1.message.role": "assistant",
      "llm.input_messages.1.message.tool_calls.0.tool_call.id": "call_0",
      "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "weather",
      "llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments": '{"city":"Berne"}',
      "llm.tools.0.tool.json_schema": '{"type":"function","function":{"name":"weather"}}',
      "llm.output_messages.0.message.role": "assistant",
      "llm.output_messages.0.message.content": "Sunny.",
    });
    expect(record.spankind).toBe("LLM");
    expect(record.content).toEqual({
      inputs: {
        messages: [
          { role: "user", contents: [{ type: "text", text: "Weather?" }] },
          {
            role: "assistant",
            tool_calls: [
              { id: "call_0", function: { name: "weather", arguments: '{"city":"Berne"}' } },
            ],
          },
        ],
        tools: [{ json_schema: { type: "function", function: { name: "weather" } } }],
      },
      internals: null,
      outputs: { messages: [{ role: "assistant", content: "Sunny." }] },
    });
    expect(record.metadata.attributes).toEqual({});
  });
});

describe("input.value", () => {
  it.each([
    { mime: "application/json", value: "[1, 2]", inputs: [1, 2] },
    { mime: "application/json", value: '"quoted"', inputs: "quoted" },
    { mime: "application/json", value: "not JSON", inputs: "not JSON" },
    { mime: "text/plain", value: '{"a":1}', inputs: '{"a":1}' },
    { mime: undefined, value: '{"a":1}', inputs: { a: 1 } },
    { mime: undefined, value: "12", inputs: "12" },
    { mime: undefined, value: "{unclosed", inputs: "{unclosed" },
  ])("$value of type $mime is $inputs", ({ mime, value, inputs }) => {
    const { record } = mapped({ "input.value": value, ...(mime && { "input.mime_type": mime }) });
    expect(record.content.inputs).toEqual(inputs);
  });
});

describe("output.value", () => {
  it("gives way to the messages when it is empty, as of a streamed tool call", () => {
    const { record } = mapped({
      "openinference.span.kind": "LLM",
      "output.value": "",
      "output.mime_type": "text/plain",
      "llm.output_messages.0.message.content": "",
      "llm.output_messages.0.message.role": "assistant",
      "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "find",
    });
    expect(record.content).toEqual({
      inputs: null,
      internals: null,
      outputs: {
        messages: [
          { content: "", role: "assistant", tool_calls: [{ function: { name: "find" } }] },
        ],
      },
    });
    expect(record.metadata.attributes).toMatchObject({ "output.value": "" });
  });

  it("is an empty text where there is nothing else", () => {
    const { record } = mapped({ "output.value": "", "output.mime_type": "text/plain" });
    expect(record.content.outputs).toBe("");
  });
});

describe("other kinds", () => {
  it("gives a retriever its documents as outputs", () => {
    const { record } = mapped({
      "openinference.span.kind": "RETRIEVER",
      "input.value": "what is agate?",
      "retrieval.documents.0.document.id": "d1",
      "retrieval.documents.0.document.content": "A stone.",
      "retrieval.documents.0.document.score": 0.9,
      "retrieval.documents.0.document.metadata": '{"page":3}',
      "retrieval.documents.1.document.content": "Layered.",
    });
    expect(record.spankind).toBe("RETRIEVER");
    expect(record.content.inputs).toBe("what is agate?");
    expect(record.content.outputs).toEqual({
      documents: [
        { id: "d1", content: "A stone.", score: 0.9, metadata: { page: 3 } },
        { content: "Layered." },
      ],
    });
  });

  it("gives an embedding its vectors as outputs", () => {
    // As the OpenAI instrumentation sends them.
    const { record } = mapped({
      "openinference.span.kind": "EMBEDDING",
      "embedding.model_name": "text-embedding-3-small",
      "input.value": '["hello","you"]',
      "input.mime_type": "application/json",
      "llm.system": "openai",
      "embedding.embeddings.0.embedding.text": "hello",
      "embedding.embeddings.1.embedding.text": "you",
      "embedding.embeddings.0.embedding.vector": [0.1, 0.2],
    });
    expect(record.spankind).toBe("EMBEDDING");
    expect(record.metadata.model).toBe("text-embedding-3-small");
    expect(record.content).toEqual({
      inputs: ["hello", "you"],
      internals: null,
      outputs: { embeddings: [{ text: "hello", vector: [0.1, 0.2] }, { text: "you" }] },
    });
  });

  it("keeps a kind that has no counterpart among the attributes", () => {
    const { record } = mapped({ "openinference.span.kind": "OTHER" });
    expect(record.spankind).toBe("UNKNOWN");
    expect(record.metadata.attributes).toEqual({ "openinference.span.kind": "OTHER" });
  });
});

describe("indexed attributes that do not fit a nesting", () => {
  it("stay as they are when they contradict each other", () => {
    const contradiction = {
      "llm.input_messages.0.message": "text",
      "llm.input_messages.0.message.role": "user",
    };
    expect(mapped(contradiction).record.metadata.attributes).toEqual(contradiction);
  });

  it("keep their place beside a gap, and their key when the index is out of reach", () => {
    const gap = mapped({
      "llm.input_messages.0.message.role": "a",
      "llm.input_messages.2.message.role": "c",
    });
    expect(gap.record.content.inputs).toEqual({ messages: [{ role: "a" }, null, { role: "c" }] });
    const far = mapped({ "llm.input_messages.99999999.message.role": "z" });
    expect(far.record.content.inputs).toEqual({
      messages: { "99999999": { message: { role: "z" } } },
    });
  });

  it("are plain attributes when they go too deep or have no index", () => {
    const attributes = {
      [`llm.input_messages.0${".a".repeat(5000)}`]: "deep",
      "llm.input_messages.first.role": "user",
    };
    expect(mapped(attributes).record.metadata.attributes).toEqual(attributes);
  });
});

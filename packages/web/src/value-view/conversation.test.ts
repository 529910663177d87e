import { describe, expect, it } from "vitest";
import { readConversation } from "./conversation.ts";

const text = (words: string) => ({ kind: "text", text: words });

function turns(value: unknown) {
  return readConversation(value)?.messages.map(({ role, parts }) => [role, parts]);
}

describe("a conversation", () => {
  it("is read from OpenTelemetry's parts, with its instructions first", () => {
    const value = {
      messages: [
        {
          role: "user",
          parts: [
            { type: "text", content: "Hi" },
            {
              type: "uri",
              modality: "image",
              mime_type: "image/png",
              uri: "https://a.example/b.png",
            },
            { type: "blob", modality: "audio", content: "AAAA" },
          ],
        },
        {
          role: "assistant",
          parts: [
            { type: "reasoning", content: "Hm." },
            { type: "tool_call", id: "c1", name: "weather", arguments: { city: "Berne" } },
          ],
          finish_reason: "tool_calls",
        },
        { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "sunny" }] },
      ],
      system_instructions: [{ type: "text", content: "Be brief." }],
      tools: [{ name: "weather" }],
    };
    expect(turns(value)).toEqual([
      ["system", [text("Be brief.")]],
      [
        "user",
        [
          text("Hi"),
          {
            kind: "media",
            what: "Image",
            about: ["image/png", "https://a.example/b.png"],
          },
          { kind: "media", what: "Audio", about: ["4 characters"] },
        ],
      ],
      [
        "assistant",
        [
          { kind: "reasoning", text: "Hm." },
          { kind: "tool-call", name: "weather", id: "c1", arguments: { city: "Berne" } },
        ],
      ],
      ["tool", [{ kind: "tool-result", name: null, id: "c1", result: "sunny" }]],
    ]);
    const { messages, rest } = readConversation(value)!;
    expect(messages[2]!.rest).toEqual({ finish_reason: "tool_calls" });
    expect(rest).toEqual({ tools: [{ name: "weather" }] });
  });

  it("is read from OpenAI's messages", () => {
    const value = [
      { role: "developer", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(50)}` } },
        ],
      },
      {
        role: "assistant",
        content: null,
        refusal: null,
        tool_calls: [
          { id: "c1", type: "function", function: { name: "look", arguments: '{"at":[1]}' } },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: '{"seen":"a stone"}' },
    ];
    expect(turns(value)).toEqual([
      ["system", [text("Be brief.")]],
      [
        "user",
        [
          text("What is this?"),
          { kind: "media", what: "Image", about: ["image/png, 72 characters"] },
        ],
      ],
      ["assistant", [{ kind: "tool-call", name: "look", id: "c1", arguments: { at: [1] } }]],
      ["tool", [{ kind: "tool-result", name: null, id: "c1", result: { seen: "a stone" } }]],
    ]);
    expect(readConversation(value)!.messages[0]!.recordedRole).toBe("developer");
  });

  it("is read from OpenAI's choices, and keeps what came with them", () => {
    const value = {
      id: "chatcmpl-1",
      choices: [
        { index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hello!" } },
      ],
    };
    const { messages, rest } = readConversation(value)!;
    expect(messages).toEqual([
      {
        role: "assistant",
        recordedRole: "assistant",
        parts: [text("Hello!")],
        rest: { index: 0, finish_reason: "stop" },
      },
    ]);
    expect(rest).toEqual({ id: "chatcmpl-1" });
  });

  it("is read from OpenAI's items", () => {
    const value = {
      instructions: "Be brief.",
      input: [
        { role: "user", content: [{ type: "input_text", text: "Hi" }] },
        { type: "reasoning", summary: [{ type: "summary_text", text: "Hm." }] },
        { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
        { type: "function_call_output", call_id: "c1", output: "a stone" },
      ],
    };
    expect(turns(value)).toEqual([
      ["system", [text("Be brief.")]],
      ["user", [text("Hi")]],
      ["assistant", [{ kind: "reasoning", text: "Hm." }]],
      ["assistant", [{ kind: "tool-call", name: "look", id: "c1", arguments: {} }]],
      ["tool", [{ kind: "tool-result", name: null, id: "c1", result: "a stone" }]],
    ]);
  });

  it("is read from Anthropic's blocks", () => {
    const value = {
      system: "Be brief.",
      messages: [
        { role: "user", content: "Weather?" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "x" },
            { type: "tool_use", id: "t1", name: "weather", input: { city: "Berne" } },
          ],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "sunny" }] },
      ],
    };
    expect(turns(value)).toEqual([
      ["system", [text("Be brief.")]],
      ["user", [text("Weather?")]],
      [
        "assistant",
        [
          { kind: "reasoning", text: "Hm." },
          { kind: "tool-call", name: "weather", id: "t1", arguments: { city: "Berne" } },
        ],
      ],
      ["user", [{ kind: "tool-result", name: null, id: "t1", result: "sunny" }]],
    ]);
    const answer = { id: "msg_1", role: "assistant", content: [{ type: "text", text: "Sunny." }] };
    expect(turns(answer)).toEqual([["assistant", [text("Sunny.")]]]);
    expect(readConversation(answer)!.rest).toEqual({ id: "msg_1" });
  });

  it("is read from the AI SDK's messages and answers", () => {
    const messages = [
      { role: "user", content: [{ type: "text", text: "Weather?" }] },
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c1", toolName: "weather", input: { a: 1 } }],
      },
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "c1",
            toolName: "weather",
            output: { type: "json", value: { sky: "sunny" } },
          },
        ],
      },
    ];
    expect(turns({ messages, tool_choice: { type: "auto" } })).toEqual([
      ["user", [text("Weather?")]],
      ["assistant", [{ kind: "tool-call", name: "weather", id: "c1", arguments: { a: 1 } }]],
      ["tool", [{ kind: "tool-result", name: "weather", id: "c1", result: { sky: "sunny" } }]],
    ]);
    const answer = { text: "", tool_calls: [{ toolCallId: "c1", toolName: "weather", input: {} }] };
    expect(turns(answer)).toEqual([
      ["assistant", [{ kind: "tool-call", name: "weather", id: "c1", arguments: {} }]],
    ]);
  });

  it("is read from OpenInference's messages, asked and answered, gaps and all", () => {
    const value = {
      input_messages: [
        { role: "user", contents: [{ type: "text", text: "Weather?" }] },
        null,
        { role: "assistant", tool_calls: [{ id: "c0", function: { name: "w", arguments: "{}" } }] },
      ],
      output_messages: [{ role: "assistant", content: "Sunny." }],
    };
    expect(turns(value)).toEqual([
      ["user", [text("Weather?")]],
      ["assistant", [{ kind: "tool-call", name: "w", id: "c0", arguments: {} }]],
      ["assistant", [text("Sunny.")]],
    ]);
  });

  it("is read from older events, whose choices have their message inside", () => {
    const value = {
      messages: [
        { role: "assistant", index: 0, finish_reason: "stop", message: { content: "Hello" } },
      ],
    };
    expect(turns(value)).toEqual([["assistant", [text("Hello")]]]);
  });

  it("is read from Genkit's messages and its answer", () => {
    const call = { toolRequest: { name: "find_stone", ref: "call_1", input: { colour: "blue" } } };
    const result = { toolResponse: { name: "find_stone", ref: "call_1", output: "a blue agate" } };
    const asked = readConversation({
      messages: [
        { role: "user", content: [{ text: "Which stone is blue?" }] },
        { role: "model", content: [call] },
        { role: "tool", content: [result] },
      ],
      config: { temperature: 0.5 },
    });
    expect(asked?.messages.map(({ role, parts }) => [role, parts[0]])).toEqual([
      ["user", { kind: "text", text: "Which stone is blue?" }],
      [
        "assistant",
        { kind: "tool-call", name: "find_stone", id: "call_1", arguments: { colour: "blue" } },
      ],
      ["tool", { kind: "tool-result", name: "find_stone", id: "call_1", result: "a blue agate" }],
    ]);
    const message = { role: "model", content: [{ reasoning: "Hm." }, { text: "Agate." }] };
    const answered = readConversation({ finishReason: "stop", message, usage: {} });
    expect(answered?.messages[0]?.parts).toEqual([
      { kind: "reasoning", text: "Hm." },
      { kind: "text", text: "Agate." },
    ]);
  });

  it("is read from Gemini's contents and candidates", () => {
    const asked = {
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [
        {
          role: "user",
          parts: [{ text: "Hi" }, { inlineData: { mimeType: "image/png", data: "AA" } }],
        },
        { role: "model", parts: [{ functionCall: { name: "look", args: { at: 1 } } }] },
      ],
    };
    expect(turns(asked)).toEqual([
      ["system", [text("Be brief.")]],
      [
        "user",
        [text("Hi"), { kind: "media", what: "Image", about: ["image/png", "2 characters"] }],
      ],
      ["assistant", [{ kind: "tool-call", name: "look", id: null, arguments: { at: 1 } }]],
    ]);
    const answered = { candidates: [{ content: { role: "model", parts: [{ text: "Hello" }] } }] };
    expect(turns(answered)).toEqual([["assistant", [text("Hello")]]]);
  });

  it("is read from LangChain's messages, also as it serialises them", () => {
    const call = { id: "c1", name: "weather", args: { city: "Berne" }, type: "tool_call" };
    const messages = [
      { type: "human", content: "Hi", additional_kwargs: {} },
      { type: "ai", content: "", tool_calls: [call] },
      { type: "tool", content: "sunny", tool_call_id: "c1" },
    ];
    const expected = [
      ["user", [text("Hi")]],
      [
        "assistant",
        [{ kind: "tool-call", name: "weather", id: "c1", arguments: { city: "Berne" } }],
      ],
      ["tool", [{ kind: "tool-result", name: null, id: "c1", result: "sunny" }]],
    ];
    expect(turns({ messages })).toEqual(expected);
    const serialised = messages.map((kwargs) => ({ lc: 1, type: "constructor", id: [], kwargs }));
    expect(turns({ messages: [serialised] })).toEqual(expected);
  });

  it("is read from LangChain's classes in JavaScript, and from its generations", () => {
    const message = (name: string, content: string) => ({
      lc: 1,
      type: "constructor",
      id: ["langchain_core", "messages", name],
      kwargs: { content, additional_kwargs: {} },
    });
    expect(
      turns({ messages: [[message("SystemMessage", "Be brief."), message("HumanMessage", "Hi")]] }),
    ).toEqual([
      ["system", [text("Be brief.")]],
      ["user", [text("Hi")]],
    ]);
    const answer = { text: "Hello", message: message("AIMessageChunk", "Hello") };
    expect(turns({ generations: [[answer]], llmOutput: {} })).toEqual([
      ["assistant", [text("Hello")]],
    ]);
  });

  it("is read from a request of OpenAI's Responses API with one question", () => {
    expect(turns({ model: "gpt-5", input: "Hi", instructions: "Be brief." })).toEqual([
      ["system", [text("Be brief.")]],
      ["user", [text("Hi")]],
    ]);
  });

  it("is read from Bedrock's blocks and its answer", () => {
    const asked = {
      system: [{ text: "Be brief." }],
      messages: [
        { role: "user", content: [{ text: "Hi" }, { image: { format: "png", source: {} } }] },
        {
          role: "assistant",
          content: [{ toolUse: { toolUseId: "t1", name: "look", input: { at: 1 } } }],
        },
        {
          role: "user",
          content: [{ toolResult: { toolUseId: "t1", content: [{ text: "a cat" }] } }],
        },
      ],
    };
    expect(turns(asked)).toEqual([
      ["system", [text("Be brief.")]],
      ["user", [text("Hi"), { kind: "media", what: "Image", about: ["png"] }]],
      ["assistant", [{ kind: "tool-call", name: "look", id: "t1", arguments: { at: 1 } }]],
      ["user", [{ kind: "tool-result", name: null, id: "t1", result: "a cat" }]],
    ]);
    const answered = { output: { message: { role: "assistant", content: [{ text: "A cat." }] } } };
    expect(turns(answered)).toEqual([["assistant", [text("A cat.")]]]);
  });

  it("shows the words of a result that is written in parts, and others as they are", () => {
    const result = (content: unknown) => [
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content }] },
    ];
    const shown = (value: unknown) => [
      ["user", [{ kind: "tool-result", name: null, id: "t", result: value }]],
    ];
    const words = [
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ];
    expect(turns(result(words))).toEqual(shown("one\n\ntwo"));
    const mixed = [...words, { type: "image", source: { type: "base64", data: "AA" } }];
    expect(turns(result(mixed))).toEqual(shown(mixed));
    expect(turns(result([{ id: 1 }]))).toEqual(shown([{ id: 1 }]));
  });

  it("shows unknown parts as they are", () => {
    const part = { type: "hologram", data: 1 };
    expect(turns([{ role: "user", content: [part, 7] }])).toEqual([
      [
        "user",
        [
          { kind: "other", value: part },
          { kind: "other", value: 7 },
        ],
      ],
    ]);
  });
});

describe("no conversation", () => {
  it.each([
    ["a text called input without a model", { input: "Hi", limit: 3 }],
    [
      "an object of LangChain that is no message",
      { lc: 1, id: ["a", "Document"], kwargs: { content: "x" } },
    ],
    ["a text", "hello"],
    ["null", null],
    ["an empty list", []],
    ["an object", { question: "What?" }],
    ["people with roles", [{ role: "user", name: "Ada" }]],
    ["unknown roles", [{ role: "gardener", content: "green" }]],
    ["messages of something else", { messages: ["a", "b"] }],
    ["a list that is one in part", [{ role: "user", content: "Hi" }, { id: 1 }]],
    ["an answer that is a text alone", { text: "Hi" }],
    ["an output that is a number", { input: [1, 2], output: 3 }],
  ])("%s is none", (_, value) => {
    expect(readConversation(value)).toBeNull();
  });
});

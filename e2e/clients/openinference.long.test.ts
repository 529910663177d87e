import { toolCalls } from "@agate/sdk/evals";
import { OpenAIInstrumentation } from "@arizeai/openinference-instrumentation-openai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../running-server.ts";
import { startServer } from "../running-server.ts";
import type { FakeOpenAi } from "./fake-openai.ts";
import { startFakeOpenAi, VECTORS } from "./fake-openai.ts";
import { askWithTool, MODEL, streamAnswer, TOOLS } from "./openai-calls.ts";
import { outline } from "./read-back.ts";
import type { TracedApplication } from "./traced-application.ts";
import { startTracedApplication } from "./traced-application.ts";

const FIND_STONE = {
  name: "find_stone",
  arguments: { colour: "blue", bands: 3 },
  result: undefined,
};
const CHAT = "OpenAI Chat Completions";
const USAGE = {
  input_tokens: 100,
  output_tokens: 20,
  total_tokens: 120,
  cached_input_tokens: 60,
  reasoning_tokens: 8,
};
// 40 at $0.15 per million, 60 at $0.075, 20 at $0.60.
const COST = 0.0000225;

describe("the OpenAI client, instrumented by OpenInference", () => {
  let server: RunningServer;
  let openai: FakeOpenAi;
  let application: TracedApplication;
  let client: OpenAI;

  beforeAll(async () => {
    server = await startServer();
    openai = await startFakeOpenAi();
    application = startTracedApplication(server.url);
    const instrumentation = new OpenAIInstrumentation({ tracerProvider: application.provider });
    instrumentation.manuallyInstrument(OpenAI);
    client = new OpenAI({ apiKey: "none", baseURL: openai.baseUrl, maxRetries: 0 });
  });
  afterAll(async () => {
    await application[Symbol.asyncDispose]();
    await openai[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it("records a chat: request, answer, parameters, tokens, cost", async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "What is agate?" },
    ];
    let answer: unknown;
    const attributes = {
      "openinference.span.kind": "CHAIN",
      "input.value": "What is agate?",
      "session.id": "s-1",
      "user.id": "u-1",
    };
    const top = await application.trace("answer", attributes, async (span) => {
      const request = { model: MODEL, temperature: 0.2, max_tokens: 50, messages };
      const completion = await client.chat.completions.create(request);
      answer = completion;
      span.setAttribute("output.value", completion.choices[0]?.message.content ?? "");
    });

    expect(outline(top)).toBe(`CHAIN answer\n  LLM ${CHAT}`);
    expect(top).toMatchObject({
      user_id: "u-1",
      parent_span_id: null,
      content: { inputs: "What is agate?", outputs: "Agate: What is agate?" },
      metadata: {
        session_id: "s-1",
        application: "geology-bot",
        usage: null,
        cost: null,
        total: { usage: USAGE, cost: COST },
      },
    });
    expect(top.children?.[0]).toMatchObject({
      parent_span_id: top.id,
      status: "OK",
      content: {
        inputs: { model: MODEL, temperature: 0.2, max_tokens: 50, messages },
        internals: {
          input_messages: messages,
          output_messages: [{ role: "assistant", content: "Agate: What is agate?" }],
        },
        outputs: JSON.parse(JSON.stringify(answer)),
      },
      config: { model: MODEL, temperature: 0.2, max_tokens: 50 },
      metadata: {
        model: "gpt-4o-mini-2024-07-18",
        provider: "openai",
        usage: USAGE,
        cost: COST,
        total: { usage: USAGE, cost: COST },
      },
    });
  });

  it("records both calls around a tool, and adds them up", async () => {
    let answer: string | null = null;
    const top = await application.trace("find", {}, async () => {
      answer = await askWithTool(client);
    });

    expect(answer).toBe('Agate: {"stone":"blue agate"}');
    expect(outline(top)).toBe(`UNKNOWN find\n  LLM ${CHAT}\n  LLM ${CHAT}`);
    const [asked, told] = top.children ?? [];
    const call = {
      id: "call_1",
      function: { name: "find_stone", arguments: '{"colour":"blue","bands":3}' },
    };
    expect(asked?.content).toMatchObject({
      inputs: { tools: TOOLS, messages: [{ role: "user", content: "Which stone is blue?" }] },
      internals: { tools: [{ json_schema: TOOLS[0] }], output_messages: [{ tool_calls: [call] }] },
      outputs: { choices: [{ finish_reason: "tool_calls", message: { tool_calls: [call] } }] },
    });
    expect(told?.content).toMatchObject({
      inputs: {
        messages: [
          { role: "user" },
          { role: "assistant", tool_calls: [call] },
          { role: "tool", tool_call_id: "call_1", content: '{"stone":"blue agate"}' },
        ],
      },
      outputs: { choices: [{ message: { content: answer } }] },
    });
    expect(toolCalls(top)).toEqual([FIND_STONE]);
    expect(top.metadata.total).toEqual({
      usage: {
        input_tokens: 200,
        output_tokens: 40,
        total_tokens: 240,
        cached_input_tokens: 120,
        reasoning_tokens: 16,
      },
      cost: 2 * COST,
    });
  });

  it("records a streamed answer as the text that the reader put together", async () => {
    let answer = "";
    const top = await application.trace("stream", {}, async () => {
      const ended = application.nextEnd(CHAT);
      answer = await streamAnswer(client);
      await ended;
    });

    expect(answer).toBe("Agate: What is agate?");
    expect(top.children).toHaveLength(1);
    expect(top.children?.[0]).toMatchObject({
      spankind: "LLM",
      content: {
        inputs: { stream: true, messages: [{ role: "user", content: "What is agate?" }] },
        outputs: answer,
      },
      // This instrumentation reads no tokens from a stream: unknown is not 0.
      metadata: { model: MODEL, usage: null, cost: null },
    });
  });

  it("records a tool call that was streamed in pieces", async () => {
    const top = await application.trace("stream a tool call", {}, async () => {
      const ended = application.nextEnd(CHAT);
      await streamAnswer(client, { tools: TOOLS });
      await ended;
    });
    const call = { name: "find_stone", arguments: '{"colour":"blue","bands":3}' };
    expect(top.children?.[0]?.content.outputs).toEqual({
      messages: [
        { role: "assistant", content: "", tool_calls: [{ id: "call_1", function: call }] },
      ],
    });
    expect(toolCalls(top)).toEqual([FIND_STONE]);
  });

  it.each([
    { input: "agate", texts: ["agate"] },
    { input: ["agate", "onyx"], texts: ["agate", "onyx"] },
  ])("records the embedding of $input", async ({ input, texts }) => {
    const top = await application.trace("embed", {}, () =>
      client.embeddings.create({ model: "text-embedding-3-small", input }),
    );
    expect(outline(top)).toBe("UNKNOWN embed\n  EMBEDDING OpenAI Embeddings");
    expect(top.children?.[0]).toMatchObject({
      status: "OK",
      content: {
        inputs: input,
        outputs: { embeddings: texts.map((text, index) => ({ text, vector: VECTORS[index] })) },
      },
      metadata: { model: "text-embedding-3-small", provider: "openai" },
    });
  });

  it.each([{ stream: false }, { stream: true }])(
    "records a call of the Responses API, stream: $stream",
    async ({ stream }) => {
      const top = await application.trace("respond", {}, async () => {
        const ended = application.nextEnd("OpenAI Responses");
        const instructions = "Be brief.";
        const response = await client.responses.create({
          model: MODEL,
          instructions,
          input: "What is agate?",
          stream,
        });
        if (Symbol.asyncIterator in response) for await (const _ of response);
        await ended;
      });
      expect(outline(top)).toBe("UNKNOWN respond\n  LLM OpenAI Responses");
      expect(top.children?.[0]).toMatchObject({
        status: "OK",
        content: {
          inputs: { instructions: "Be brief.", input: "What is agate?" },
          internals: {
            input_messages: [
              { role: "system", content: "Be brief." },
              { role: "user", content: "What is agate?" },
            ],
          },
          outputs: {
            status: "completed",
            output: [{ content: [{ type: "output_text", text: "Agate: What is agate?" }] }],
          },
        },
        config: { model: MODEL, instructions: "Be brief." },
        metadata: { model: "gpt-4o-mini-2024-07-18", usage: USAGE, cost: COST },
      });
    },
  );

  it("leaves an error where the application records it", async () => {
    const top = await application.trace("fail", { "openinference.span.kind": "CHAIN" }, () =>
      client.chat.completions.create({
        model: "overloaded",
        messages: [{ role: "user", content: "What is agate?" }],
      }),
    );
    expect(top).toMatchObject({
      spankind: "CHAIN",
      status: "ERROR",
      metadata: {
        status_message: "429 The engine is overloaded.",
        events: [
          {
            name: "exception",
            attributes: { "exception.message": "429 The engine is overloaded." },
          },
        ],
        total: { usage: null, cost: null },
      },
    });
    // This version of the instrumentation does not end the span of a call that the API refuses, so
    // it is never sent. One that does must not be shown as a success.
    for (const call of top.children ?? []) expect(call.status).toBe("ERROR");
  });
});

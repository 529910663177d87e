import { toolCalls } from "@agate/sdk/evals";
import { OpenAIInstrumentation } from "@traceloop/instrumentation-openai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../running-server.ts";
import { startServer } from "../running-server.ts";
import type { FakeOpenAi } from "./fake-openai.ts";
import { startFakeOpenAi } from "./fake-openai.ts";
import { askWithTool, MODEL, streamAnswer, TOOLS } from "./openai-calls.ts";
import { outline } from "./read-back.ts";
import type { TracedApplication } from "./traced-application.ts";
import { startTracedApplication } from "./traced-application.ts";

const FIND_STONE = {
  name: "find_stone",
  arguments: { colour: "blue", bands: 3 },
  result: undefined,
};
const CHAT = `chat ${MODEL}`;
// This instrumentation does not say what came from the cache or was reasoning.
const USAGE = {
  input_tokens: 100,
  output_tokens: 20,
  total_tokens: 120,
  cached_input_tokens: null,
  reasoning_tokens: null,
};
// 100 at $0.15 per million, 20 at $0.60.
const COST = 0.000027;

describe("the OpenAI client, instrumented by OpenLLMetry", () => {
  const instrumentation = new OpenAIInstrumentation();
  let server: RunningServer;
  let openai: FakeOpenAi;
  let application: TracedApplication;
  let client: OpenAI;

  beforeAll(async () => {
    server = await startServer();
    openai = await startFakeOpenAi();
    application = startTracedApplication(server.url);
    instrumentation.setTracerProvider(application.provider);
    instrumentation.manuallyInstrument(OpenAI);
    client = new OpenAI({ apiKey: "none", baseURL: openai.baseUrl, maxRetries: 0 });
  });
  afterAll(async () => {
    await application[Symbol.asyncDispose]();
    await openai[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it("records a chat in a workflow: messages, parameters, tokens, cost", async () => {
    const attributes = {
      // What its own SDK puts on the span around a function.
      "traceloop.span.kind": "workflow",
      "traceloop.entity.name": "answer",
      "traceloop.entity.input": '{"args":["What is agate?"],"kwargs":{}}',
      "traceloop.entity.output": '"Agate: What is agate?"',
      "traceloop.association.properties.user_id": "u-1",
      "traceloop.association.properties.session_id": "s-1",
    };
    const top = await application.trace("answer.workflow", attributes, () =>
      client.chat.completions.create({
        model: MODEL,
        temperature: 0.2,
        max_tokens: 50,
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "What is agate?" },
        ],
      }),
    );

    expect(outline(top)).toBe(`WORKFLOW answer.workflow\n  LLM ${CHAT}`);
    expect(top).toMatchObject({
      user_id: "u-1",
      content: {
        inputs: { args: ["What is agate?"], kwargs: {} },
        outputs: "Agate: What is agate?",
      },
      metadata: { session_id: "s-1", usage: null, total: { usage: USAGE, cost: COST } },
    });
    expect(top.children?.[0]).toMatchObject({
      parent_span_id: top.id,
      content: {
        inputs: { messages: [message("system", "Be brief."), message("user", "What is agate?")] },
        internals: null,
        outputs: {
          messages: [{ ...message("assistant", "Agate: What is agate?"), finish_reason: "stop" }],
        },
      },
      config: { model: MODEL, temperature: 0.2, max_tokens: 50 },
      metadata: {
        model: "gpt-4o-mini-2024-07-18",
        provider: "openai",
        usage: USAGE,
        cost: COST,
        total: { usage: USAGE, cost: COST },
        otel: { kind: "CLIENT" },
      },
    });
  });

  it("records both calls around a tool, and adds them up", async () => {
    const top = await application.trace("find", {}, () => askWithTool(client));

    expect(outline(top)).toBe(`UNKNOWN find\n  LLM ${CHAT}\n  LLM ${CHAT}`);
    const [asked, told] = top.children ?? [];
    const call = {
      role: "assistant",
      parts: [
        {
          type: "tool_call",
          id: "call_1",
          name: "find_stone",
          arguments: { colour: "blue", bands: 3 },
        },
      ],
    };
    const response = '{"stone":"blue agate"}';
    const question = message("user", "Which stone is blue?");
    expect(asked?.content).toEqual({
      inputs: { messages: [question], tools: TOOLS },
      internals: null,
      outputs: { messages: [{ ...call, finish_reason: "tool_call" }] },
    });
    expect(told?.content).toEqual({
      inputs: {
        messages: [
          question,
          call,
          { role: "tool", parts: [{ type: "tool_call_response", id: "call_1", response }] },
        ],
        tools: TOOLS,
      },
      internals: null,
      outputs: {
        messages: [{ ...message("assistant", `Agate: ${response}`), finish_reason: "stop" }],
      },
    });
    expect(toolCalls(top)).toEqual([FIND_STONE]);
    expect(top.metadata.total).toMatchObject({
      usage: { input_tokens: 200, output_tokens: 40, total_tokens: 240 },
      cost: 2 * COST,
    });
  });

  it("records a streamed answer", async () => {
    const top = await application.trace("stream", {}, () => streamAnswer(client));
    expect(top.children).toHaveLength(1);
    expect(top.children?.[0]).toMatchObject({
      spankind: "LLM",
      content: {
        inputs: { messages: [message("user", "What is agate?")] },
        outputs: { messages: [message("assistant", "Agate: What is agate?")] },
      },
      metadata: { model: "gpt-4o-mini-2024-07-18", usage: null, cost: null },
    });
  });

  it("prices the tokens that it counts itself in a stream", async () => {
    instrumentation.setConfig({ enrichTokens: true });
    const top = await application.trace("stream and count", {}, () => streamAnswer(client));
    instrumentation.setConfig({});
    const { usage, cost } = top.children?.[0]?.metadata ?? {};
    const { input_tokens: input, output_tokens: output } = usage ?? {};
    expect(input).toBeGreaterThan(0);
    expect(output).toBeGreaterThan(0);
    expect(usage?.total_tokens).toBe(Number(input) + Number(output));
    expect(cost).toBeCloseTo((Number(input) * 0.15 + Number(output) * 0.6) / 1e6, 12);
    expect(top.metadata.total).toEqual({ usage, cost });
  });

  it("records a tool call that was streamed in pieces", async () => {
    const top = await application.trace("stream a tool call", {}, () =>
      streamAnswer(client, { tools: TOOLS }),
    );
    expect(top.children?.[0]?.content.outputs).toMatchObject({
      messages: [
        {
          finish_reason: "tool_call",
          parts: [{ name: "find_stone", arguments: { colour: "blue", bands: 3 } }],
        },
      ],
    });
    expect(toolCalls(top)).toEqual([FIND_STONE]);
  });

  it("records a call of the Responses API", async () => {
    const top = await application.trace("respond", {}, () =>
      client.responses.create({ model: MODEL, max_output_tokens: 50, input: "What is agate?" }),
    );
    expect(outline(top)).toBe(`UNKNOWN respond\n  LLM ${CHAT}`);
    expect(top.children?.[0]).toMatchObject({
      content: {
        inputs: { messages: [message("user", "What is agate?")] },
        outputs: { messages: [message("assistant", "Agate: What is agate?")] },
      },
      config: { model: MODEL, max_tokens: 50 },
      metadata: { model: "gpt-4o-mini-2024-07-18", usage: USAGE, cost: COST },
    });
  });

  it("records a call that the API refuses as an error", async () => {
    // Of all calls it is only this one whose refusal this version of the instrumentation notices.
    const top = await application.trace("fail", {}, () =>
      client.responses.create({ model: "overloaded", input: "What is agate?", stream: true }),
    );
    expect(outline(top)).toBe("UNKNOWN fail\n  LLM chat overloaded");
    expect(top.status).toBe("ERROR");
    expect(top.children?.[0]).toMatchObject({
      status: "ERROR",
      content: { inputs: { messages: [message("user", "What is agate?")] }, outputs: null },
      config: { model: "overloaded" },
      metadata: {
        status_message: "429 The engine is overloaded.",
        model: "overloaded",
        usage: null,
        cost: null,
        events: [
          {
            name: "exception",
            attributes: { "exception.message": "429 The engine is overloaded." },
          },
        ],
      },
    });
  });
});

function message(role: string, content: string) {
  return { role, parts: [{ type: "text", content }] };
}

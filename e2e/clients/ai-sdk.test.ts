import type { SpanRecord } from "@agate/protocol";
import { toolCalls as toolCallsOf } from "@agate/sdk/evals";
import type { OpenTelemetryOptions } from "@ai-sdk/otel";
import { LegacyOpenTelemetry, OpenTelemetry } from "@ai-sdk/otel";
import type { Telemetry } from "ai";
import {
  embed,
  embedMany,
  generateObject,
  generateText,
  isStepCount,
  Output,
  streamText,
  tool,
} from "ai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { RunningServer } from "../running-server.ts";
import { startServer } from "../running-server.ts";
import {
  chatModel,
  embeddingModel,
  failingModel,
  streamingModel,
  textAnswer,
  toolCalls,
} from "./mock-models.ts";
import { outline, spanNamed, spansOf } from "./read-back.ts";
import type { TracedApplication } from "./traced-application.ts";
import { startTracedApplication } from "./traced-application.ts";

let server: RunningServer;
let application: TracedApplication;
beforeAll(async () => {
  // generateObject is deprecated, and still in use.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  server = await startServer();
  application = startTracedApplication(server.url);
});
afterAll(async () => {
  await application[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** What `registerTelemetry` does for all calls, for one. */
function telemetry(options: OpenTelemetryOptions = {}) {
  return integrated(new OpenTelemetry({ tracer: application.tracer, ...options }));
}

function integrated(integration: OpenTelemetry | LegacyOpenTelemetry) {
  // It brings an `ai` of its own, a little older, whose types TypeScript tells apart.
  return { integrations: [integration as unknown as Telemetry] };
}

const findStone = tool({
  description: "Finds a stone by its colour.",
  inputSchema: z.object({ colour: z.string() }),
  execute: async ({ colour }) => {
    if (colour === "none") throw new Error("no such colour");
    return { stone: `${colour} agate` };
  },
});

describe("the AI SDK", () => {
  it("records generateText: messages, parameters, tokens, cost, each token once", async () => {
    const top = await application.trace("greet", {}, () =>
      generateText({
        model: chatModel(textAnswer("Hello!", 50, 10)),
        instructions: "Be brief.",
        prompt: "Say hello.",
        temperature: 0.3,
        maxOutputTokens: 99,
        telemetry: { ...telemetry({ usage: true }), functionId: "greeter" },
      }),
    );

    expect(outline(top)).toBe(
      [
        "UNKNOWN greet",
        "  AGENT invoke_agent gpt-4o-mini",
        "    TASK step 1",
        "      LLM chat gpt-4o-mini",
      ].join("\n"),
    );
    const content = {
      inputs: {
        messages: [message("user", "Say hello.")],
        system_instructions: [{ type: "text", content: "Be brief." }],
      },
      internals: null,
      outputs: { messages: [{ ...message("assistant", "Hello!"), finish_reason: "stop" }] },
    };
    const figures = {
      usage: {
        input_tokens: 50,
        output_tokens: 10,
        total_tokens: 60,
        cached_input_tokens: 10,
        reasoning_tokens: 2,
      },
      // 40 at $0.15 per million, 10 at $0.075, 10 at $0.60.
      cost: 0.00001275,
    };
    expect(spanNamed(top, "chat gpt-4o-mini")).toMatchObject({
      content,
      config: { model: "gpt-4o-mini", temperature: 0.3, max_tokens: 99 },
      metadata: { model: "gpt-4o-mini-2024-07-18", provider: "openai", ...figures, total: figures },
    });
    // The agent says what the call inside it said, and it still counts once.
    expect(spanNamed(top, "invoke_agent gpt-4o-mini")).toMatchObject({
      parent_span_id: top.id,
      content,
      metadata: {
        usage: figures.usage,
        total: figures,
        attributes: { "gen_ai.agent.name": "greeter" },
      },
    });
    expect(top.metadata.total).toEqual(figures);
  });

  it("records tools among the steps of an agent, and adds the steps up", async () => {
    const top = await application.trace("find", {}, () =>
      generateText({
        model: chatModel(
          toolCalls([["findStone", '{"colour":"blue"}']], 50, 10),
          textAnswer("Agate.", 70, 5),
        ),
        tools: { findStone },
        stopWhen: isStepCount(3),
        prompt: "Which stone is blue?",
        telemetry: telemetry(),
      }),
    );

    expect(outline(top)).toBe(
      [
        "UNKNOWN find",
        "  AGENT invoke_agent gpt-4o-mini",
        "    TASK step 1",
        "      LLM chat gpt-4o-mini",
        "      TOOL execute_tool findStone",
        "    TASK step 2",
        "      LLM chat gpt-4o-mini",
      ].join("\n"),
    );
    expect(spanNamed(top, "execute_tool findStone").content).toEqual({
      inputs: { colour: "blue" },
      internals: null,
      outputs: { stone: "blue agate" },
    });
    const call = {
      type: "tool_call",
      id: "call-1",
      name: "findStone",
      arguments: { colour: "blue" },
    };
    const response = { stone: "blue agate" };
    expect(toolCallsOf(top)).toEqual([
      { name: "findStone", arguments: { colour: "blue" }, result: { stone: "blue agate" } },
    ]);
    const [asked, told] = modelCalls(top);
    expect(asked?.content).toMatchObject({
      inputs: {
        messages: [message("user", "Which stone is blue?")],
        tools: [{ name: "findStone", description: "Finds a stone by its colour." }],
      },
      outputs: { messages: [{ role: "assistant", parts: [call] }] },
    });
    expect(told?.content).toMatchObject({
      inputs: {
        messages: [
          message("user", "Which stone is blue?"),
          { role: "assistant", parts: [call] },
          { role: "tool", parts: [{ type: "tool_call_response", id: "call-1", response }] },
        ],
      },
      outputs: { messages: [message("assistant", "Agate.")] },
    });
    expectTotalOfCalls(top, { input_tokens: 120, output_tokens: 15, cost: 0.0000255 });
    expect(spanNamed(top, "step 1").metadata.total.usage).toMatchObject({ total_tokens: 60 });
  });

  it("records a tool that fails beside one that does not", async () => {
    const top = await application.trace("find", {}, () =>
      generateText({
        model: chatModel(
          toolCalls(
            [
              ["findStone", '{"colour":"none"}'],
              ["findStone", '{"colour":"red"}'],
            ],
            50,
            10,
          ),
          textAnswer("Only a red one.", 70, 5),
        ),
        tools: { findStone },
        stopWhen: isStepCount(3),
        prompt: "Which stones are there?",
        telemetry: telemetry(),
      }),
    );
    const tools = spansOf(top).filter((span) => span.spankind === "TOOL");
    const byColour = new Map(
      tools.map((span) => [(span.content.inputs as { colour: string }).colour, span]),
    );
    expect(byColour.get("none")).toMatchObject({
      status: "ERROR",
      metadata: {
        status_message: "no such colour",
        events: [{ name: "exception", attributes: { "exception.message": "no such colour" } }],
      },
    });
    expect(byColour.get("red")).toMatchObject({ content: { outputs: { stone: "red agate" } } });
    expect(byColour.get("red")?.status).not.toBe("ERROR");
    expect(tools).toHaveLength(2);
    expect(toolCallsOf(top).map(({ name }) => name)).toEqual(["findStone", "findStone"]);
    expectTotalOfCalls(top, { input_tokens: 120, output_tokens: 15, cost: 0.0000255 });
  });

  it("records streamText as the text that the reader put together", async () => {
    let text = "";
    const top = await application.trace("stream", {}, async () => {
      const ended = application.nextEnd("invoke_agent gpt-4o-mini");
      const { textStream } = streamText({
        model: streamingModel(["Hel", "lo", "!"], 30, 6),
        prompt: "Say hello.",
        telemetry: telemetry(),
      });
      for await (const part of textStream) text += part;
      await ended;
    });

    expect(text).toBe("Hello!");
    const answer = { messages: [message("assistant", text)] };
    expect(spanNamed(top, "invoke_agent gpt-4o-mini").content.outputs).toMatchObject(answer);
    expect(modelCalls(top)).toMatchObject([
      {
        content: { inputs: { messages: [message("user", "Say hello.")] }, outputs: answer },
        metadata: { model: "gpt-4o-mini-2024-07-18" },
      },
    ]);
    expectTotalOfCalls(top, { input_tokens: 30, output_tokens: 6, cost: 0.00000735 });
  });

  it.each(["generateText", "generateObject"])("records structured output of %s", async (name) => {
    const schema = z.object({ stone: z.string() });
    const options = { prompt: "Name a stone.", telemetry: telemetry() };
    const model = chatModel(textAnswer('{"stone":"agate"}', 50, 10));
    let output: unknown;
    const top = await application.trace("structure", {}, async () => {
      output =
        name === "generateText"
          ? (await generateText({ ...options, model, output: Output.object({ schema }) })).output
          : (await generateObject({ ...options, model, schema })).object;
    });
    expect(output).toEqual({ stone: "agate" });
    expect(top.children?.[0]?.spankind).toBe("AGENT");
    const answer = { messages: [message("assistant", '{"stone":"agate"}')] };
    expect(top.children?.[0]?.content.outputs).toMatchObject(answer);
    expect(modelCalls(top)).toMatchObject([
      {
        content: { inputs: { messages: [message("user", "Name a stone.")] }, outputs: answer },
        config: { model: "gpt-4o-mini" },
      },
    ]);
    expectTotalOfCalls(top, { input_tokens: 50, output_tokens: 10, cost: 0.00001275 });
  });

  it("records embeddings, whose calls are added up once", async () => {
    const top = await application.trace("embed", {}, async () => {
      const options = { model: embeddingModel(), telemetry: telemetry({ embedding: true }) };
      await embed({ ...options, value: "agate" });
      await embedMany({ ...options, values: ["agate", "onyx", "jasper"] });
    });

    expect(outline(top)).toBe(
      [
        "UNKNOWN embed",
        "  EMBEDDING embeddings text-embedding-3-small",
        "    EMBEDDING embeddings text-embedding-3-small",
        "  EMBEDDING embeddings text-embedding-3-small",
        "    EMBEDDING embeddings text-embedding-3-small",
        "    EMBEDDING embeddings text-embedding-3-small",
      ].join("\n"),
    );
    const [one, many] = top.children ?? [];
    expect(one?.content).toEqual({ inputs: "agate", internals: null, outputs: [5, 0.5] });
    expect(many?.content).toEqual({
      inputs: ["agate", "onyx", "jasper"],
      internals: null,
      outputs: [
        [5, 0.5],
        [4, 0.5],
        [6, 0.5],
      ],
    });
    expect(many?.children?.map((call) => call.metadata.usage?.total_tokens).sort()).toEqual([4, 8]);
    // 16 tokens at $0.02 per million.
    expect(top.metadata.total).toMatchObject({
      usage: { input_tokens: 16, total_tokens: 16 },
      cost: 0.00000032,
    });
  });

  it("records a call that fails as an error, from the model to the caller", async () => {
    const top = await application.trace("fail", {}, () =>
      generateText({
        model: failingModel("overloaded"),
        maxRetries: 0,
        prompt: "Say hello.",
        telemetry: telemetry(),
      }),
    );
    expect(spansOf(top)).toHaveLength(4);
    for (const span of spansOf(top)) {
      expect(span).toMatchObject({ status: "ERROR", metadata: { status_message: "overloaded" } });
      expect(span.metadata.events[0]).toMatchObject({ name: "exception" });
    }
    expect(spanNamed(top, "chat gpt-4o-mini").content).toMatchObject({
      inputs: { messages: [message("user", "Say hello.")] },
      outputs: null,
    });
    expect(top.metadata.total).toEqual({ usage: null, cost: null });
  });

  it("takes user and session from the runtime context", async () => {
    const top = await application.trace("greet", {}, () =>
      generateText({
        model: chatModel(textAnswer("Hello!", 50, 10)),
        prompt: "Say hello.",
        runtimeContext: { userId: "u-1", sessionId: "s-1", secret: "x" },
        telemetry: {
          ...telemetry({ runtimeContext: true }),
          includeRuntimeContext: { userId: true, sessionId: true },
        },
      }),
    );
    expect(spanNamed(top, "invoke_agent gpt-4o-mini")).toMatchObject({
      user_id: "u-1",
      metadata: { session_id: "s-1" },
    });
  });
});

describe("the AI SDK with the attributes of version 6", () => {
  const legacy = () => integrated(new LegacyOpenTelemetry({ tracer: application.tracer }));

  it("records an agent with a tool, each token once", async () => {
    const top = await application.trace("find", {}, () =>
      generateText({
        model: chatModel(
          toolCalls([["findStone", '{"colour":"blue"}']], 50, 10),
          textAnswer("Agate.", 70, 5),
        ),
        tools: { findStone },
        stopWhen: isStepCount(3),
        instructions: "Be brief.",
        prompt: "Which stone is blue?",
        temperature: 0.3,
        telemetry: legacy(),
      }),
    );

    expect(outline(top)).toBe(
      [
        "UNKNOWN find",
        "  AGENT ai.generateText",
        "    LLM ai.generateText.doGenerate",
        "      TOOL ai.toolCall",
        "    LLM ai.generateText.doGenerate",
      ].join("\n"),
    );
    const call = { toolCallId: "call-1", toolName: "findStone", input: { colour: "blue" } };
    expect(spanNamed(top, "ai.generateText").content).toMatchObject({
      inputs: {
        system: "Be brief.",
        messages: [{ role: "user", content: "Which stone is blue?" }],
      },
      // It gives the calls of all steps beside the text of the last.
      outputs: { text: "Agate.", tool_calls: [call] },
    });
    expect(spanNamed(top, "ai.toolCall").content).toEqual({
      inputs: { colour: "blue" },
      internals: null,
      outputs: { stone: "blue agate" },
    });
    expect(toolCallsOf(top)).toEqual([
      { name: "findStone", arguments: { colour: "blue" }, result: { stone: "blue agate" } },
    ]);
    const [asked, told] = modelCalls(top);
    expect(asked).toMatchObject({
      content: {
        inputs: {
          messages: [
            { role: "system", content: "Be brief." },
            { role: "user", content: [{ type: "text", text: "Which stone is blue?" }] },
          ],
          tools: [{ type: "function", name: "findStone" }],
        },
      },
      config: { model: "gpt-4o-mini", temperature: 0.3 },
      metadata: { model: "gpt-4o-mini-2024-07-18", provider: "openai.chat" },
    });
    expect(asked?.content.outputs).toEqual({ text: "", tool_calls: [call] });
    expect(told?.content.outputs).toBe("Agate.");
    expectTotalOfCalls(top, { input_tokens: 120, output_tokens: 15, cost: 0.0000255 });
  });

  it("records a stream and an embedding", async () => {
    const top = await application.trace("both", {}, async () => {
      const ended = application.nextEnd("ai.streamText");
      const model = streamingModel(["Hel", "lo"], 30, 6);
      const { textStream } = streamText({ model, prompt: "Say hello.", telemetry: legacy() });
      for await (const _ of textStream);
      await ended;
      await embed({ model: embeddingModel(), value: "agate", telemetry: legacy() });
    });
    expect(outline(top)).toBe(
      [
        "UNKNOWN both",
        "  AGENT ai.streamText",
        "    LLM ai.streamText.doStream",
        "  CHAIN ai.embed",
        "    EMBEDDING ai.embed.doEmbed",
      ].join("\n"),
    );
    expect(spanNamed(top, "ai.streamText.doStream").content.outputs).toBe("Hello");
    expect(spanNamed(top, "ai.embed").content).toMatchObject({
      inputs: "agate",
      outputs: [5, 0.5],
    });
    expect(top.metadata.total).toMatchObject({
      usage: { input_tokens: 34, output_tokens: 6, total_tokens: 40 },
      cost: 0.00000743,
    });
  });
});

function message(role: string, content: string) {
  return { role, parts: [{ type: "text", content }] };
}

function modelCalls(top: SpanRecord): SpanRecord[] {
  return spansOf(top).filter((span) => span.spankind === "LLM");
}

/** The top's total is what the model calls in it add up to, without the sums that the spans around them carry. */
function expectTotalOfCalls(
  top: SpanRecord,
  expected: { input_tokens: number; output_tokens: number; cost: number },
): void {
  const { cost, ...tokens } = expected;
  const calls = modelCalls(top).map(({ metadata }) => metadata);
  const sum = (field: "input_tokens" | "output_tokens") =>
    calls.reduce((total, { usage }) => total + (usage?.[field] ?? Number.NaN), 0);
  expect({ input_tokens: sum("input_tokens"), output_tokens: sum("output_tokens") }).toEqual(
    tokens,
  );
  expect(top.metadata.total).toMatchObject({
    usage: { ...tokens, total_tokens: tokens.input_tokens + tokens.output_tokens },
    cost,
  });
}

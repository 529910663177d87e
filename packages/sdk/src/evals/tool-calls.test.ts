import type { SpanRecord } from "@agate/protocol";
import {
  type AttributeValue,
  createSpanMapper,
  nestedRecordsText,
  type OtlpSpan,
} from "@agate/spans";
import { shippedPrices } from "@agate/spans/prices";
import { describe, expect, it } from "vitest";
import { NOON, otlpSpan } from "../../../spans/src/record/otlp-span.fixture.ts";
import { checks } from "./checks.ts";
import { toolCalls } from "./tool-calls.ts";

type Attributes = Readonly<Record<string, AttributeValue>>;

/** A span below the top, or below another by its place; later ones start later. */
interface Given extends Partial<Omit<OtlpSpan, "attributes">> {
  readonly attributes: Attributes;
  readonly below?: number;
}

const idOf = (index: number) => (index + 2).toString(16).padStart(16, "0");
const TOP = idOf(-1);

/** The tree that the platform makes of these spans below a route's. */
function traceOf(spans: readonly Given[], top: Attributes = {}): SpanRecord {
  const map = createSpanMapper({ prices: shippedPrices(), projectId: null });
  const stored = [
    map(otlpSpan({ "gen_ai.operation.name": "invoke_workflow", ...top }, { spanId: TOP })),
    ...spans.map(({ attributes, below, ...given }, index) =>
      map(
        otlpSpan(attributes, {
          spanId: idOf(index),
          parentSpanId: below === undefined ? TOP : idOf(below),
          start: { us: NOON + 1000 * (index + 1), nanos: 0 },
          ...given,
        }),
      ),
    ),
  ];
  return JSON.parse(nestedRecordsText(stored)) as SpanRecord;
}

const ASKED = '{"city":"Berne"}';
const BERNE = { name: "weather", arguments: { city: "Berne" }, result: undefined };

describe("TOOL spans", () => {
  it.each<[string, Attributes]>([
    [
      "AI SDK",
      {
        "ai.operationId": "ai.toolCall",
        "ai.toolCall.name": "weather",
        "ai.toolCall.id": "c1",
        "ai.toolCall.args": ASKED,
        "ai.toolCall.result": '{"sky":"sunny"}',
      },
    ],
    [
      "GenAI",
      {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "weather",
        "gen_ai.tool.call.arguments": ASKED,
        "gen_ai.tool.call.result": '{"sky":"sunny"}',
      },
    ],
    [
      "OpenInference",
      {
        "openinference.span.kind": "TOOL",
        "tool.name": "weather",
        "input.value": ASKED,
        "output.value": '{"sky":"sunny"}',
      },
    ],
    [
      "OpenLLMetry",
      {
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": "weather",
        "traceloop.entity.input": `{"args":[${ASKED}],"kwargs":{}}`,
        "traceloop.entity.output": '{"sky":"sunny"}',
      },
    ],
    [
      "OpenLLMetry in Python",
      {
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": "weather",
        "traceloop.entity.input": `{"args":[],"kwargs":${ASKED}}`,
        "traceloop.entity.output": '{"sky":"sunny"}',
      },
    ],
  ])("of %s have name, arguments and result", (_dialect, attributes) => {
    const trace = traceOf([{ attributes, name: "a span's name" }]);
    expect(toolCalls(trace)).toEqual([{ ...BERNE, result: { sky: "sunny" } }]);
  });

  const tool = (name: string): Attributes => ({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
  });
  const step: Attributes = { "gen_ai.operation.name": "agent_step" };

  it("are in the order of their start, wherever they are in the tree", () => {
    const trace = traceOf([
      { attributes: step },
      { attributes: tool("first"), below: 0 },
      { attributes: tool("second"), below: 0 },
      { attributes: step },
      { attributes: tool("third"), below: 3 },
    ]);
    expect(toolCalls(trace).map(({ name }) => name)).toEqual(["first", "second", "third"]);
    expect(toolCalls(trace)[0]).toEqual({ name: "first", arguments: undefined, result: undefined });
  });

  it("come before what models asked for", () => {
    const asked = { "gen_ai.operation.name": "chat", "gen_ai.output.messages": "[]" };
    const trace = traceOf([{ attributes: asked }, { attributes: tool("weather") }]);
    expect(toolCalls(trace)).toHaveLength(1);
  });

  it("that two instrumentations recorded count once; a tool that calls another counts twice", () => {
    const twice = traceOf([
      { attributes: tool("weather") },
      { attributes: { "openinference.span.kind": "TOOL", "tool.name": "weather" }, below: 0 },
      { attributes: tool("geocode"), below: 1 },
    ]);
    expect(toolCalls(twice).map(({ name }) => name)).toEqual(["weather", "geocode"]);
  });

  it("without a name of the tool have the span's", () => {
    const attributes = { "openinference.span.kind": "TOOL" };
    expect(toolCalls(traceOf([{ attributes, name: "search" }]))[0]?.name).toBe("search");
  });
});

describe("tool calls in the answers of models", () => {
  it.each<[string, Attributes]>([
    [
      "the AI SDK, with a text",
      {
        "ai.operationId": "ai.generateText.doGenerate",
        "ai.response.text": "",
        "ai.response.toolCalls": `[{"toolCallId":"c1","toolName":"weather","input":${ASKED}}]`,
      },
    ],
    [
      "the AI SDK, alone and with arguments as a text",
      {
        "ai.operationId": "ai.streamText.doStream",
        "ai.response.toolCalls": JSON.stringify([
          { toolCallId: "c1", toolName: "weather", args: ASKED },
        ]),
      },
    ],
    [
      "GenAI",
      {
        "gen_ai.operation.name": "chat",
        "gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"Let me see"},{"type":"tool_call","id":"c1","name":"weather","arguments":${ASKED}}]}]`,
      },
    ],
    [
      "OpenInference, as messages",
      {
        "openinference.span.kind": "LLM",
        "output.value": "",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "weather",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": ASKED,
      },
    ],
    [
      "OpenInference, with the exact answer of OpenAI",
      {
        "openinference.span.kind": "LLM",
        "output.mime_type": "application/json",
        "output.value": JSON.stringify({
          choices: [
            {
              message: {
                role: "assistant",
                tool_calls: [
                  { id: "c1", type: "function", function: { name: "weather", arguments: ASKED } },
                ],
              },
            },
          ],
        }),
      },
    ],
    [
      "OpenInference, with the exact answer and its messages",
      {
        "openinference.span.kind": "LLM",
        "output.mime_type": "application/json",
        "output.value": '{"content":[{"type":"tool_use","id":"c1","name":"weather","input":{}}]}',
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "weather",
        "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": ASKED,
      },
    ],
    [
      "OpenInference, with the exact answer of Anthropic",
      {
        "openinference.span.kind": "LLM",
        "output.value": `{"content":[{"type":"text","text":"So"},{"type":"tool_use","id":"c1","name":"weather","input":${ASKED}}]}`,
      },
    ],
    [
      "OpenInference, with the exact answer of OpenAI's responses",
      {
        "openinference.span.kind": "LLM",
        "output.value": JSON.stringify({
          output: [
            { type: "reasoning", summary: [] },
            { type: "function_call", call_id: "c1", name: "weather", arguments: ASKED },
          ],
        }),
      },
    ],
    [
      "OpenInference, with the exact answer of Google",
      {
        "openinference.span.kind": "LLM",
        "output.value": `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"weather","args":${ASKED}}}]}}]}`,
      },
    ],
    [
      "OpenLLMetry",
      {
        "traceloop.span.kind": "llm",
        "gen_ai.operation.name": "chat",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.finish_reason": "tool_calls",
        "gen_ai.completion.0.tool_calls.0.id": "c1",
        "gen_ai.completion.0.tool_calls.0.name": "weather",
        "gen_ai.completion.0.tool_calls.0.arguments": ASKED,
      },
    ],
  ])("are read of %s", (_dialect, attributes) => {
    expect(toolCalls(traceOf([{ attributes }]))).toEqual([BERNE]);
  });

  it("that nested model spans repeat count once; ids may repeat, as those of stand-ins do", () => {
    const call: Attributes = {
      "gen_ai.operation.name": "chat",
      "gen_ai.output.messages": `[{"parts":[{"type":"tool_call","id":"c1","name":"weather","arguments":${ASKED}}]}]`,
    };
    const inner = { attributes: call, below: 0 };
    expect(toolCalls(traceOf([{ attributes: call }, inner]))).toEqual([BERNE]);
    expect(toolCalls(traceOf([{ attributes: call }, { attributes: call }]))).toEqual([
      BERNE,
      BERNE,
    ]);
    // The outer span has not recorded the answer: the inner one has.
    const silent = { attributes: { "gen_ai.operation.name": "chat" }, statusCode: 2 };
    expect(toolCalls(traceOf([silent, inner]))).toEqual([BERNE]);
    // A model that an agent below calls is another one.
    const agent = { attributes: { "gen_ai.operation.name": "invoke_agent" }, below: 0 };
    const trace = traceOf([{ attributes: call }, agent, { attributes: call, below: 1 }]);
    expect(toolCalls(trace)).toEqual([BERNE, BERNE]);
  });

  it("are not seen in texts, or in objects that a model wrote; nor in an answer nested too deeply", () => {
    const text = { "gen_ai.operation.name": "chat", "gen_ai.completion": "call weather" };
    const written = {
      "ai.operationId": "ai.generateObject.doGenerate",
      "ai.response.object": '{"name":"weather","arguments":{}}',
    };
    expect(toolCalls(traceOf([{ attributes: text }, { attributes: written }]))).toEqual([]);
    const deep = (levels: number): Attributes => ({
      "openinference.span.kind": "LLM",
      "output.value": `${'{"message":'.repeat(levels)}{"tool_calls":[{"name":"weather"}]}${"}".repeat(levels)}`,
    });
    expect(toolCalls(traceOf([{ attributes: deep(30) }]))).toHaveLength(1);
    expect(() => toolCalls(traceOf([{ attributes: deep(31) }]))).toThrow("nested too deeply");
  });
});

describe("an incomplete trace", () => {
  const tool: Given = {
    attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search" },
  };
  const chat = { "gen_ai.operation.name": "chat" };
  const answered = { ...chat, "gen_ai.output.messages": '[{"role":"assistant","parts":[]}]' };

  it.each<[string, SpanRecord]>([
    ["a parent that is missing", traceOf([{ ...tool, parentSpanId: "00000000000000ff" }])],
    ["a span that has not ended", traceOf([{ ...tool, end: { us: 0, nanos: 0 } }])],
    ["spans that were left out", traceOf([tool], { "ag.trace.left_out_spans": 3 })],
    ["a model's answer that was not recorded", traceOf([{ attributes: chat }])],
    [
      "a model's answer that was cut",
      traceOf([
        {
          attributes: {
            ...chat,
            "gen_ai.completion": '{"truncated":true,"limit":10,"start":"{"}',
          },
        },
      ]),
    ],
    [
      "a model's span that lost attributes",
      traceOf([{ attributes: answered, droppedAttributesCount: 1 }]),
    ],
  ])("with %s throws, and no check passes", async (_why, trace) => {
    expect(() => toolCalls(trace)).toThrow("The trace is incomplete");
    const judged = { trace: () => Promise.resolve(trace) };
    await expect(checks.neverCalls("cancel")(judged)).rejects.toThrow("The trace is incomplete");
  });

  it("is not one whose model failed or answered without a tool", () => {
    expect(toolCalls(traceOf([{ attributes: answered }]))).toEqual([]);
    expect(toolCalls(traceOf([{ attributes: chat, statusCode: 2 }]))).toEqual([]);
    expect(toolCalls(traceOf([]))).toEqual([]);
  });
});

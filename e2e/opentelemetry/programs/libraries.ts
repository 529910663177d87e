// Routes that call models through libraries with instrumentation of their own.
//   --spans given    the libraries are given Agate's tracer provider
//   --spans global   Agate's tracer provider is made the process's own, the libraries are given none
//   --spans setup    the process has a set-up of its own, or gets one from --later, and the libraries use it
import { parseArgs } from "node:util";
import * as ag from "@agate/sdk";
import { OpenTelemetry } from "@ai-sdk/otel";
import { OpenAIInstrumentation as OpenInference } from "@arizeai/openinference-instrumentation-openai";
import { trace } from "@opentelemetry/api";
import { OpenAIInstrumentation as OpenLlmetry } from "@traceloop/instrumentation-openai";
import type { Telemetry } from "ai";
import { generateText, isStepCount, registerTelemetry, streamText, tool } from "ai";
import OpenAI from "openai";
import { z } from "zod";
import { chatModel, streamingModel, textAnswer, toolCalls } from "../../clients/mock-models.ts";
import { streamAnswer } from "../../clients/openai-calls.ts";
import { startTickingClock } from "../../clients/ticking-clock.ts";
import { serveUntilTold } from "./serve-until-told.ts";

const { values } = parseArgs({
  options: {
    spans: { type: "string" },
    openai: { type: "string" },
    later: { type: "string" },
  },
});
startTickingClock();
if (values.later !== undefined) await import(values.later);
const given = values.spans === "given" ? ag.tracerProvider() : undefined;
if (values.spans === "global") trace.setGlobalTracerProvider(ag.tracerProvider());

const tracer = given?.getTracer("ai");
// It brings an `ai` of its own, a little older, whose types TypeScript tells apart.
registerTelemetry(new OpenTelemetry(tracer && { tracer }) as unknown as Telemetry);

const instrumentation = values.openai === "openllmetry" ? new OpenLlmetry() : new OpenInference();
if (given !== undefined) instrumentation.setTracerProvider(given);
instrumentation.manuallyInstrument(OpenAI);
const client = new OpenAI({ maxRetries: 0 });

class AnswerConfig extends ag.BaseModel {
  model = ag.Field(ag.str, { default: "gpt-4o-mini" });
}

const ask = ag.instrument({ name: "ask", kind: "CHAIN" })(
  async (model: string, content: string) => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content }];
    const { choices } = await client.chat.completions.create({ model, messages });
    return choices[0]?.message.content ?? null;
  },
);

export const openai = ag.route(
  "/openai",
  AnswerConfig,
)(async ({ question }: { question: string }, { config }) => ask(config.model, question));

export const openaiStream = ag.route(
  "/openai-stream",
  AnswerConfig,
)(async function* () {
  yield "Hm. ";
  yield await streamAnswer(client);
});

const findStone = ag.instrument({ name: "find stone", kind: "RETRIEVER" })(
  async ({ colour }: { colour: string }) => ({ stone: `${colour} agate` }),
);

export const agent = ag.route(
  "/agent",
  AnswerConfig,
)(async ({ question }: { question: string }) => {
  const model = chatModel(
    toolCalls([["findStone", '{"colour":"blue"}']], 50, 10),
    textAnswer("Agate.", 70, 5),
  );
  const inputSchema = z.object({ colour: z.string() });
  const tools = { findStone: tool({ inputSchema, execute: findStone }) };
  const { text } = await generateText({
    model,
    tools,
    stopWhen: isStepCount(3),
    prompt: question,
  });
  return text;
});

export const aiStream = ag.route(
  "/ai-stream",
  AnswerConfig,
)(async function* ({ question }: { question: string }) {
  const model = streamingModel(["A ", "stone."], 50, 10);
  yield* streamText({ model, prompt: question }).textStream;
});

await serveUntilTold();

// Routes whose libraries meet what must not be recorded: in prompts, tool arguments and errors.
//   --openai openinference|openllmetry    what records the OpenAI client
//   --ai current|legacy                   which attributes the AI SDK writes
//   --spans given|setup                   Agate's tracer provider, or a set-up with its processor
// The options of ag.init come as JSON in OPTIONS.
import { parseArgs } from "node:util";
import * as ag from "@agate/sdk";
import { LegacyOpenTelemetry, OpenTelemetry } from "@ai-sdk/otel";
import { OpenAIInstrumentation as OpenInference } from "@arizeai/openinference-instrumentation-openai";
import { OpenAIInstrumentation as OpenLlmetry } from "@traceloop/instrumentation-openai";
import type { Telemetry } from "ai";
import { embed, generateText, isStepCount, registerTelemetry, streamText, tool } from "ai";
import OpenAI from "openai";
import { z } from "zod";
import {
  chatModel,
  embeddingModel,
  failingModel,
  streamingAgent,
  textAnswer,
  toolCalls,
} from "../../clients/mock-models.ts";
import { askWithTool, streamAnswer, TOOLS } from "../../clients/openai-calls.ts";
import { serveUntilTold } from "./serve-until-told.ts";

const { values } = parseArgs({
  options: {
    openai: { type: "string" },
    ai: { type: "string" },
    spans: { type: "string" },
  },
});
ag.init(JSON.parse(process.env.OPTIONS ?? "{}"));
if (values.spans === "setup") await import("./node-sdk-with-processor.ts");
const given = values.spans === "given" ? ag.tracerProvider() : undefined;

const tracer = given?.getTracer("ai");
const Integration = values.ai === "legacy" ? LegacyOpenTelemetry : OpenTelemetry;
// It brings an `ai` of its own, a little older, whose types TypeScript tells apart.
registerTelemetry(new Integration(tracer && { tracer }) as unknown as Telemetry);

const instrumentation = values.openai === "openllmetry" ? new OpenLlmetry() : new OpenInference();
if (given !== undefined) instrumentation.setTracerProvider(given);
instrumentation.manuallyInstrument(OpenAI);
const client = new OpenAI({ maxRetries: 0 });

class NoConfig extends ag.BaseModel {}

interface Payment {
  readonly question: string;
  readonly cardNumber: string;
  readonly email: string;
}

const inputSchema = z.object({ cardNumber: z.string(), email: z.string() });
const pay = tool({
  inputSchema,
  execute: async (card) => ({ ...card, receipt: JSON.stringify({ paid: card }) }),
});
const refuse = tool({
  inputSchema,
  execute: async (card): Promise<string> => {
    throw new TypeError(`Refused ${JSON.stringify(card)}`);
  },
});
const argsOf = ({ cardNumber, email }: Payment) => JSON.stringify({ cardNumber, email });

ag.route(
  "/agent",
  NoConfig,
)(async (payment: Payment) => {
  const model = chatModel(
    toolCalls([["pay", argsOf(payment)]], 50, 10),
    textAnswer(payment.question, 70, 5),
  );
  const stopWhen = isStepCount(3);
  return (await generateText({ model, tools: { pay }, stopWhen, prompt: payment.question })).text;
});

ag.route(
  "/stream",
  NoConfig,
)(async function* (payment: Payment) {
  const model = streamingAgent(["pay", argsOf(payment)], payment.question.split(" "), 50, 10);
  const stopWhen = isStepCount(3);
  yield* streamText({ model, tools: { pay }, stopWhen, prompt: payment.question }).textStream;
});

ag.route(
  "/refused-tool",
  NoConfig,
)(async (payment: Payment) => {
  const model = chatModel(
    toolCalls([["refuse", argsOf(payment)]], 50, 10),
    textAnswer("No.", 70, 5),
  );
  const stopWhen = isStepCount(3);
  return (await generateText({ model, tools: { refuse }, stopWhen, prompt: payment.question }))
    .text;
});

ag.route(
  "/refused",
  NoConfig,
)(async ({ question }: Payment) => {
  const model = failingModel(`Refused: ${question}`);
  return (await generateText({ model, prompt: question, maxRetries: 0 })).text;
});

ag.route(
  "/embed",
  NoConfig,
)(async ({ question }: Payment) => {
  const { embedding } = await embed({ model: embeddingModel(), value: question });
  return embedding.length;
});

ag.route("/openai", NoConfig)(async ({ question }: Payment) => askWithTool(client, question));

ag.route(
  "/openai-stream",
  NoConfig,
)(async ({ question }: Payment) => {
  const messages = [{ role: "user", content: question }] as const;
  await streamAnswer(client, { messages: [...messages], tools: TOOLS });
  return await streamAnswer(client, { messages: [...messages] });
});

ag.route(
  "/openai-refused",
  NoConfig,
)(async ({ question }: Payment) => {
  const messages = [{ role: "user", content: question }] as const;
  await client.chat.completions.create({ model: "quoting", messages: [...messages] });
});

await serveUntilTold();

import { OpenTelemetry } from "@ai-sdk/otel";
import { OpenAIInstrumentation } from "@arizeai/openinference-instrumentation-openai";
import type { Telemetry } from "ai";
import { generateText } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import OpenAI from "openai";
import { expect, it } from "vitest";
import { startServer } from "../running-server.ts";
import { startFakeOpenAi } from "./fake-openai.ts";
import { textAnswer } from "./mock-models.ts";
import { MODEL } from "./openai-calls.ts";
import { outline, spanNamed } from "./read-back.ts";
import { startTracedApplication } from "./traced-application.ts";

it("counts a call once that two instrumentations record", async () => {
  await using server = await startServer();
  await using openai = await startFakeOpenAi();
  await using application = startTracedApplication(server.url);
  const { provider: tracerProvider, tracer } = application;
  new OpenAIInstrumentation({ tracerProvider }).manuallyInstrument(OpenAI);
  const client = new OpenAI({ apiKey: "none", baseURL: openai.baseUrl });
  // A provider of the AI SDK that goes through the OpenAI client.
  const model = new MockLanguageModelV4({
    provider: "openai.chat",
    modelId: MODEL,
    doGenerate: async () => {
      const { choices } = await client.chat.completions.create({
        model: MODEL,
        messages: [{ role: "user", content: "What is agate?" }],
      });
      return textAnswer(choices[0]?.message.content ?? "", 100, 20);
    },
  });

  const integrations = [new OpenTelemetry({ tracer }) as unknown as Telemetry];
  const top = await application.trace("answer", {}, () =>
    generateText({ model, prompt: "What is agate?", telemetry: { integrations } }),
  );
  expect(outline(top)).toBe(
    [
      "UNKNOWN answer",
      "  AGENT invoke_agent gpt-4o-mini",
      "    TASK step 1",
      "      LLM chat gpt-4o-mini",
      "        LLM OpenAI Chat Completions",
    ].join("\n"),
  );
  expect(spanNamed(top, "chat gpt-4o-mini").metadata.usage).toMatchObject({ input_tokens: 100 });
  // As the one next to the API has it.
  expect(top.metadata.total).toEqual({
    usage: {
      input_tokens: 100,
      output_tokens: 20,
      total_tokens: 120,
      cached_input_tokens: 60,
      reasoning_tokens: 8,
    },
    cost: 0.0000225,
  });
});

import { MockEmbeddingModelV4, MockLanguageModelV4, simulateReadableStream } from "ai/test";

type Generated = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;
type StreamPart =
  Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"] extends ReadableStream<infer Part>
    ? Part
    : never;

const STOP = { unified: "stop", raw: "stop" } as const;
const RESPONSE = { id: "answer-1", modelId: "gpt-4o-mini-2024-07-18", timestamp: new Date(0) };

/** Input tokens of which ten came from the cache, and output tokens of which two were reasoning. */
function usage(input: number, output: number): Generated["usage"] {
  return {
    inputTokens: { total: input, noCache: input - 10, cacheRead: 10, cacheWrite: undefined },
    outputTokens: { total: output, text: output - 2, reasoning: 2 },
  };
}

/** What a model answers with. */
export function textAnswer(text: string, input: number, output: number): Generated {
  return {
    content: [{ type: "text", text }],
    finishReason: STOP,
    usage: usage(input, output),
    response: RESPONSE,
    warnings: [],
  };
}

/** What a model answers with that calls tools: pairs of a tool's name and its JSON arguments. */
export function toolCalls(
  calls: readonly (readonly [string, string])[],
  input: number,
  output: number,
): Generated {
  return {
    ...textAnswer("", input, output),
    content: calls.map(([toolName, args], index) => ({
      type: "tool-call",
      toolCallId: `call-${index + 1}`,
      toolName,
      input: args,
    })),
    finishReason: { unified: "tool-calls", raw: "tool_calls" },
  };
}

/** OpenAI's gpt-4o-mini, as far as the AI SDK and its telemetry can tell. */
export function chatModel(...answers: Generated[]): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    provider: "openai.chat",
    modelId: "gpt-4o-mini",
    doGenerate: answers,
  });
}

/** The same, out of order. */
export function failingModel(message: string): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    provider: "openai.chat",
    modelId: "gpt-4o-mini",
    doGenerate: () => Promise.reject(new Error(message)),
  });
}

/** The same, streaming its words. */
export function streamingModel(
  words: readonly string[],
  input: number,
  output: number,
): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    provider: "openai.chat",
    modelId: "gpt-4o-mini",
    doStream: async () => streamed(streamedWords(words, input, output)),
  });
}

/** The same, which first calls a tool with JSON arguments. */
export function streamingAgent(
  [toolName, args]: readonly [string, string],
  words: readonly string[],
  input: number,
  output: number,
): MockLanguageModelV4 {
  const call: StreamPart = { type: "tool-call", toolCallId: "call-1", toolName, input: args };
  const reason = { unified: "tool-calls", raw: "tool_calls" } as const;
  return new MockLanguageModelV4({
    provider: "openai.chat",
    modelId: "gpt-4o-mini",
    doStream: [
      streamed([
        { type: "stream-start", warnings: [] },
        { type: "response-metadata", ...RESPONSE },
        call,
        { type: "finish", finishReason: reason, usage: usage(input, output) },
      ]),
      streamed(streamedWords(words, input, output)),
    ],
  });
}

function streamedWords(words: readonly string[], input: number, output: number): StreamPart[] {
  return [
    { type: "stream-start", warnings: [] },
    { type: "response-metadata", ...RESPONSE },
    { type: "text-start", id: "1" },
    ...words.map((delta): StreamPart => ({ type: "text-delta", id: "1", delta })),
    { type: "text-end", id: "1" },
    { type: "finish", finishReason: STOP, usage: usage(input, output) },
  ];
}

function streamed(chunks: StreamPart[]) {
  return {
    stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }),
  };
}

/** Embeds a text as its length, for 4 tokens each, two texts a call. */
export function embeddingModel(): MockEmbeddingModelV4 {
  return new MockEmbeddingModelV4({
    provider: "openai.embedding",
    modelId: "text-embedding-3-small",
    maxEmbeddingsPerCall: 2,
    doEmbed: async ({ values }) => ({
      embeddings: values.map((value) => [value.length, 0.5]),
      usage: { tokens: 4 * values.length },
      warnings: [],
    }),
  });
}

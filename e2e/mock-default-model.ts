// Loaded before a program (`--import`), so that the AI SDK's model names lead to a mock.
import { MockLanguageModelV4 } from "ai/test";

const usage = {
  inputTokens: { total: 12, noCache: 12, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 3, text: 3, reasoning: undefined },
};

Object.assign(globalThis, {
  AI_SDK_DEFAULT_PROVIDER: {
    specificationVersion: "v4",
    languageModel: (name: string) => {
      const [provider = "", modelId = ""] = name.split("/");
      return new MockLanguageModelV4({
        provider,
        modelId,
        doGenerate: {
          content: [{ type: "text", text: "A stone." }],
          finishReason: { unified: "stop", raw: "stop" },
          usage,
          warnings: [],
        },
      });
    },
  },
});

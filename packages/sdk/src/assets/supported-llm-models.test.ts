import { shippedPrices } from "@agate/spans/prices";
import { describe, expect, expectTypeOf, it } from "vitest";
import { Field, GroupedMultipleChoice } from "../config/field.ts";
import { supported_llm_models, supportedLlmModels } from "./index.ts";

const PROVIDERS: Readonly<Record<keyof typeof supportedLlmModels, string>> = {
  OpenAI: "openai",
  Anthropic: "anthropic",
  "Google Gemini": "google",
  "Mistral AI": "mistral",
  xAI: "x-ai",
  DeepSeek: "deepseek",
  "Moonshot AI": "moonshotai",
  "Z.ai": "zai",
  MiniMax: "minimax",
  Cohere: "cohere",
  Perplexity: "perplexity",
  Groq: "groq",
  Cerebras: "cerebras",
  "Fireworks AI": "fireworks",
  OpenRouter: "openrouter",
};

const providers = shippedPrices().layers.flatMap((layer) => [...layer.providers]);
const groups = Object.entries(supportedLlmModels) as [keyof typeof PROVIDERS, readonly string[]][];

describe("supportedLlmModels", () => {
  it("has the same content under the contract's name", () => {
    expect(supported_llm_models).toBe(supportedLlmModels);
    expect(supportedLlmModels.OpenAI).toContain("gpt-5-mini");
  });

  it.each(groups)("lists %s's models once, each with a price of its own", (group, models) => {
    const prices = new Map(providers).get(PROVIDERS[group]);
    const unpriced = models.filter((model) => {
      const name = model.toLowerCase();
      return !prices?.exact.has(name) && !prices?.patterns.some((p) => p.pattern.test(name));
    });
    expect(unpriced).toEqual([]);
    expect(models.length).toBeGreaterThan(0);
    expect(new Set(models).size).toBe(models.length);
  });

  it("cannot be changed by one of its users for the others", () => {
    expect(Object.isFrozen(supportedLlmModels)).toBe(true);
    expect(groups.every(([, models]) => Object.isFrozen(models))).toBe(true);
  });

  it("gives the type of a model parameter", () => {
    type Model = (typeof supportedLlmModels)[keyof typeof supportedLlmModels][number];
    const type = GroupedMultipleChoice({ choices: supportedLlmModels });
    expectTypeOf(Field(type, { default: "gpt-5-mini" })).toEqualTypeOf<Model>();
    expectTypeOf<Model>().not.toEqualTypeOf<string>();
    // @ts-expect-error: no such model
    Field(type, { default: "gpt-5-minni" });
  });
});

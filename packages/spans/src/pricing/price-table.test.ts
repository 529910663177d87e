import { describe, expect, it } from "vitest";
import { createPriceLookup } from "./price-lookup.ts";
import { priceOf } from "./price-table.ts";
import { shippedPrices } from "./shipped-prices.ts";

const AT = Date.UTC(2026, 10, 15) * 1000;
const table = shippedPrices();

describe("the shipped table", () => {
  it("is dated", () => {
    expect(table.updated).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  });

  it.each([
    ["openai", "gpt-5-mini", 0.25],
    ["openai", "gpt-5-mini-2025-08-07", 0.25],
    ["OpenAI", " GPT-5-mini ", 0.25],
    ["openai.chat", "gpt-4o", 2.5],
    ["openai.responses", "gpt-4o-2024-11-20", 2.5],
    ["azure", "gpt-4o", 2.5],
    ["azure.ai.openai", "gpt-4o-mini", 0.15],
    ["azure-openai.chat", "gpt-4o-mini", 0.15],
    ["anthropic", "claude-sonnet-4-5", 3],
    ["anthropic.messages", "claude-sonnet-4-5-20250929", 3],
    ["google", "gemini-2.5-flash", 0.3],
    ["gcp.gemini", "models/gemini-2.5-flash", 0.3],
    ["google.generative-ai", "gemini-2.5-flash", 0.3],
    ["vertex_ai", "publishers/google/models/gemini-2.5-flash", 0.3],
    ["google.vertex.chat", "gemini-2.5-flash", 0.3],
    ["gcp.vertex_ai", "claude-sonnet-4-5@20250929", 3],
    ["aws.bedrock", "anthropic.claude-3-5-sonnet-20240620-v1:0", 3],
    ["mistral_ai", "mistral-large-latest", 2],
    ["mistralai", "mistral-large-latest", 2],
    ["cohere", "command-r-plus", 2.5],
    ["x_ai", "grok-4", 3],
    ["openrouter", "openai/gpt-4o", 2.5],
    ["gateway", "openai/gpt-4o", 2.5],
    [null, "openai/gpt-4o", 2.5],
    [null, "gpt-4o", 2.5],
    [null, "claude-sonnet-4-5-20250929", 3],
  ])("knows %s %s", (provider, model, input) => {
    expect(priceOf(table, provider, model, AT)?.input).toBe(input);
  });

  it.each([
    ["openai", "gpt-99"],
    ["openai", ""],
    ["ollama", "gpt-4o"],
    ["mock-provider", "mock-model-id"],
    [null, "llama3:8b"],
    [null, "__proto__"],
    ["constructor", "toString"],
  ])("does not know %s %s", (provider, model) => {
    expect(priceOf(table, provider, model, AT)).toBeNull();
  });

  it("tells prices apart by date", () => {
    const on = (day: string) =>
      priceOf(table, "openai", "gpt-5.6-luna", Date.parse(day) * 1000)?.input;
    expect(on("2026-07-29")).toBe(1);
    expect(on("2026-07-30")).toBe(0.2);
  });
});

describe("a remembered lookup", () => {
  it("says what the table says, also when it had to forget", () => {
    const lookup = createPriceLookup(table);
    for (let round = 0; round < 3; round++) {
      for (let index = 0; index < 1500; index++)
        expect(lookup("openai", `m${index}`, AT)).toBeNull();
      expect(lookup("openai", "gpt-4o", AT)).toEqual(priceOf(table, "openai", "gpt-4o", AT));
      expect(lookup(null, "gpt-4o", AT)).toEqual(priceOf(table, null, "gpt-4o", AT));
    }
  });

  it("tells dates apart for a model that it remembers", () => {
    const lookup = createPriceLookup(table);
    const on = (day: string) => lookup("openai", "gpt-5.6-luna", Date.parse(day) * 1000)?.input;
    expect([on("2026-07-29"), on("2026-07-30"), on("2026-07-29")]).toEqual([1, 0.2, 1]);
  });

  it("does not look for names that no model has", () => {
    expect(createPriceLookup(table)(null, "gpt-4o".repeat(100_000), AT)).toBeNull();
  });
});

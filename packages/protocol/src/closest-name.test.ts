import { describe, expect, it } from "vitest";
import { closestName } from "./closest-name.ts";

const names = ["prompt", "temperature", "maxTokens", "topK"];

describe("closestName", () => {
  it.each([
    ["temprature", "temperature"],
    ["Temperature", "temperature"],
    ["max_tokens", "maxTokens"],
    ["MAX-TOKENS", "maxTokens"],
    ["maxToken", "maxTokens"],
    ["pormpt", "prompt"],
    ["top_k", "topK"],
  ])("knows what %s was meant to be", (written, meant) => {
    expect(closestName(written, names)).toBe(meant);
  });

  it.each(["model", "k", "", "temp", "x".repeat(100_000)])("does not guess at %s", (written) => {
    expect(closestName(written, names)).toBeUndefined();
  });

  it("prefers the closer of two", () => {
    expect(closestName("tempratur", ["tempo", "temperatures", "temperature"])).toBe("temperature");
    expect(closestName("top_p", ["topK", "topP"])).toBe("topP");
  });
});

it.each([
  ["shwo", "show"],
  ["lst", "list"],
  ["promte", "promote"],
  ["roll-back", "rollback"],
  ["support", undefined],
  ["x", undefined],
])("takes the command %s for %s", (written, meant) => {
  expect(closestName(written, ["list", "show", "promote", "rollback", "take-down"])).toBe(meant);
});

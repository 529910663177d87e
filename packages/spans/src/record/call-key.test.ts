import { describe, expect, it } from "vitest";
import { LONGEST_CALL, UNIQUE_ID } from "./call-key.ts";
import { type AttributeObject, mapped, NOON } from "./otlp-span.fixture.ts";

const call = {
  "gen_ai.operation.name": "chat",
  "gen_ai.provider.name": "openai",
  "gen_ai.response.id": "chatcmpl-CkPq8Xw2",
  "gen_ai.usage.input_tokens": 10,
  "gen_ai.usage.output_tokens": 5,
};
const callOf = (attributes: AttributeObject) =>
  mapped({ ...call, ...attributes }).stored.figures?.call;
const keyOf = (attributes: AttributeObject) => callOf(attributes)?.key;

describe("the call that a span reports", () => {
  it("is named by provider and response id, which stays among the attributes", () => {
    const { record, stored } = mapped(call);
    expect(stored.figures?.call).toEqual({ key: "openai chatcmpl-CkPq8Xw2", isCostSent: false });
    expect(record.metadata.attributes).toMatchObject({ "gen_ai.response.id": "chatcmpl-CkPq8Xw2" });
    expect(keyOf({ "gen_ai.response.id": "chatcmpl-CkPq9Xw2" })).not.toBe(keyOf({}));
    expect(keyOf({ "gen_ai.provider.name": "mistral_ai" })).not.toBe(keyOf({}));
  });

  it.each([
    ["openai", "OpenAI", "openai.chat", "openai.responses"],
    ["azure", "azure.ai.openai", "az.ai.openai", "azure-openai.chat"],
    ["aws", "aws.bedrock", "amazon-bedrock", "AWS"],
    ["google", "gcp.vertex_ai", "google.vertex.chat", "gcp.gemini"],
    ["litellm", "langchain", "", "gateway"],
  ])("is the same by each name of %s", (...names) => {
    const keys = names.map((name) => keyOf({ "gen_ai.provider.name": name }));
    expect(new Set(keys).size).toBe(1);
  });

  it("is read from the AI SDK's own attributes too", () => {
    const { stored } = mapped({
      "ai.operationId": "ai.generateText.doGenerate",
      "ai.model.provider": "openai.responses",
      "ai.response.id": "resp_1",
      "ai.usage.inputTokens": 10,
    });
    expect(stored.figures?.call?.key).toBe("openai resp_1");
  });

  it.each([
    ["an agent", { "gen_ai.operation.name": "invoke_agent" }],
    ["an agent with figures of its own", { "ag.span.kind": "AGENT", "ag.usage.input_tokens": 1 }],
    ["a span that wraps the AI SDK's call", { "ai.operationId": "ai.generateText" }],
    ["a call without an id", { "gen_ai.response.id": "" }],
  ])("is unknown of %s", (_, attributes) => {
    expect(callOf(attributes)).toBeUndefined();
  });

  it("has a cost that was sent, or one that was computed", () => {
    const priced = { "gen_ai.request.model": "gpt-5-mini" };
    expect(callOf({ ...priced, "gen_ai.usage.cost": 0.5 })?.isCostSent).toBe(true);
    expect(callOf({ ...priced, "ag.cost": 0 })?.isCostSent).toBe(true);
    expect(callOf({ ...priced, "gen_ai.usage.cost": 0 })?.isCostSent).toBe(false);
    expect(callOf(priced)?.isCostSent).toBe(false);
    expect(callOf({})?.isCostSent).toBe(false);
  });

  it(`has its time with it where the id has fewer than ${UNIQUE_ID} characters`, () => {
    const unique = "x".repeat(UNIQUE_ID);
    expect(callOf({ "gen_ai.response.id": unique })?.during).toBeUndefined();
    const short = { ...call, "gen_ai.response.id": unique.slice(1) };
    expect(callOf(short)?.during).toEqual([NOON, NOON + 1_500_000]);
    const { stored } = mapped(short, { end: { us: 0, nanos: 0 } });
    expect(stored.figures?.call?.during).toEqual([NOON, NOON]);
  });

  it(`has a name of at most ${LONGEST_CALL} characters`, () => {
    const id = "x".repeat(LONGEST_CALL - "openai".length);
    expect(keyOf({ "gen_ai.response.id": id })).toBe(`openai ${id}`);
    expect(keyOf({ "gen_ai.response.id": `${id}x` })).toBeUndefined();
  });
});

import { expect, it } from "vitest";
import { flattened } from "./flattened-attributes.ts";

it("names members of objects and lists by their path, as OpenInference does", () => {
  expect(
    flattened({
      llm: { input_messages: [{ "message.role": "user" }, { message: { role: "tool" } }] },
      "llm.model_name": null,
      "tag.tags": ["a", "b"],
    }),
  ).toEqual({
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.1.message.role": "tool",
    "tag.tags": ["a", "b"],
  });
});

it("keeps what OpenInference writes as JSON", () => {
  const written = { a: { b: 1 } };
  expect(
    flattened({ metadata: written, "tool.parameters": written, input: { value: written } }),
  ).toEqual({
    metadata: '{"a":{"b":1}}',
    "tool.parameters": '{"a":{"b":1}}',
    "input.value": '{"a":{"b":1}}',
  });
});

it("writes what is nested too deep as JSON", () => {
  const nested = (levels: number): unknown => (levels === 0 ? "end" : { a: nested(levels - 1) });
  const path = `a${".a".repeat(16)}`;
  expect(flattened({ a: nested(16) })).toEqual({ [path]: "end" });
  expect(flattened({ a: nested(17) })).toEqual({ [path]: '{"a":"end"}' });
});

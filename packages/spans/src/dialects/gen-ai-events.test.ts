import { expect, it } from "vitest";
import type { AttributeObject } from "../record/otlp-span.fixture.ts";
import { mapped, NOON } from "../record/otlp-span.fixture.ts";

function event(name: string, attributes: AttributeObject) {
  return {
    name,
    time: { us: NOON + 1, nanos: 5 },
    attributes: new Map(Object.entries(attributes)),
    droppedAttributesCount: 0,
  };
}

it("takes messages from an event each, and leaves the events in place", () => {
  const { record } = mapped(
    { "gen_ai.request.model": "gpt-4o" },
    {
      events: [
        event("gen_ai.system.message", { "gen_ai.system": "openai", content: "Be brief." }),
        event("gen_ai.user.message", { content: "Hi" }),
        event("gen_ai.assistant.message", { role: "assistant", tool_calls: '[{"id":"c1"}]' }),
        event("gen_ai.tool.message", { "gen_ai.event.content": '{"role":"tool","id":"c1"}' }),
        event("gen_ai.choice", { index: 0, finish_reason: "stop", message: '{"content":"Hello"}' }),
        event("exception", { "exception.message": "boom" }),
      ],
    },
  );
  expect(record.spankind).toBe("LLM");
  expect(record.content.inputs).toEqual({
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
      { role: "assistant", tool_calls: [{ id: "c1" }] },
      { role: "tool", id: "c1" },
    ],
  });
  expect(record.content.outputs).toEqual({
    messages: [
      { role: "assistant", index: 0, finish_reason: "stop", message: { content: "Hello" } },
    ],
  });
  expect(record.metadata.events).toHaveLength(6);
  expect(record.metadata.events[5]).toEqual({
    name: "exception",
    time: "2026-11-15T12:00:00.000001005Z",
    attributes: { "exception.message": "boom" },
  });
});

it("takes a whole side from one event", () => {
  const old = mapped(
    {},
    {
      events: [
        event("gen_ai.content.prompt", { "gen_ai.prompt": '[{"role":"user","content":"Hi"}]' }),
        event("gen_ai.content.completion", { "gen_ai.completion": "Hello" }),
      ],
    },
  );
  expect(old.record.content.inputs).toEqual([{ role: "user", content: "Hi" }]);
  expect(old.record.content.outputs).toBe("Hello");

  const details = mapped(
    {},
    {
      events: [
        event("gen_ai.client.inference.operation.details", {
          "gen_ai.input.messages": [new Map([["role", "user"]])],
          "gen_ai.output.messages": '[{"role":"assistant"}]',
        }),
      ],
    },
  );
  expect(details.record.content.inputs).toEqual({ messages: [{ role: "user" }] });
  expect(details.record.content.outputs).toEqual({ messages: [{ role: "assistant" }] });
});

it("believes attributes more than events", () => {
  const { record } = mapped(
    { "gen_ai.input.messages": '[{"role":"user"}]' },
    { events: [event("gen_ai.user.message", { content: "from the event" })] },
  );
  expect(record.content.inputs).toEqual({ messages: [{ role: "user" }] });
});

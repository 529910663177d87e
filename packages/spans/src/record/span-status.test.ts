import { describe, expect, it } from "vitest";
import type { OtlpEvent } from "../otlp-span.ts";
import { mapped, otlpSpan } from "./otlp-span.fixture.ts";

const exception = (message: string): OtlpEvent => ({
  name: "exception",
  time: { us: 1, nanos: 0 },
  attributes: new Map([["exception.message", message]]),
  droppedAttributesCount: 0,
});

describe("a span that failed", () => {
  it("has the status's own message before all others", () => {
    const sent = { "error.message": "other" };
    const { record } = mapped(sent, {
      statusCode: 2,
      statusMessage: "overloaded",
      events: [exception("third")],
    });
    expect(record.metadata.status_message).toBe("overloaded");
    expect(record.metadata.attributes).toEqual(sent);
  });

  it("has the message of its last exception where the status has none", () => {
    const events = [exception("first"), exception("last")];
    expect(mapped({}, { statusCode: 2, events }).record.metadata.status_message).toBe("last");
  });

  it("is found by Langfuse's level", () => {
    const { record, stored } = mapped({
      "langfuse.observation.level": "ERROR",
      "langfuse.observation.status_message": "The index is gone.",
    });
    expect(record.status).toBe("ERROR");
    expect(stored.status).toBe("ERROR");
    expect(record.metadata.status_message).toBe("The index is gone.");
  });
});

describe("a run that LangSmith's SDK ends with an exception and status OK", () => {
  const scope = { ...otlpSpan().scope, name: "langsmith" };
  const run = { "langsmith.span.kind": "llm" };
  const events = [exception("overloaded")];

  it.each([
    ["of LangSmith's own tracer", run, { scope }],
    ["of a tracer that was passed to it", { ...run, "langsmith.traceable": "true" }, {}],
  ])("has failed, %s", (_, attributes, overrides) => {
    const { record, stored } = mapped(attributes, { statusCode: 1, events, ...overrides });
    expect(record).toMatchObject({ status: "ERROR", metadata: { status_message: "overloaded" } });
    expect(stored.status).toBe("ERROR");
  });

  it.each([
    ["a span of another tracer with LangSmith's kind", run, { events }],
    ["another span of a tracer of that name", {}, { scope, events }],
    ["a run without an exception", run, { scope, events: [] }],
    ["a run with another event", run, { scope, events: [{ ...exception("no"), name: "retry" }] }],
  ])("is not %s", (_, attributes, overrides) => {
    expect(mapped(attributes, { statusCode: 1, ...overrides }).record.status).toBe("OK");
  });

  it("is not a run that has no status yet", () => {
    expect(mapped(run, { statusCode: 0, scope, events }).record.status).toBe("UNSET");
  });
});

it("has no message of an exception that a span survived", () => {
  const { record } = mapped({}, { statusCode: 1, events: [exception("retried")] });
  expect(record).toMatchObject({ status: "OK", metadata: { status_message: null } });
});

it("keeps Langfuse's message of a warning among the attributes", () => {
  const attributes = {
    "langfuse.observation.level": "WARNING",
    "langfuse.observation.status_message": "slow",
  };
  const { record } = mapped(attributes);
  expect(record).toMatchObject({ status: "UNSET", metadata: { status_message: null, attributes } });
});

describe("kinds and models of other clients", () => {
  it.each([
    ["openinference.span.kind", "PROMPT", "CHAIN"],
    ["gen_ai.operation.name", "embedding", "EMBEDDING"],
    ["gen_ai.operation.name", "RETRIEVER", "RETRIEVER"],
    ["gen_ai.operation.name", "chain", "CHAIN"],
    ["langfuse.observation.type", "span", "WORKFLOW"],
    ["ag.type.node", "completion", "LLM"],
    ["mlflow.spanType", '"CHAT_MODEL"', "LLM"],
  ])("takes %s %s for %s", (name, value, kind) => {
    expect(mapped({ [name]: value }).record.spankind).toBe(kind);
  });

  it("takes a span of Langfuse below another for a task", () => {
    const below = { parentSpanId: "b7ad6b7169203332" };
    expect(mapped({ "langfuse.observation.type": "span" }, below).record.spankind).toBe("TASK");
  });

  it("reads the model out of the parameters where no attribute names it", () => {
    const { record } = mapped({
      "openinference.span.kind": "LLM",
      "llm.invocation_parameters": '{"model_name":"gpt-4o-mini","temperature":0}',
      "llm.token_count.prompt": 1000,
      "llm.token_count.completion": 200,
    });
    expect(record.metadata).toMatchObject({ model: "gpt-4o-mini", cost: 0.00027 });
  });

  it("reads the user of the request", () => {
    const { record } = mapped({ "gen_ai.request.user": "u-1" });
    expect(record.user_id).toBe("u-1");
    expect(record.metadata.attributes).toEqual({});
  });
});

import { describe, expect, it } from "vitest";
import { mapped } from "../record/otlp-span.fixture.ts";

const workflow = {
  "ag.span.kind": "WORKFLOW",
  "ag.application": "support",
  "ag.variant.id": "v-1",
  "ag.variant.name": "short-answers",
  "ag.variant.revision": 3,
  "ag.environment": "production",
  "ag.config": '{"temperature":0.7,"tone":"plain"}',
  "ag.content.inputs": '{"ticket":"It broke."}',
  "ag.content.internals": "[1,2]",
  "ag.content.outputs": '"Sorry."',
  "ag.usage.input_tokens": 10,
  "ag.usage.output_tokens": 5,
  "ag.usage.total_tokens": 15,
  "ag.usage.cached_input_tokens": 2,
  "ag.usage.reasoning_tokens": 1,
  "ag.cost": 0.25,
  "user.id": "u-1",
  "session.id": "s-1",
};

describe("a route's span", () => {
  const { record, stored } = mapped(workflow);

  it("fills every field and leaves no attribute over", () => {
    expect(record).toMatchObject({
      spankind: "WORKFLOW",
      variant: { variant_id: "v-1", variant_name: "short-answers", revision: 3 },
      environment: "production",
      user_id: "u-1",
      config: { temperature: 0.7, tone: "plain" },
      content: { inputs: { ticket: "It broke." }, internals: [1, 2], outputs: "Sorry." },
      metadata: { application: "support", session_id: "s-1", cost: 0.25, attributes: {} },
    });
    expect(record.metadata.usage).toEqual({
      input_tokens: 10,
      output_tokens: 5,
      total_tokens: 15,
      cached_input_tokens: 2,
      reasoning_tokens: 1,
    });
  });

  it("owns the figures that were stored on it, whatever its kind", () => {
    expect(stored.figures).toEqual({ usage: record.metadata.usage, cost: 0.25, role: "own" });
    expect(mapped({ "ag.span.kind": "AGENT", "ag.cost": 1 }).stored.figures?.role).toBe("own");
  });

  it("is found by the columns that are searched", () => {
    expect(stored).toMatchObject({
      kind: "WORKFLOW",
      application: "support",
      variant: "short-answers",
      environment: "production",
      userId: "u-1",
      sessionId: "s-1",
    });
    expect(mapped({ "ag.variant.id": "v-1" }).stored.variant).toBe("v-1");
  });
});

describe("the resource", () => {
  const resource = (attributes: Record<string, string | number>) => ({
    resource: {
      attributes: new Map(Object.entries(attributes)),
      schemaUrl: "",
      droppedAttributesCount: 0,
    },
  });

  it("speaks for its spans where they say nothing, and is shown whole", () => {
    const attributes = {
      "service.name": "checkout",
      "ag.application": "shop",
      "ag.variant.name": "b",
      "ag.variant.revision": 2,
      "deployment.environment.name": "staging",
    };
    const { record } = mapped({ "ag.variant.name": "a" }, resource(attributes));
    expect(record.metadata.application).toBe("shop");
    expect(record.environment).toBe("staging");
    expect(record.variant).toEqual({ variant_id: null, variant_name: "a", revision: 2 });
    expect(record.metadata.resource).toEqual(attributes);
  });

  it("names the application by its service, unless the name is made up", () => {
    const named = mapped({}, resource({ "service.name": "checkout" }));
    const unnamed = mapped({}, resource({ "service.name": "unknown_service:node" }));
    expect(named.stored.application).toBe("checkout");
    expect(unnamed.stored.application).toBeNull();
  });
});

describe("values that cannot be used", () => {
  it("stay among the attributes", () => {
    const attributes = {
      "ag.span.kind": "LARGE",
      "ag.config": "[1]",
      "ag.variant.revision": "three",
      "ag.environment": "",
      "ag.cost": -1,
      "user.id": 7,
    };
    const { record } = mapped(attributes);
    expect(record.config).toBeNull();
    expect(record.variant.revision).toBeNull();
    expect(record.metadata.cost).toBeNull();
    expect(record.metadata.attributes).toEqual(attributes);
  });
});

describe("precedence", () => {
  it("believes Agate's own attributes first, and keeps the others", () => {
    const { record } = mapped({
      "gen_ai.operation.name": "chat",
      "openinference.span.kind": "CHAIN",
      "ag.span.kind": "task",
      "input.value": "theirs",
      "ag.content.inputs": '"ours"',
      "enduser.id": "them",
      "user.id": "us",
    });
    expect(record.spankind).toBe("TASK");
    expect(record.content.inputs).toBe("ours");
    expect(record.user_id).toBe("us");
    expect(record.metadata.attributes).toEqual({
      "gen_ai.operation.name": "chat",
      "openinference.span.kind": "CHAIN",
      "input.value": "theirs",
      "enduser.id": "them",
    });
  });
});

import { describe, expect, it } from "vitest";
import { shippedPrices } from "../pricing/shipped-prices.ts";
import { type AttributeObject, mapped, otlpSpan } from "../record/otlp-span.fixture.ts";
import { nestedRecordsText } from "../record/stored-span.ts";
import { createSpanMapper } from "../record/to-stored-span.ts";

// 1,000 and 200 tokens of gpt-4o-mini cost $0.00027: no sent cost here is the computed one.
const CALL = {
  "gen_ai.operation.name": "chat",
  "gen_ai.request.model": "gpt-4o-mini",
  "gen_ai.usage.input_tokens": 1000,
  "gen_ai.usage.output_tokens": 200,
};

const mlflow = (cost: object) => ({ "mlflow.llm.cost": JSON.stringify(cost) });
const langSmith = (cost: object) => ({
  "langsmith.span.kind": "llm",
  "langsmith.usage_metadata": JSON.stringify(cost),
});
const braintrust = (metrics: object) => ({ "braintrust.metrics": JSON.stringify(metrics) });

const costOf = (attributes: AttributeObject) =>
  mapped({ ...CALL, ...attributes }).record.metadata.cost;

describe("the cost that a client sends in its own form", () => {
  it.each([
    ["MLflow's total", mlflow({ input_cost: 1, output_cost: 2, total_cost: 3.5 }), 3.5],
    ["MLflow's parts", mlflow({ input_cost: 1, output_cost: 2 }), 3],
    ["LangSmith's total", langSmith({ total_cost: 0.5, input_cost: 0.25 }), 0.5],
    ["LangSmith's parts", langSmith({ input_cost: 0.5, output_cost: 0.25 }), 0.75],
    ["the only part", langSmith({ output_cost: 0.25 }), 0.25],
    ["Braintrust's estimate", braintrust({ estimated_cost: 0.5 }), 0.5],
    ["Agenta's unit", { "ag.metrics.unit.costs.total": 0.5 }, 0.5],
    ["Agenta's increment", { "ag.metrics.costs.incremental.total": 0.5 }, 0.5],
    ["Agenta's total", { "ag.metrics.costs.total": 0.5 }, 0.5],
  ])("is %s", (_, attributes, cost) => {
    expect(costOf(attributes)).toBe(cost);
  });

  it("is LangSmith's in the metadata where the other name has none", () => {
    const usage = JSON.stringify({ total_cost: 0.5 });
    expect(costOf({ "langsmith.metadata.usage_metadata": usage })).toBe(0.5);
  });

  it.each([
    ["MLflow", mlflow({ input_cost: 0, output_cost: 0, total_cost: 0 })],
    ["LangSmith", langSmith({ input_cost: 0, output_cost: 0 })],
    ["Braintrust", braintrust({ estimated_cost: 0 })],
    ["Agenta", { "ag.metrics.costs.incremental.total": 0 }],
    ["a client that sends no number", { "mlflow.llm.cost": '{"total_cost":1e999}' }],
    ["a client that sends a negative one", mlflow({ total_cost: -1 })],
  ])("is no 0 of %s for tokens with a price", (_, attributes) => {
    expect(costOf(attributes)).toBe(0.00027);
  });
});

describe("a cost that is the sum of other spans", () => {
  const map = createSpanMapper({ prices: shippedPrices(), projectId: null });
  const totalOf = (top: AttributeObject, below: AttributeObject) => {
    const parent = otlpSpan(top);
    const child = otlpSpan(below, { spanId: "b7ad6b7169203332", parentSpanId: parent.spanId });
    return JSON.parse(nestedRecordsText([map(parent), map(child)])).metadata.total.cost;
  };

  it.each([
    ["MLflow", { "mlflow.spanType": '"CHAIN"', ...mlflow({ total_cost: 0.5 }) }],
    ["LangSmith", { ...langSmith({ total_cost: 0.5 }), "langsmith.span.kind": "chain" }],
    [
      "Braintrust",
      { "braintrust.span_attributes": '{"type":"task"}', ...braintrust({ estimated_cost: 0.5 }) },
    ],
    ["Agenta", { "ag.type.node": "workflow", "ag.metrics.costs.total": 0.5 }],
  ])("is not added to that of the calls below a wrapper of %s", (_, wrapper) => {
    expect(totalOf(wrapper, { ...CALL, "gen_ai.usage.cost": 0.5 })).toBe(0.5);
  });

  it("is not read from Agenta's cumulative figures, also of a model call", () => {
    const cumulative = {
      "ag.metrics.costs.cumulative.total": 0.5,
      "ag.metrics.acc.costs.total": 0.5,
      "ag.metrics.tokens.cumulative.prompt": 1000,
    };
    const outer = { "ag.type.node": "chat", ...cumulative };
    expect(mapped(outer).record.metadata).toMatchObject({
      cost: null,
      usage: null,
      attributes: cumulative,
    });
    expect(totalOf(outer, { ...CALL, "gen_ai.usage.cost": 0.5 })).toBe(0.5);
  });
});

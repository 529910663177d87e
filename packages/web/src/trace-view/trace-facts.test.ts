import { AGATE_ATTRIBUTES } from "@agate/protocol";
import { expect, it } from "vitest";
import { spanRecord } from "./span-record.fixture.ts";
import { buildSpanTree } from "./span-tree.ts";
import { caseText, traceFacts, usageText } from "./trace-facts.ts";

it("takes values from the earliest span where the root has none", () => {
  const trace = spanRecord({
    id: "top",
    record: { environment: "staging" },
    children: [
      spanRecord({
        id: "later",
        from: 20,
        record: { user_id: "later", environment: "production", status: "ERROR" },
      }),
      spanRecord({ id: "earlier", from: 10, record: { user_id: "earlier" } }),
    ],
  });
  expect(traceFacts(buildSpanTree(trace))).toEqual({
    spans: 3,
    errors: 1,
    application: null,
    environment: "staging",
    userId: "earlier",
    sessionId: null,
    evaluation: null,
    variantSpan: null,
    call: null,
  });
});

it("finds the run of any span, with its case", () => {
  const attributes = {
    [AGATE_ATTRIBUTES.evaluationRun]: "run-7",
    [AGATE_ATTRIBUTES.evaluationCase]: "refund-1",
    [AGATE_ATTRIBUTES.evaluationColumn]: "default@9",
    [AGATE_ATTRIBUTES.evaluationTrial]: 2,
  };
  const child = spanRecord({ id: "call", from: 5, metadata: { attributes } });
  const { evaluation } = traceFacts(buildSpanTree(spanRecord({ id: "top", children: [child] })));
  expect(evaluation).toEqual({ run: "run-7", case: "refund-1", column: "default@9", trial: 2 });
  expect(caseText(evaluation!)).toBe("refund-1 · default@9 · trial 2");
  expect(caseText({ run: "run-7", case: null, column: null, trial: null })).toBeNull();
});

it("finds the outermost call of a route", () => {
  const call = (id: string, from: number, route: unknown, application: string | null = "shop") =>
    spanRecord({
      id,
      from,
      metadata: { application, attributes: { [AGATE_ATTRIBUTES.route]: route } },
      record: {
        config: { tone: "plain" },
        content: { inputs: { text: id }, internals: null, outputs: null },
      },
    });
  const trace = spanRecord({
    id: "top",
    children: [
      call("inner", 9, "/embed"),
      call("outer", 5, "/summarize"),
      call("nameless", 1, "/embed", null),
      call("odd", 2, 7),
    ],
  });
  expect(traceFacts(buildSpanTree(trace)).call).toEqual({
    spanId: "outer",
    app: "shop",
    route: "/summarize",
    config: { tone: "plain" },
    inputs: { text: "outer" },
  });
});

const nothing = {
  input_tokens: null,
  output_tokens: null,
  total_tokens: null,
  cached_input_tokens: null,
  reasoning_tokens: null,
};

it.each([
  [null, "–"],
  [nothing, "–"],
  [{ ...nothing, total_tokens: 1500 }, "1,500"],
  [{ ...nothing, input_tokens: 0, output_tokens: 2, cached_input_tokens: 0 }, "0 in · 2 out"],
  [
    {
      input_tokens: 1000,
      output_tokens: 200,
      total_tokens: 1200,
      cached_input_tokens: 600,
      reasoning_tokens: 30,
    },
    "1,000 in · 200 out · 600 cached · 30 reasoning",
  ],
])("%j is %j", (usage, text) => {
  expect(usageText(usage)).toBe(text);
});

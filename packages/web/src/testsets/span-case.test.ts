import type { SpanRecord } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { spanRecord } from "../trace-view/span-record.fixture.ts";
import { caseOfSpan, distinctCases } from "./span-case.ts";

function call(content: Partial<SpanRecord["content"]>, metadata: object = {}): SpanRecord {
  return spanRecord({
    id: "s1",
    name: "answer",
    metadata: { application: "shop", attributes: { "ag.route": "/answer" }, ...metadata },
    record: { content: { inputs: { q: "?" }, internals: null, outputs: "!", ...content } },
  });
}

describe("a span as a case", () => {
  it("has its inputs, output, route and source", () => {
    expect(caseOfSpan(call({}))).toMatchObject({
      kind: "case",
      inputs: { q: "?" },
      output: "!",
      outputProblem: null,
      route: { application: "shop", route: "/answer" },
      source: { trace_id: "trace", span_id: "s1" },
    });
  });

  it.each([
    [call({}, { redacted: true }), /^Redacted/],
    [call({ inputs: { truncated: true, limit: 10, start: '{"q"' } }), /^Truncated/],
    [call({ inputs: { q: "my [secret:KEY]" } }), /^Redacted/],
    [call({ inputs: null }), /^No inputs/],
    [call({}, { attributes: {} }), /^Not a call/],
  ])("is refused by name", (span, reason) => {
    expect(caseOfSpan(span)).toMatchObject({
      kind: "refused",
      name: "answer",
      reason: expect.stringMatching(reason),
    });
  });

  it("keeps its inputs where only the output was cut off", () => {
    const cut = { truncated: true, chunks: 3, start: "A" };
    expect(caseOfSpan(call({ outputs: cut }))).toMatchObject({
      kind: "case",
      outputProblem: expect.stringMatching(/^Truncated/),
    });
  });

  it("has no expected value where no output is recorded", () => {
    expect(caseOfSpan(call({ outputs: null }))).toMatchObject({
      kind: "case",
      output: undefined,
      outputProblem: "No output recorded.",
    });
  });

  it("counts as truncated only as the SDK marks it", () => {
    expect(caseOfSpan(call({ inputs: { truncated: true } })).kind).toBe("case");
  });

  it("is one of those with the same inputs", () => {
    const cases = [call({}), call({ outputs: "other" }), call({ inputs: { q: "!" } })];
    expect(distinctCases(cases.map(caseOfSpan)).map(({ inputs }) => inputs)).toEqual([
      { q: "?" },
      { q: "!" },
    ]);
  });
});

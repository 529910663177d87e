import type { SpanRecord } from "@agate/protocol";
import { expect, it } from "vitest";
import { KeptTraces } from "./kept-traces.ts";
import { treeCost } from "./tree-figures.ts";

const tree = (attributes: object = {}) => JSON.stringify({ metadata: { attributes } });

it("keeps trees up to a number of characters, and lets the oldest go first", () => {
  const one = tree();
  const kept = new KeptTraces(one.length * 2);
  for (const id of ["a", "b"]) kept.keep(id, one);
  expect(kept.read("a")).toEqual(JSON.parse(one));
  kept.keep("c", one);
  expect(() => kept.read("a")).toThrow(/not kept/);
  expect(kept.read("b")).toEqual(JSON.parse(one));
  // What is deleted makes room.
  kept.delete("b");
  kept.keep("d", one);
  expect(kept.read("c")).toEqual(JSON.parse(one));
  expect(kept.read("d")).toEqual(JSON.parse(one));
});

it("keeps no tree that is larger than all its room", () => {
  const kept = new KeptTraces(10);
  kept.keep("a", tree());
  expect(() => kept.read("a")).toThrow(/too large/);
});

it("has no tree where spans are missing from it", () => {
  const kept = new KeptTraces();
  kept.keep("a", tree({ "ag.trace.left_out_spans": 3 }));
  expect(() => kept.read("a")).toThrow(/3 of its spans were left out/);
  kept.keep("b", "null");
  expect(() => kept.read("b")).toThrow(/telemetry is disabled/);
});

function span(
  spankind: string,
  cost: number | null,
  total: number | null,
  children: SpanRecord[] = [],
  more: object = {},
): SpanRecord {
  const metadata = { cost, usage: null, total: { cost: total, usage: null } };
  return { spankind, status: "OK", metadata, children, ...more } as unknown as SpanRecord;
}

it("adds up a tree's cost, and does not know it where one model call has none", () => {
  expect(treeCost(span("WORKFLOW", null, null))).toBe(0);
  expect(treeCost(span("WORKFLOW", null, 0.5, [span("LLM", 0.5, 0.5)]))).toBe(0.5);
  const unpriced = span("LLM", null, null);
  expect(treeCost(span("WORKFLOW", null, 0.5, [span("LLM", 0.5, 0.5), unpriced]))).toBeNull();
  expect(treeCost(span("WORKFLOW", null, null, [span("EMBEDDING", null, null)]))).toBeNull();
  // One call that two instrumentations have recorded, of which one knows the price.
  expect(treeCost(span("WORKFLOW", null, 0.5, [span("LLM", 0.5, 0.5, [unpriced])]))).toBe(0.5);
  expect(
    treeCost(span("WORKFLOW", null, 0.5, [span("LLM", null, 0.5, [span("LLM", 0.5, 0.5)])])),
  ).toBe(0.5);
  // A model that refused bills nothing.
  expect(
    treeCost(span("WORKFLOW", null, null, [span("LLM", null, null, [], { status: "ERROR" })])),
  ).toBe(0);
});

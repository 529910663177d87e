import type { SpanRecord } from "@agate/protocol";
import { expect, it } from "vitest";
import { KeptTraces } from "./kept-traces.ts";
import { treeCost } from "./tree-figures.ts";

function tree(attributes: object = {}, children: readonly SpanRecord[] = []) {
  const record = { id: "top", metadata: { attributes }, children } as unknown as SpanRecord;
  return { record, text: JSON.stringify(record) };
}

function keptIn(
  most: number | undefined,
  trees: Readonly<Record<string, ReturnType<typeof tree>>>,
) {
  const kept = new KeptTraces(most);
  for (const [id, { text, record }] of Object.entries(trees)) kept.keep(id, text, record);
  return kept;
}

it("keeps trees up to a number of characters, and lets the oldest go first", () => {
  const one = tree();
  const kept = keptIn(one.text.length * 2, { a: one, b: one });
  expect(kept.read("a")).toEqual({ kind: "kept", tree: one.record });
  kept.keep("c", one.text, one.record);
  expect(kept.read("a")).toMatchObject({ kind: "missing", leastSpans: 1 });
  expect(kept.read("b")).toMatchObject({ kind: "kept" });
  // What is deleted makes room.
  kept.delete("b");
  kept.keep("d", one.text, one.record);
  expect(kept.read("c")).toMatchObject({ kind: "kept" });
  expect(kept.read("d")).toMatchObject({ kind: "kept" });
});

it("keeps only the number of spans of a tree that is larger than all its room", () => {
  const two = tree({}, [tree().record]);
  const kept = keptIn(10, { a: two });
  expect(kept.read("a")).toEqual({
    kind: "missing",
    leastSpans: 2,
    why: "with 2 spans it is too large to be kept",
  });
  expect(kept.read("b")).toMatchObject({ kind: "missing", leastSpans: 1 });
});

it("has no tree where spans are missing from it", () => {
  const kept = keptIn(undefined, { a: tree({ "ag.trace.left_out_spans": 3 }) });
  expect(kept.read("a")).toMatchObject({ kind: "missing", leastSpans: 4 });
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

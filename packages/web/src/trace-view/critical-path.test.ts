import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { criticalPath, pathShares } from "./critical-path.ts";
import { anyTrace, chain, NOON, spanRecord } from "./span-record.fixture.ts";
import { buildSpanTree } from "./span-tree.ts";

function pathOf(trace: Parameters<typeof buildSpanTree>[0]) {
  return criticalPath(buildSpanTree(trace))
    .map(({ node, start, end }) => [node.span.id, start - NOON, end - NOON])
    .reverse();
}

const child = (
  id: string,
  from: number,
  to: number,
  children: Parameters<typeof spanRecord>[0]["children"] = [],
) => spanRecord({ id, from, to, children });

describe("the critical path", () => {
  it("of one span is that span", () => {
    expect(pathOf(child("top", 0, 10))).toEqual([["top", 0, 10]]);
  });

  it("follows the child that finished last, then the one that finished last before it", () => {
    const trace = child("top", 0, 100, [
      child("first", 5, 40),
      child("overtaken", 10, 30),
      child("last", 45, 90, [child("inside", 50, 80)]),
    ]);
    expect(pathOf(trace)).toEqual([
      ["top", 0, 5],
      ["first", 5, 40],
      ["top", 40, 45],
      ["last", 45, 50],
      ["inside", 50, 80],
      ["last", 80, 90],
      ["top", 90, 100],
    ]);
  });

  it("leaves out spans that run in parallel to a longer one", () => {
    const trace = child("top", 0, 100, [child("beside", 20, 95), child("waited for", 10, 100)]);
    expect(pathOf(trace)).toEqual([
      ["top", 0, 10],
      ["waited for", 10, 100],
    ]);
  });

  it("ignores time of a child outside its parent", () => {
    const trace = child("top", 10, 50, [
      child("before", 0, 20),
      child("outlasts", 30, 500, [child("inside", 40, 400)]),
      child("after", 60, 70),
    ]);
    expect(pathOf(trace)).toEqual([
      ["before", 10, 20],
      ["top", 20, 30],
      ["outlasts", 30, 40],
      ["inside", 40, 50],
    ]);
  });

  it("consists of adjacent sections that cover the root span, each within its own span", () => {
    fc.assert(
      fc.property(anyTrace, (trace) => {
        const tree = buildSpanTree(trace);
        const sections = [...criticalPath(tree)].reverse();
        const top = tree.nodes[0]!;
        let at = top.start;
        for (const { node, start, end } of sections) {
          expect(start).toBe(at);
          expect(end).toBeGreaterThan(start);
          expect(start).toBeGreaterThanOrEqual(node.start);
          expect(end).toBeLessThanOrEqual(node.end);
          at = end;
        }
        expect(at).toBe(top.end);
      }),
    );
  });

  it("may be deeper than the call stack", () => {
    expect(criticalPath(buildSpanTree(chain(20_000))).length).toBe(39_999);
  });

  it("sums the own time of each span", () => {
    const tree = buildSpanTree(child("top", 0, 100, [child("inner", 20, 50)]));
    expect(pathShares(criticalPath(tree))).toEqual(
      new Map([
        ["top", 70],
        ["inner", 30],
      ]),
    );
  });
});

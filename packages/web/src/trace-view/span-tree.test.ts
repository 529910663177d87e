import type { SpanRecord } from "@agate/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyTrace, chain, NOON, spanRecord } from "./span-record.fixture.ts";
import {
  ancestorsOf,
  buildSpanTree,
  childrenOf,
  collapsedBelow,
  hasChildren,
  revealed,
  rowOf,
  visibleRows,
  withSiblingsOpen,
  withToggled,
} from "./span-tree.ts";

function idsInOrder({ id, children }: SpanRecord): string[] {
  return [id, ...(children ?? []).flatMap(idsInOrder)];
}

describe("the tree of a trace", () => {
  it("has every span once, each before its descendants", () => {
    fc.assert(
      fc.property(anyTrace, (trace) => {
        const { nodes, indexOf } = buildSpanTree(trace);
        expect(nodes.map(({ span }) => span.id)).toEqual(idsInOrder(trace));
        expect(nodes.map(({ span }) => indexOf.get(span.id))).toEqual(nodes.map((_, n) => n));
      }),
    );
  });

  it("gives the children and the ancestors of a span", () => {
    fc.assert(
      fc.property(anyTrace, (trace) => {
        const tree = buildSpanTree(trace);
        for (const node of tree.nodes) {
          const below = tree.nodes.slice(node.index, node.endIndex).map(({ span }) => span.id);
          expect(below).toEqual(idsInOrder(node.span));
          const children = [...childrenOf(tree, node)];
          expect(children.map(({ span }) => span)).toEqual(node.span.children ?? []);
          expect(hasChildren(node)).toBe(node.span.children !== null);
          expect(children.map(({ position }) => position)).toEqual(children.map((_, n) => n + 1));
          for (const child of children) {
            expect([...ancestorsOf(tree, child)]).toEqual([node, ...ancestorsOf(tree, node)]);
            expect(child).toMatchObject({ depth: node.depth + 1, siblings: children.length });
          }
        }
      }),
    );
  });

  it("counts failed descendants", () => {
    fc.assert(
      fc.property(anyTrace, fc.array(fc.boolean()), (trace, failures) => {
        const { nodes } = buildSpanTree(trace);
        for (const { span, index } of nodes) span.status = failures[index] ? "ERROR" : "OK";
        const tree = buildSpanTree(trace);
        for (const { index, endIndex, errorsBelow } of tree.nodes) {
          const below = tree.nodes.slice(index + 1, endIndex);
          expect(errorsBelow).toBe(below.filter(({ span }) => span.status === "ERROR").length);
        }
      }),
    );
  });

  it("spans the first start to the last end", () => {
    const trace = spanRecord({
      id: "top",
      from: 10,
      to: 20,
      children: [
        spanRecord({ id: "early", from: 5, to: 6, parentId: "top" }),
        spanRecord({ id: "late", from: 19, to: 50, parentId: "top" }),
      ],
    });
    expect(buildSpanTree(trace)).toMatchObject({ start: NOON + 5, end: NOON + 50 });
  });

  it("may be deeper than the call stack", () => {
    const last = buildSpanTree(chain(20_000)).nodes.at(-1)!;
    expect([last.depth, last.endIndex]).toEqual([19_999, 20_000]);
  });

  it("marks spans whose recorded parent is another one", () => {
    const trace = spanRecord({
      id: "top",
      children: [
        spanRecord({ id: "own", parentId: "top" }),
        spanRecord({ id: "lost", parentId: "gone" }),
        spanRecord({ id: "second root", parentId: null }),
      ],
    });
    const { nodes } = buildSpanTree(trace);
    expect(nodes.map(({ isOrphan }) => isOrphan)).toEqual([false, false, true, true]);
    const { nodes: inner } = buildSpanTree(spanRecord({ id: "inner", parentId: "remote" }));
    expect(inner[0]!.isOrphan).toBe(true);
  });
});

const anyCollapsed = fc
  .array(fc.nat(60))
  .map((numbers) => new Set(numbers.map((n) => `s${n}`)) as ReadonlySet<string>);

describe("visible rows", () => {
  it("are all spans but the descendants of collapsed ones, in order", () => {
    fc.assert(
      fc.property(anyTrace, anyCollapsed, (trace, collapsed) => {
        const tree = buildSpanTree(trace);
        const shown = tree.nodes.filter(
          (node) => ![...ancestorsOf(tree, node)].some(({ span }) => collapsed.has(span.id)),
        );
        expect(visibleRows(tree, collapsed)).toEqual(shown);
      }),
    );
  });

  it("contain a span, or the collapsed ancestor that hides it", () => {
    fc.assert(
      fc.property(anyTrace, anyCollapsed, (trace, collapsed) => {
        const tree = buildSpanTree(trace);
        const rows = visibleRows(tree, collapsed);
        for (const node of tree.nodes) {
          const row = rows[rowOf(rows, node.index)]!;
          const lineage = [node, ...ancestorsOf(tree, node)];
          expect(row).toBe(lineage.find((each) => rows.includes(each)));
        }
      }),
    );
  });
});

describe("collapsing", () => {
  const tree = buildSpanTree(chain(10));

  it("toggles one span", () => {
    expect(withToggled(new Set(["a"]), "a")).toEqual(new Set());
    expect(withToggled(new Set(["a"]), "b")).toEqual(new Set(["a", "b"]));
  });

  it("shows a number of levels", () => {
    expect(visibleRows(tree, collapsedBelow(tree, 0))).toHaveLength(1);
    expect(visibleRows(tree, collapsedBelow(tree, 3))).toHaveLength(4);
    expect(visibleRows(tree, collapsedBelow(tree, 99))).toHaveLength(10);
  });

  it("is undone for exactly the ancestors of a span", () => {
    fc.assert(
      fc.property(anyTrace, anyCollapsed, fc.nat(), (trace, collapsed, pick) => {
        const any = buildSpanTree(trace);
        const node = any.nodes[pick % any.nodes.length]!;
        const open = revealed(any, collapsed, [node]);
        expect(visibleRows(any, open)).toContain(node);
        const above = new Set([...ancestorsOf(any, node)].map(({ span }) => span.id));
        expect([...collapsed].filter((id) => !above.has(id))).toEqual([...open]);
      }),
    );
  });

  it("is undone for all siblings", () => {
    const any = buildSpanTree(chain(3));
    const open = withSiblingsOpen(any, new Set(["s0", "s1"]), any.nodes[1]!);
    expect(open).toEqual(new Set(["s0"]));
  });

  it("reveals all spans of a deep chain in linear time", () => {
    const deep = buildSpanTree(chain(20_000));
    const open = revealed(deep, collapsedBelow(deep, 0), deep.nodes);
    expect(visibleRows(deep, open).length).toBe(20_000);
  });
});

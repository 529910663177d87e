import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyTrace, chain } from "./span-record.fixture.ts";
import { ancestorsOf, buildSpanTree } from "./span-tree.ts";
import {
  collapsedBelow,
  revealed,
  rowOf,
  visibleRows,
  withSiblingsOpen,
  withToggled,
} from "./visible-rows.ts";

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

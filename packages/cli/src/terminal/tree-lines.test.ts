import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { durationBar, treeLines } from "./tree-lines.ts";

interface Node {
  readonly name: string;
  readonly children: readonly Node[];
}

function draw(root: Node): string[] {
  return [...treeLines(root, (node) => node.children)].map(
    ({ prefix, node }) => `${prefix}${node.name}`,
  );
}

const leaf = (name: string, ...children: Node[]): Node => ({ name, children });

describe("the lines of a tree", () => {
  it("connect children with their parents", () => {
    expect(draw(leaf("a", leaf("b", leaf("c"), leaf("d")), leaf("e", leaf("f"))))).toEqual([
      "a",
      "├─ b",
      "│  ├─ c",
      "│  └─ d",
      "└─ e",
      "   └─ f",
    ]);
  });

  it("let further lines of a node hang below it", () => {
    const tree = leaf("a", leaf("b", leaf("c")), leaf("d"));
    const lines = [...treeLines(tree, (node) => node.children)];
    expect(lines.map(({ continuation }) => continuation)).toEqual([
      "│  ",
      "│  │  ",
      "│        ",
      "      ",
    ]);
  });

  it("name the level instead of drawing it where a tree is very deep", () => {
    let chain = leaf("end");
    for (let level = 0; level < 20_000; level++) chain = leaf("step", chain);
    const lines = draw(chain);
    expect(lines).toHaveLength(20_001);
    expect(lines.at(-1)).toMatch(/\[20000\] end$/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(60);
  });

  it("show every node once, parents before children, in order", () => {
    const { tree } = fc.letrec<{ tree: Node }>((tie) => ({
      tree: fc.record({
        name: fc.uuid(),
        children: fc.oneof(
          { maxDepth: 4 },
          fc.constant<Node[]>([]),
          fc.array(tie("tree"), { maxLength: 4 }),
        ),
      }),
    }));
    function inOrder(node: Node): string[] {
      return [node.name, ...node.children.flatMap(inOrder)];
    }
    fc.assert(
      fc.property(tree, (root) => {
        const names = [...treeLines(root, (node) => node.children)].map(({ node }) => node.name);
        expect(names).toEqual(inOrder(root));
      }),
    );
  });
});

const axis = { start: 0, end: 100 };

describe("a bar", () => {
  it.each([
    [{ start: 0, end: 100 }, "████████"],
    [{ start: 25, end: 75 }, "  ████  "],
    [{ start: 50, end: 100 }, "    ████"],
    [{ start: 0, end: 6.25 }, "▌       "],
    [{ start: 100, end: 100 }, "       █"],
  ])("of %j covers its part of the axis", (interval, bar) => {
    expect(durationBar(interval, axis, 8)).toBe(bar);
  });

  it("is always as wide as asked for and never empty", () => {
    const time = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(time, time, time, time, fc.integer({ min: 1, max: 60 }), (a, b, c, d, width) => {
        const bar = durationBar({ start: a, end: b }, { start: c, end: d }, width);
        expect(bar).toHaveLength(width);
        expect(bar.trim()).not.toBe("");
      }),
    );
  });
});

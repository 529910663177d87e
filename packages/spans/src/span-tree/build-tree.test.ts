import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SpanNode } from "./build-tree.ts";
import { buildTree, compareNodes } from "./build-tree.ts";
import type { ReportedFigures } from "./reported-figures.ts";

function node(id: string, parentId: string | null, start: number, startNanos = 0): SpanNode {
  return { id, parentId, start, startNanos, figures: null };
}

/** The tree as `id(child child(…))`, the way a person would draw it. */
function drawn(nodes: readonly SpanNode[]): string {
  const tree = buildTree(nodes);
  let text = "";
  let depth = -1;
  for (const index of tree.preorder) {
    const d = tree.depth[index] as number;
    if (d > depth) text += depth < 0 ? "" : "(";
    else text += `${")".repeat(depth - d)} `;
    text += nodes[index]?.id;
    depth = d;
  }
  return text + ")".repeat(depth);
}

describe("buildTree", () => {
  it("orders children by start time, then nanoseconds, then id", () => {
    expect(
      drawn([
        node("r", null, 9),
        node("d", "r", 12),
        node("b", "r", 10),
        node("a", "r", 10),
        node("c", "r", 10, 1),
      ]),
    ).toBe("r(a b c d)");
  });

  it("hangs a span whose parent is not there under the top, after its own children", () => {
    expect(
      drawn([node("r", null, 5), node("lost", "gone", 1), node("k", "r", 6), node("x", "lost", 2)]),
    ).toBe("r(k lost(x))");
  });

  it("takes the earliest of several parentless spans as the top", () => {
    expect(drawn([node("b", null, 2), node("a", null, 1), node("c", "b", 3)])).toBe("a(b(c))");
  });

  it("prefers a parentless span to an earlier one whose parent is not there", () => {
    expect(drawn([node("o", "gone", 1), node("r", null, 2)])).toBe("r(o)");
  });

  it("takes the earliest root where every span names a parent", () => {
    expect(drawn([node("b", "gone", 2), node("a", "other", 1), node("c", "b", 0)])).toBe("a(b(c))");
  });

  it("cuts a cycle at its earliest span", () => {
    expect(drawn([node("a", "c", 3), node("b", "a", 1), node("c", "b", 2)])).toBe("b(c(a))");
    expect(drawn([node("r", null, 9), node("a", "b", 3), node("b", "a", 1)])).toBe("r(b(a))");
    expect(drawn([node("self", "self", 1)])).toBe("self");
  });

  it("cuts a cycle that is reached through a tail", () => {
    expect(
      drawn([node("t", "a", 0), node("a", "b", 3), node("b", "c", 2), node("c", "a", 1)]),
    ).toBe("c(b(a(t)))");
  });

  it("takes a chain of 200,000 without recursion", () => {
    const chain = Array.from({ length: 200_000 }, (_, i) =>
      node(`s${i}`, i === 0 ? null : `s${i - 1}`, i),
    );
    const tree = buildTree(chain.toReversed());
    expect(tree.depth[0]).toBe(199_999);
    expect(tree.preorder[0]).toBe(199_999);
  });
});

describe("buildTree, for any set of spans", () => {
  const anyNodes = fc
    .uniqueArray(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 30 })
    .chain((ids) =>
      fc.tuple(
        ...ids.map((id) =>
          fc.record({
            id: fc.constant(`s${id}`),
            parentId: fc.option(fc.integer({ min: 0, max: 44 }).map((p) => `s${p}`)),
            start: fc.integer({ min: 0, max: 6 }),
            startNanos: fc.integer({ min: 0, max: 1 }),
            figures: fc.constant(null),
          }),
        ),
      ),
    );

  it("holds each exactly once, under its parent where it can, siblings in order", () => {
    fc.assert(
      fc.property(anyNodes, (nodes: SpanNode[]) => {
        const tree = buildTree(nodes);
        expect([...tree.preorder].sort((a, b) => a - b)).toEqual(nodes.map((_, i) => i));
        expect(tree.preorder[0]).toBe(tree.top);
        const parents = parentsByDepth(tree.preorder, tree.depth);
        const adopted = new Set<number>();
        for (const [i, span] of nodes.entries()) {
          expect(tree.preorder[tree.position[i] as number]).toBe(i);
          const above = parents.get(i);
          if (above === undefined) expect(i).toBe(tree.top);
          else if (nodes[above]?.id !== span.parentId) {
            expect(above).toBe(tree.top);
            adopted.add(i);
          }
          const end = tree.subtreeEnd[i] as number;
          const below = tree.preorder.slice((tree.position[i] as number) + 1, end);
          expect([...below].every((b) => isBelow(b, i, parents))).toBe(true);
          expect(nodes.filter((_, b) => isBelow(b, i, parents))).toHaveLength(below.length);
        }
        expectSiblingOrder(nodes, tree.preorder, parents, adopted);
        expectOnlyNecessaryAdoptions(nodes, adopted, tree.top);
      }),
      { numRuns: 400 },
    );
  });

  it("does not depend on the order in which the spans arrived", () => {
    fc.assert(
      fc.property(
        anyNodes.chain((nodes) =>
          fc.tuple(
            fc.constant(nodes),
            fc.shuffledSubarray(nodes, { minLength: nodes.length, maxLength: nodes.length }),
          ),
        ),
        ([nodes, shuffled]) => {
          expect(drawn(shuffled)).toBe(drawn(nodes));
        },
      ),
    );
  });
});

describe("totals", () => {
  const usage = (input: number, output: number) => ({
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cached_input_tokens: null,
    reasoning_tokens: null,
  });
  const figures = (
    role: ReportedFigures["role"],
    input: number,
    output: number,
    cost: number | null,
  ): ReportedFigures => ({ role, usage: usage(input, output), cost });
  const spent = (
    id: string,
    parentId: string | null,
    start: number,
    own: ReportedFigures | null,
  ) => ({
    ...node(id, parentId, start),
    figures: own,
  });

  it("adds the model calls of a subtree", () => {
    const tree = buildTree([
      spent("r", null, 0, null),
      spent("a", "r", 1, figures("own", 10, 1, 0.1)),
      spent("b", "r", 2, figures("own", 20, 2, 0.2)),
      spent("c", "b", 3, figures("own", 5, 5, null)),
    ]);
    expect(tree.total(0)).toEqual({ usage: usage(35, 8), cost: 0.3, unpriced_calls: 1 });
    expect(tree.total(1)).toEqual({ usage: usage(10, 1), cost: 0.1 });
    expect(tree.total(2)).toEqual({ usage: usage(25, 7), cost: 0.2, unpriced_calls: 1 });
    expect(tree.total(3)).toEqual({ usage: usage(5, 5), cost: null, unpriced_calls: 1 });
  });

  it("counts calls with tokens and no cost; a cost of 0, and no tokens at all, are no such calls", () => {
    const tree = buildTree([
      spent("r", null, 0, null),
      spent("priced", "r", 1, figures("own", 10, 1, 0.1)),
      spent("free", "r", 2, figures("own", 20, 2, 0)),
      spent("failed", "r", 3, figures("own", 0, 0, null)),
      spent("unknown", "r", 4, figures("own", 20, 2, null)),
      spent("agent", "r", 5, figures("restated", 5, 5, null)),
    ]);
    expect(tree.total(0)).toEqual({ usage: usage(55, 10), cost: 0.1, unpriced_calls: 2 });
    expect(tree.total(3)).toEqual({ usage: usage(0, 0), cost: null });
  });

  it("prices all calls below a wrapper by its cost, where none of them has one", () => {
    const below = [
      spent("a", "agent", 1, figures("own", 10, 1, null)),
      spent("b", "agent", 2, figures("own", 20, 2, null)),
    ];
    const total = (cost: number | null, ...calls: SpanNode[]) =>
      buildTree([spent("agent", null, 0, figures("restated", 30, 3, cost)), ...calls]).total(0);
    expect(total(0.5, ...below)).toEqual({ usage: usage(30, 3), cost: 0.5 });
    expect(total(null, ...below)).toEqual({ usage: usage(30, 3), cost: null, unpriced_calls: 2 });
    // What the known part cost is certain, and what the wrapper's is of is not.
    expect(total(0.5, spent("c", "agent", 3, figures("own", 1, 1, 0.1)), ...below)).toEqual({
      usage: usage(31, 4),
      cost: 0.1,
      unpriced_calls: 2,
    });
  });

  it("does not count what a wrapper repeats of its children", () => {
    const tree = buildTree([
      spent("agent", null, 0, figures("restated", 30, 3, 0.3)),
      spent("a", "agent", 1, figures("own", 10, 1, 0.1)),
      spent("b", "agent", 2, figures("own", 20, 2, 0.2)),
    ]);
    expect(tree.total(0)).toEqual({ usage: usage(30, 3), cost: 0.3 });
  });

  it("counts a wrapper whose children report nothing", () => {
    const tree = buildTree([
      spent("w", null, 0, null),
      spent("agent", "w", 1, figures("restated", 30, 3, 0.3)),
      spent("a", "agent", 2, null),
    ]);
    expect(tree.total(0)).toEqual({ usage: usage(30, 3), cost: 0.3 });
  });

  it("counts one call that two instrumentations saw once", () => {
    const tree = buildTree([
      spent("outer", null, 0, figures("own", 10, 2, 0.5)),
      spent("inner", "outer", 1, figures("own", 10, 2, null)),
    ]);
    expect(tree.total(0)).toEqual({ usage: usage(10, 2), cost: 0.5 });
  });

  it("is null, not 0, where nobody reported anything", () => {
    expect(buildTree([spent("r", null, 0, null)]).total(0)).toEqual({ usage: null, cost: null });
  });
});

function parentsByDepth(preorder: Int32Array, depth: Int32Array): Map<number, number> {
  const path: number[] = [];
  const parents = new Map<number, number>();
  for (const index of preorder) {
    const d = depth[index] as number;
    const above = path[d - 1];
    if (above !== undefined) parents.set(index, above);
    path[d] = index;
  }
  return parents;
}

function isBelow(index: number, ancestor: number, parents: Map<number, number>): boolean {
  for (let above = parents.get(index); above !== undefined; above = parents.get(above)) {
    if (above === ancestor) return true;
  }
  return false;
}

function expectSiblingOrder(
  nodes: readonly SpanNode[],
  preorder: Int32Array,
  parents: Map<number, number>,
  adopted: Set<number>,
): void {
  const lists = new Map<number, number[]>();
  for (const index of preorder) {
    const above = parents.get(index);
    if (above !== undefined) lists.set(above, [...(lists.get(above) ?? []), index]);
  }
  for (const list of lists.values()) {
    const wanted = [...list].sort(
      (a, b) =>
        Number(adopted.has(a)) - Number(adopted.has(b)) ||
        compareNodes(nodes[a] as SpanNode, nodes[b] as SpanNode),
    );
    expect(list).toEqual(wanted);
  }
}

/** A span may hang elsewhere than under its parent only if that is not there, or on a cycle with it. */
function expectOnlyNecessaryAdoptions(
  nodes: readonly SpanNode[],
  adopted: Set<number>,
  top: number,
): void {
  const byId = new Map(nodes.map((span) => [span.id, span]));
  for (const index of [...adopted, top]) {
    const span = nodes[index] as SpanNode;
    let above = span.parentId === null ? undefined : byId.get(span.parentId);
    const seen = new Set<SpanNode>();
    while (above !== undefined && above !== span && !seen.has(above)) {
      seen.add(above);
      above = above.parentId === null ? undefined : byId.get(above.parentId);
    }
    const onCycle = above === span;
    const parentHere = span.parentId !== null && byId.has(span.parentId);
    expect(onCycle || !parentHere).toBe(true);
    if (onCycle) for (const other of seen) expect(compareNodes(span, other)).toBeLessThan(0);
  }
}

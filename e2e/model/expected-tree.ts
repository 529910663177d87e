import type { ShownFigures } from "./expected-record.ts";
import { compareSpans, type ModelSpan } from "./model-span.ts";

/** A span in its place. */
export interface PlacedSpan {
  readonly span: ModelSpan;
  /** The top has depth 0. */
  readonly depth: number;
  readonly total: ShownFigures;
}

interface Node {
  readonly span: ModelSpan;
  readonly children: Node[];
  depth: number;
}

/**
 * All spans of a trace, parents before children, siblings in order: by the rules of decision 0005,
 * in the plainest way. A subtree is the run of greater depths after a span.
 */
export function expectedTree(spans: readonly ModelSpan[]): PlacedSpan[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const sorted = spans.toSorted(compareSpans);
  const isRoot = (span: ModelSpan) =>
    span.parentId === null || !byId.has(span.parentId) || isCutCycle(span, byId);
  const roots = sorted.filter(isRoot);
  const top = roots.find(({ parentId }) => parentId === null) ?? roots[0];
  if (top === undefined) throw new Error("A trace has at least one span");

  const nodes = new Map(sorted.map((span) => [span.spanId, node(span)]));
  const rootIds = new Set(roots.map(({ spanId }) => spanId));
  for (const span of sorted) {
    if (rootIds.has(span.spanId)) continue;
    nodes.get(span.parentId as string)!.children.push(nodes.get(span.spanId)!);
  }
  const topNode = nodes.get(top.spanId)!;
  topNode.children.push(
    ...roots.filter((root) => root !== top).map((root) => nodes.get(root.spanId)!),
  );
  return withTotals(preorder(topNode));
}

function node(span: ModelSpan): Node {
  return { span, children: [], depth: 0 };
}

/** Whether a span is the earliest of a cycle of parents. */
function isCutCycle(span: ModelSpan, byId: ReadonlyMap<string, ModelSpan>): boolean {
  let earliest = span;
  const seen = new Set<string>();
  for (let at = byId.get(span.parentId!); at !== undefined; at = byId.get(at.parentId ?? "")) {
    if (at === span) return earliest === span;
    // A cycle further up, of which this span is no part.
    if (seen.has(at.spanId)) return false;
    seen.add(at.spanId);
    if (compareSpans(at, earliest) < 0) earliest = at;
  }
  return false;
}

function preorder(top: Node): Node[] {
  const order: Node[] = [];
  const rest = [top];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    order.push(next);
    for (const child of next.children.toReversed()) {
      child.depth = next.depth + 1;
      rest.push(child);
    }
  }
  return order;
}

/** Decision 0006: each token counts once. */
function withTotals(order: readonly Node[]): PlacedSpan[] {
  const totals = new Map<Node, ShownFigures>();
  for (const next of order.toReversed()) {
    const below = next.children.map((child) => totals.get(child)!);
    totals.set(next, totalOf(next.span, below));
  }
  return order.map((next) => ({ span: next.span, depth: next.depth, total: totals.get(next)! }));
}

function totalOf({ figures }: ModelSpan, below: readonly ShownFigures[]): ShownFigures {
  const usages = below.flatMap(({ usage }) => usage ?? []);
  const costs = below.flatMap(({ cost }) => cost ?? []);
  const usage =
    usages.length === 0 ? null : { input: sum(usages, "input"), output: sum(usages, "output") };
  const cost = costs.length === 0 ? null : costs.reduce((a, b) => a + b);
  if (figures === null) return { usage, cost };
  const isKnownBelow = usage !== null || cost !== null;
  const isSame = usage?.input === figures.input && usage.output === figures.output;
  // A wrapper's figures count where nothing below reports any, its cost where nothing below has one.
  const isRepeated = isKnownBelow && (figures.role === "restated" || isSame);
  return {
    usage: isRepeated
      ? usage
      : {
          input: (usage?.input ?? 0) + figures.input,
          output: (usage?.output ?? 0) + figures.output,
        },
    cost: isRepeated && cost !== null ? cost : added(cost, figures.cost),
  };
}

function added(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : a + b;
}

function sum(usages: readonly { input: number; output: number }[], figure: "input" | "output") {
  return usages.reduce((before, usage) => before + usage[figure], 0);
}

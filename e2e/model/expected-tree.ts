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

/** What a total is the sum of: a part of a report, which stands for its call where it names one. */
interface Counted {
  readonly place: Place;
  readonly part: "usage" | "cost";
  readonly call: string | null;
  /** Whether a wrapper above has the cost of these tokens. */
  readonly isCovered?: boolean;
}

/** A node and its place in preorder. */
interface Place {
  readonly node: Node;
  readonly position: number;
}

/** Decisions 0006 and 0044: each token counts once, and each call. */
function withTotals(order: readonly Node[]): PlacedSpan[] {
  const counted = new Map<Node, Counted[]>();
  for (const [position, node] of [...order.entries()].reverse()) {
    const below = node.children.flatMap((child) => counted.get(child)!);
    counted.set(node, countedAt({ node, position }, bestOfCalls(below)));
  }
  return order.map((node) => ({
    span: node.span,
    depth: node.depth,
    total: sumOf(counted.get(node)!),
  }));
}

function countedAt(place: Place, below: readonly Counted[]): Counted[] {
  const { span } = place.node;
  const { figures } = span;
  if (figures === null) return [...below];
  const call = callOf(span);
  const cost: Counted[] = figures.cost === null ? [] : [{ place, part: "cost", call }];
  const own: Counted[] = [{ place, part: "usage", call }, ...cost];
  if (call !== null && below.some((other) => other.call === call)) {
    return bestOfCalls([...below, ...own]);
  }
  const sum = sumOf(below);
  const isSame = sum.usage?.input === figures.input && sum.usage.output === figures.output;
  // A wrapper's figures count where nothing below reports any, its cost where nothing below has one.
  const isRepeated = below.length > 0 && (figures.role === "restated" || isSame);
  if (!isRepeated) return [...below, ...own];
  if (sum.cost !== null || figures.cost === null) return [...below];
  return [
    ...below.map((entry) => ({ ...entry, isCovered: true })),
    ...cost.map((entry) => ({ ...entry, call: null })),
  ];
}

/** Only model calls report a call. */
function callOf({ kind, figures, call }: ModelSpan): string | null {
  if (kind !== "LLM" || figures?.role !== "own" || call === null) return null;
  return `${call.provider.toLowerCase()} ${call.responseId}`;
}

/** One usage and one cost of each call: of a report that has a cost, then of the deepest, then of the first. */
function bestOfCalls(counted: readonly Counted[]): Counted[] {
  const ranked = counted.toSorted(
    (a, b) =>
      Number(hasCost(b)) - Number(hasCost(a)) ||
      b.place.node.depth - a.place.node.depth ||
      a.place.position - b.place.position,
  );
  const covered = new Set(counted.flatMap((entry) => (entry.isCovered ? (entry.call ?? []) : [])));
  const seen = new Set<string>();
  return ranked
    .filter(({ call, part }) => {
      if (call === null) return true;
      const isFirst = !seen.has(`${part} ${call}`);
      seen.add(`${part} ${call}`);
      return isFirst;
    })
    .map((entry) =>
      entry.call !== null && covered.has(entry.call) ? { ...entry, isCovered: true } : entry,
    );
}

function hasCost({ place }: Counted): boolean {
  return (place.node.span.figures?.cost ?? null) !== null;
}

function sumOf(counted: readonly Counted[]): ShownFigures {
  const reports = (part: Counted["part"]) =>
    counted.flatMap((entry) => (entry.part === part ? (entry.place.node.span.figures ?? []) : []));
  const usages = reports("usage");
  const costs = reports("cost").flatMap(({ cost }) => cost ?? []);
  const priced = new Set(
    counted.flatMap(({ part, call, place }) => (part === "cost" ? [call ?? place.node] : [])),
  );
  const unpriced = counted.filter(
    ({ part, call, place, isCovered }) =>
      part === "usage" &&
      isCovered !== true &&
      !priced.has(call ?? place.node) &&
      Math.max(place.node.span.figures?.input ?? 0, place.node.span.figures?.output ?? 0) > 0,
  );
  return {
    usage:
      usages.length === 0 ? null : { input: sum(usages, "input"), output: sum(usages, "output") },
    cost: costs.length === 0 ? null : costs.reduce((a, b) => a + b),
    unpricedCalls: unpriced.length,
  };
}

function sum(usages: readonly { input: number; output: number }[], figure: "input" | "output") {
  return usages.reduce((before, usage) => before + usage[figure], 0);
}

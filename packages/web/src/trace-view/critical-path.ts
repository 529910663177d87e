import { childrenOf, type SpanNode, type SpanTree } from "./span-tree.ts";

/** A part of the critical path: time spent in one span itself. */
export interface PathSection {
  readonly node: SpanNode;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
}

/**
 * The critical path: the spans that determine how long the trace took. Shortening any of its sections
 * would shorten the trace. As Jaeger defines it: walking back from the end of the root span, the child
 * that finished last blocked its parent; before the start of that child, the child that finished last
 * before it; the time between is the parent's own. Time of a child outside its parent blocks nothing,
 * and is left out.
 *
 * The sections are in reverse order, adjacent, and together cover exactly the root span.
 */
export function criticalPath(tree: SpanTree): readonly PathSection[] {
  const sections: PathSection[] = [];
  const top = tree.nodes[0]!;
  // A stack instead of recursion: a chain of spans may be deeper than the call stack.
  const open: Visit[] = [visit(tree, top, top.start, top.end)];
  while (open.length > 0) {
    const now = open.at(-1)!;
    const child = now.byEnd[now.next];
    if (child === undefined) {
      addSection(sections, now.node, now.from, now.cursor);
      open.pop();
      continue;
    }
    now.next += 1;
    const start = Math.max(child.start, now.from);
    const end = Math.min(child.end, now.to);
    if (end > now.cursor || start >= end) continue;
    addSection(sections, now.node, end, now.cursor);
    now.cursor = start;
    open.push(visit(tree, child, start, end));
  }
  return sections;
}

interface Visit {
  readonly node: SpanNode;
  /** The part of the span within all its ancestors. */
  readonly from: number;
  readonly to: number;
  /** The children, the last to finish first. */
  readonly byEnd: readonly SpanNode[];
  next: number;
  /** Time before this is not assigned yet. */
  cursor: number;
}

function visit(tree: SpanTree, node: SpanNode, from: number, to: number): Visit {
  // A child that outlives its parent counts until the parent's end; of children that end together, the
  // longest comes first.
  const byEnd = [...childrenOf(tree, node)].sort(
    (a, b) => Math.min(b.end, to) - Math.min(a.end, to) || a.start - b.start,
  );
  return { node, from, to, byEnd, next: 0, cursor: to };
}

function addSection(sections: PathSection[], node: SpanNode, start: number, end: number): void {
  if (end > start) sections.push({ node, start, end });
}

/** The own time of each span on the path in milliseconds, by span id. */
export function pathShares(sections: readonly PathSection[]): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  for (const { node, start, end } of sections) {
    const { id } = node.span;
    shares.set(id, (shares.get(id) ?? 0) + end - start);
  }
  return shares;
}

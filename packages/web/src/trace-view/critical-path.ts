import { childrenOf, type SpanNode, type SpanTree } from "./span-tree.ts";

/** A stretch of time that a span itself accounts for. */
export interface PathSection {
  readonly node: SpanNode;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
}

/**
 * The chain of spans that determines how long the trace took: were one of its sections shorter, so
 * would be the whole. As Jaeger defines it: walking backwards from the end of the top span, the
 * child that finished last was waited for; from its start on backwards, the child that finished last
 * before that; what lies between is the span's own. What a child does outside of its parent's time
 * nobody waits for, and is left out.
 *
 * The sections come last first, touch each other, and together cover exactly the top span.
 */
export function criticalPath(tree: SpanTree): readonly PathSection[] {
  const sections: PathSection[] = [];
  const top = tree.nodes[0]!;
  // A stack of spans that were waited for: a chain may be deeper than calls can be.
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
  /** The part of the span that lies within all that wait for it. */
  readonly from: number;
  readonly to: number;
  /** Children, the last to finish first. */
  readonly byEnd: readonly SpanNode[];
  next: number;
  /** Up to here, nothing has been accounted for yet. */
  cursor: number;
}

function visit(tree: SpanTree, node: SpanNode, from: number, to: number): Visit {
  // What ends after its parent was waited for no longer than the parent took; of those that end
  // together, the longest.
  const byEnd = [...childrenOf(tree, node)].sort(
    (a, b) => Math.min(b.end, to) - Math.min(a.end, to) || a.start - b.start,
  );
  return { node, from, to, byEnd, next: 0, cursor: to };
}

function addSection(sections: PathSection[], node: SpanNode, start: number, end: number): void {
  if (end > start) sections.push({ node, start, end });
}

/** How long each span of the path accounts for by itself, in milliseconds, by its id. */
export function pathShares(sections: readonly PathSection[]): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  for (const { node, start, end } of sections) {
    const { id } = node.span;
    shares.set(id, (shares.get(id) ?? 0) + end - start);
  }
  return shares;
}

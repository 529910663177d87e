import { ancestorsOf, hasChildren, type SpanNode, type SpanTree } from "./span-tree.ts";

/** The ids of collapsed spans. */
export type Collapsed = ReadonlySet<string>;

/** The visible spans: all but the descendants of collapsed ones, in tree order. */
export function visibleRows({ nodes }: SpanTree, collapsed: Collapsed): readonly SpanNode[] {
  if (collapsed.size === 0) return nodes;
  const rows: SpanNode[] = [];
  for (let index = 0; index < nodes.length; ) {
    const node = nodes[index]!;
    rows.push(node);
    index = collapsed.has(node.span.id) ? node.endIndex : index + 1;
  }
  return rows;
}

/** The row of a span, or of the collapsed ancestor that hides it. */
export function rowOf(rows: readonly SpanNode[], index: number): number {
  let [low, high] = [0, rows.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (rows[middle]!.index <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function withToggled(collapsed: Collapsed, id: string): Collapsed {
  const next = new Set(collapsed);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** Collapses all spans from this depth on; 0 leaves only the root. */
export function collapsedBelow({ nodes }: SpanTree, depth: number): Collapsed {
  return new Set(
    nodes.filter((node) => node.depth >= depth && hasChildren(node)).map(({ span }) => span.id),
  );
}

/** Expands all ancestors of these spans. */
export function revealed(
  tree: SpanTree,
  collapsed: Collapsed,
  shown: Iterable<SpanNode>,
): Collapsed {
  if (collapsed.size === 0) return collapsed;
  const next = new Set(collapsed);
  // The ancestors of a span seen before are expanded already: without this, a deep chain costs O(n²).
  const seen = new Set<number>();
  for (const node of shown) {
    for (const { index, span } of ancestorsOf(tree, node)) {
      if (seen.has(index)) break;
      seen.add(index);
      next.delete(span.id);
    }
  }
  return next.size === collapsed.size ? collapsed : next;
}

/** Expands all siblings of a span, as `*` does in a tree. */
export function withSiblingsOpen(
  { nodes }: SpanTree,
  collapsed: Collapsed,
  { parent }: SpanNode,
): Collapsed {
  const next = new Set(collapsed);
  for (const node of nodes) if (node.parent === parent) next.delete(node.span.id);
  return next;
}

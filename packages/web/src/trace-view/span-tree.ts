import type { SpanRecord } from "@agate/protocol";
import { spanTimes } from "./span-times.ts";

/** A span in the tree. */
export interface SpanNode {
  readonly span: SpanRecord;
  /** Its index in {@link SpanTree.nodes}. */
  readonly index: number;
  /** The index of its parent; -1 for the root. */
  readonly parent: number;
  /** 0 for the root. */
  readonly depth: number;
  /** Its position among its siblings, from 1, and their number. */
  readonly position: number;
  readonly siblings: number;
  /** Milliseconds since 1970, with fractions. */
  readonly start: number;
  readonly end: number;
  /** Its parent is not recorded, or it names none and was placed under the root. */
  readonly isOrphan: boolean;
  /** The index after its last descendant. */
  endIndex: number;
  /** The number of failed descendants. */
  errorsBelow: number;
}

/** The spans of a trace in display order: each before its descendants. */
export interface SpanTree {
  readonly nodes: readonly SpanNode[];
  /** The index of each span, by id. */
  readonly indexOf: ReadonlyMap<string, number>;
  /** The first start and the last end. */
  readonly start: number;
  readonly end: number;
}

/**
 * Flattens a trace into a list, depth first. Without recursion: a chain of spans may be deeper than the
 * call stack.
 */
export function buildSpanTree(trace: SpanRecord): SpanTree {
  const nodes: SpanNode[] = [];
  const indexOf = new Map<string, number>();
  const open: SpanNode[] = [];
  const walks: Iterator<[number, SpanRecord]>[] = [[trace].entries()];
  let [start, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  while (walks.length > 0) {
    const { done, value } = walks.at(-1)!.next();
    if (done) {
      walks.pop();
      const closed = open.pop();
      if (closed !== undefined) {
        closed.endIndex = nodes.length;
        const above = open.at(-1);
        if (above !== undefined)
          above.errorsBelow += closed.errorsBelow + (isFailed(closed) ? 1 : 0);
      }
      continue;
    }
    const [place, span] = value;
    const parent = open.at(-1);
    const times = spanTimes(span);
    const node: SpanNode = {
      span,
      index: nodes.length,
      parent: parent?.index ?? -1,
      depth: open.length,
      position: place + 1,
      siblings: parent?.span.children?.length ?? 1,
      ...times,
      isOrphan:
        parent === undefined
          ? span.parent_span_id !== null
          : span.parent_span_id !== parent.span.id,
      endIndex: nodes.length + 1,
      errorsBelow: 0,
    };
    nodes.push(node);
    indexOf.set(span.id, node.index);
    start = Math.min(start, times.start);
    end = Math.max(end, times.end);
    open.push(node);
    walks.push((span.children ?? []).entries());
  }
  return { nodes, indexOf, start, end };
}

export function isFailed({ span }: Pick<SpanNode, "span">): boolean {
  return span.status === "ERROR";
}

export function hasChildren(node: SpanNode): boolean {
  return node.endIndex > node.index + 1;
}

/** The children of a span, in order. */
export function* childrenOf(tree: SpanTree, node: SpanNode): Generator<SpanNode> {
  for (let index = node.index + 1; index < node.endIndex; ) {
    const child = tree.nodes[index]!;
    yield child;
    index = child.endIndex;
  }
}

/** The ancestors of a span, from its parent to the root. */
export function* ancestorsOf(tree: SpanTree, node: SpanNode): Generator<SpanNode> {
  for (let index = node.parent; index >= 0; ) {
    const ancestor = tree.nodes[index]!;
    yield ancestor;
    index = ancestor.parent;
  }
}

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

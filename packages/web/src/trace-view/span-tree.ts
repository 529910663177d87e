import type { SpanRecord } from "@agate/protocol";
import { spanTimes } from "./span-times.ts";

/** A span at its place in the tree. */
export interface SpanNode {
  readonly span: SpanRecord;
  /** Its place in {@link SpanTree.nodes}. */
  readonly index: number;
  /** The place of the span that it hangs under; -1 for the top. */
  readonly parent: number;
  /** 0 for the top. */
  readonly depth: number;
  /** Its place among its siblings, from 1, and how many those are. */
  readonly position: number;
  readonly siblings: number;
  /** Milliseconds since 1970, with fractions. */
  readonly start: number;
  readonly end: number;
  /** It names a parent that is not recorded, or none although it hangs under one. */
  readonly isOrphan: boolean;
  /** The place after its last descendant: everything below it lies between. */
  endIndex: number;
  /** How many of the spans below it failed. */
  errorsBelow: number;
}

/** The spans of a trace in the order in which they are shown: each before what is below it. */
export interface SpanTree {
  readonly nodes: readonly SpanNode[];
  /** The places of spans by their ids. */
  readonly indexOf: ReadonlyMap<string, number>;
  /** From the first start to the last end. */
  readonly start: number;
  readonly end: number;
}

/**
 * Lays a trace out in one list, in one walk. There is no recursion: a chain may be deeper than the
 * stack of calls.
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

/** Whether there is anything below a span. */
export function hasChildren(node: SpanNode): boolean {
  return node.endIndex > node.index + 1;
}

/** The spans right below one, in order. */
export function* childrenOf(tree: SpanTree, node: SpanNode): Generator<SpanNode> {
  for (let index = node.index + 1; index < node.endIndex; ) {
    const child = tree.nodes[index]!;
    yield child;
    index = child.endIndex;
  }
}

/** The spans above one, from its parent to the top. */
export function* ancestorsOf(tree: SpanTree, node: SpanNode): Generator<SpanNode> {
  for (let index = node.parent; index >= 0; ) {
    const ancestor = tree.nodes[index]!;
    yield ancestor;
    index = ancestor.parent;
  }
}

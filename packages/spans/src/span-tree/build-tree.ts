import type { TotalFigures } from "@agate/protocol";
import type { ReportedFigures } from "./reported-figures.ts";
import { sumFigures } from "./sum-figures.ts";

/** What the tree needs to know of a span; everything else stays in its record text. */
export interface SpanNode {
  readonly id: string;
  readonly parentId: string | null;
  /** Microseconds since 1970, no later than the last that a number holds exactly (in 2255). */
  readonly start: number;
  /** 0 to 999: what the start time has below the microsecond. It orders siblings. */
  readonly startNanos: number;
  readonly figures: ReportedFigures | null;
}

/** The nodes of a trace by index. A list is one; a store may keep them more tightly. */
export interface SpanNodes {
  readonly length: number;
  at(index: number): SpanNode | undefined;
}

/**
 * The tree of one trace. Nodes are named by their index in the list it was built from. A subtree is
 * a slice of `preorder`: from `position[node]` up to `subtreeEnd[node]`.
 */
export interface SpanTree {
  readonly top: number;
  /** All nodes, parents before children, siblings in order. */
  readonly preorder: Int32Array;
  /** Where a node stands in `preorder`. */
  readonly position: Int32Array;
  /** The place in `preorder` just past a node's subtree. */
  readonly subtreeEnd: Int32Array;
  /** The top has depth 0. */
  readonly depth: Int32Array;
  /** A node's `metadata.total`. */
  total(node: number): TotalFigures;
}

/** Parent of a span that names none. */
const PARENTLESS = -1;
/** Parent of a span whose parent is not here, or where a cycle was cut. */
const ADRIFT = -2;

/**
 * Builds the tree by the rules of design §4: every node is in it exactly once, even if parents are
 * missing or form a cycle. The earliest parentless node is the top (the earliest root, where every node names a
 * parent); all other roots hang under it, after its own children. Takes no recursion, so a chain
 * may be as long as memory allows.
 *
 * @param nodes At least one; each id once.
 */
export function buildTree(nodes: SpanNodes): SpanTree {
  const order = chronological(nodes);
  const parent = parentsOf(nodes);
  cutCycles(parent, order);
  const top = findTop(parent, order);
  const { firstChild, nextSibling } = linkChildren(parent, order, top);
  const walk = walkPreorder(top, firstChild, nextSibling);
  const figuresOf = (node: number) => nodeAt(nodes, node).figures;
  return { top, ...walk, total: sumFigures(figuresOf, walk) };
}

/** Node indices by start time, then id. */
function chronological(nodes: SpanNodes): Int32Array {
  const order = new Int32Array(nodes.length);
  let sorted = true;
  let last: SpanNode | undefined;
  for (let i = 0; i < nodes.length; i++) {
    order[i] = i;
    const node = nodeAt(nodes, i);
    if (last !== undefined && compareNodes(last, node) > 0) sorted = false;
    last = node;
  }
  return sorted ? order : order.sort(comparison(nodes));
}

/** {@link compareNodes} by index; the starts are taken out first, as a sort compares often. */
function comparison(nodes: SpanNodes): (a: number, b: number) => number {
  const start = new Float64Array(nodes.length);
  for (let i = 0; i < nodes.length; i++) start[i] = nodeAt(nodes, i).start;
  return (a, b) => at(start, a) - at(start, b) || compareNodes(nodeAt(nodes, a), nodeAt(nodes, b));
}

/** The order of siblings. Ids are compared by code unit, so that it is the same everywhere. */
export function compareNodes(a: SpanNode, b: SpanNode): number {
  if (a.start !== b.start) return a.start - b.start;
  if (a.startNanos !== b.startNanos) return a.startNanos - b.startNanos;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function parentsOf(nodes: SpanNodes): Int32Array {
  const indexById = new Map<string, number>();
  for (let i = 0; i < nodes.length; i++) indexById.set(nodeAt(nodes, i).id, i);
  const parent = new Int32Array(nodes.length);
  for (let i = 0; i < nodes.length; i++) {
    const { parentId } = nodeAt(nodes, i);
    parent[i] = parentId === null ? PARENTLESS : (indexById.get(parentId) ?? ADRIFT);
  }
  return parent;
}

/** Makes the parent links a forest: each cycle loses the link of its earliest node. */
function cutCycles(parent: Int32Array, order: Int32Array): void {
  const rank = new Int32Array(order.length);
  for (let r = 0; r < order.length; r++) rank[at(order, r)] = r;
  // 0: not visited; otherwise the number (from 1) of the walk that visited it.
  const walkedBy = new Int32Array(parent.length);
  for (let start = 0; start < parent.length; start++) {
    let node = start;
    while (node >= 0 && walkedBy[node] === 0) {
      walkedBy[node] = start + 1;
      node = at(parent, node);
    }
    if (node < 0 || walkedBy[node] !== start + 1) continue;
    let earliest = node;
    for (let n = at(parent, node); n !== node; n = at(parent, n)) {
      if (at(rank, n) < at(rank, earliest)) earliest = n;
    }
    parent[earliest] = ADRIFT;
  }
}

function findTop(parent: Int32Array, order: Int32Array): number {
  let earliestRoot = -1;
  for (const node of order) {
    if (parent[node] === PARENTLESS) return node;
    if (earliestRoot < 0 && parent[node] === ADRIFT) earliestRoot = node;
  }
  return earliestRoot;
}

/** Sibling lists in order: own children by time, then, under the top, the adopted roots by time. */
function linkChildren(parent: Int32Array, order: Int32Array, top: number) {
  const firstChild = new Int32Array(parent.length).fill(-1);
  const nextSibling = new Int32Array(parent.length).fill(-1);
  const push = (node: number, under: number) => {
    nextSibling[node] = at(firstChild, under);
    firstChild[under] = node;
  };
  // Each push puts a node in front, so what comes last is pushed first.
  for (let r = order.length - 1; r >= 0; r--) {
    const node = at(order, r);
    if (at(parent, node) < 0 && node !== top) push(node, top);
  }
  for (let r = order.length - 1; r >= 0; r--) {
    const node = at(order, r);
    const under = at(parent, node);
    if (under >= 0) push(node, under);
  }
  return { firstChild, nextSibling };
}

function walkPreorder(top: number, firstChild: Int32Array, nextSibling: Int32Array) {
  const count = firstChild.length;
  const preorder = new Int32Array(count);
  const position = new Int32Array(count);
  const subtreeEnd = new Int32Array(count);
  const depth = new Int32Array(count);
  const parentInTree = new Int32Array(count).fill(-1);
  let length = 0;
  let node = top;
  while (node >= 0) {
    position[node] = length;
    preorder[length++] = node;
    let next = at(firstChild, node);
    if (next >= 0) {
      parentInTree[next] = node;
      depth[next] = at(depth, node) + 1;
    } else {
      subtreeEnd[node] = length;
      // Up to the first ancestor with a younger sibling.
      while (node !== top && at(nextSibling, node) < 0) {
        node = at(parentInTree, node);
        subtreeEnd[node] = length;
      }
      if (node === top) break;
      next = at(nextSibling, node);
      parentInTree[next] = at(parentInTree, node);
      depth[next] = at(depth, node);
    }
    node = next;
  }
  return { preorder, position, subtreeEnd, depth, parentInTree };
}

/** An element that is there by construction. */
function at<T>(list: ArrayLike<T>, index: number): T {
  return list[index] as T;
}

function nodeAt(nodes: SpanNodes, index: number): SpanNode {
  return nodes.at(index) as SpanNode;
}

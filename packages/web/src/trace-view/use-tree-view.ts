import { useDeferredValue, useMemo, useState } from "react";
import { criticalPath, type PathSection, pathShares } from "./critical-path.ts";
import type { SpanIndex } from "./search-spans.ts";
import type { Interval } from "./span-times.ts";
import {
  type Collapsed,
  hasChildren,
  isFailed,
  revealed,
  rowOf,
  type SpanNode,
  type SpanTree,
  visibleRows,
  withSiblingsOpen,
  withToggled,
} from "./span-tree.ts";

/** The row that keys act on. A new object scrolls to it, even for the same span. */
export interface Cursor {
  readonly id: string;
  /** A jump centres the row; a step scrolls it into view. */
  readonly align: "center" | "auto";
}

/** The state of a tree, and its changes. */
export interface TreeView {
  readonly tree: SpanTree;
  readonly rows: readonly SpanNode[];
  readonly collapsed: Collapsed;
  readonly setCollapsed: (collapsed: Collapsed) => void;
  readonly cursor: Cursor;
  readonly setCursor: (id: string) => void;
  /** Expands the ancestors of a span, centres it and selects it. */
  readonly jumpTo: (node: SpanNode) => void;
  /** Selects a visible span without scrolling. */
  readonly choose: (node: SpanNode) => void;
  /** The visible part of the time axis. */
  readonly axis: Interval;
  readonly isZoomed: boolean;
  readonly zoomTo: (range: Interval | null) => void;
  readonly search: string;
  readonly setSearch: (text: string) => void;
  readonly matches: readonly SpanNode[];
  readonly errors: readonly SpanNode[];
  /** The critical path; null while it is hidden. */
  readonly path: PathView | null;
  /** Shows or hides the path; when shown, jumps to its longest span. */
  readonly togglePath: () => void;
}

export interface PathView {
  /** Milliseconds by span id. */
  readonly shares: ReadonlyMap<string, number>;
  readonly sectionsOf: ReadonlyMap<string, readonly PathSection[]>;
}

interface TreeViewOptions {
  readonly selected: string | null;
  readonly onSelect: (spanId: string) => void;
  /** What is searched for at first. */
  readonly firstSearch: string;
}

/** The state of a tree; it is kept while spans are added to the trace. */
export function useTreeView(
  tree: SpanTree,
  index: SpanIndex,
  { selected, onSelect, firstSearch }: TreeViewOptions,
): TreeView {
  const [collapsed, setCollapsed] = useState<Collapsed>(new Set());
  const [cursor, setCursor] = useState<Cursor>({
    id: selected ?? tree.nodes[0]!.span.id,
    align: "center",
  });
  const [zoom, setZoom] = useState<Interval | null>(null);
  const [search, setSearch] = useState(firstSearch);
  const [isPathShown, setPathShown] = useState(false);

  const rows = useMemo(() => visibleRows(tree, collapsed), [tree, collapsed]);
  const errors = useMemo(() => tree.nodes.filter(isFailed), [tree]);
  const sought = useDeferredValue(search);
  const matches = useMemo(() => index.find(sought), [index, sought]);
  const path = useMemo(
    () => (isPathShown ? viewOf(criticalPath(tree)) : null),
    [tree, isPathShown],
  );

  const reveal = (id: string, shown: Iterable<SpanNode>, align: Cursor["align"] = "center") => {
    setCollapsed((now) => revealed(tree, now, shown));
    setCursor({ id, align });
  };
  // A selection from outside (a link, Back) is revealed. One made here comes back through the address
  // later, when the cursor may have moved on: it is not revealed again.
  const [known, setKnown] = useState(selected);
  const [asked, setAsked] = useState<string | null>(null);
  if (selected !== known) {
    setKnown(selected);
    setAsked(null);
    const chosen = selected === null ? undefined : nodeOf(tree, selected);
    if (chosen !== undefined && selected !== asked) reveal(chosen.span.id, [chosen]);
  }
  // A new search expands all matches, and scrolls to the first.
  const [found, setFound] = useState(sought);
  if (sought !== found) {
    setFound(sought);
    const first = matches[0];
    if (first !== undefined) reveal(first.span.id, matches);
  }

  const select = (node: SpanNode, align: Cursor["align"]) => {
    reveal(node.span.id, [node], align);
    setAsked(node.span.id);
    onSelect(node.span.id);
  };
  const jumpTo = (node: SpanNode) => select(node, "center");
  return {
    tree,
    rows,
    collapsed,
    setCollapsed,
    cursor,
    setCursor: (id) => setCursor({ id, align: "auto" }),
    jumpTo,
    choose: (node) => select(node, "auto"),
    axis: zoom ?? tree,
    isZoomed: zoom !== null,
    zoomTo: setZoom,
    search,
    setSearch,
    matches,
    errors,
    path,
    togglePath: () => {
      setPathShown(!isPathShown);
      const longest = isPathShown ? undefined : longestOf(viewOf(criticalPath(tree)).shares);
      const node = longest === undefined ? undefined : nodeOf(tree, longest);
      if (node !== undefined) jumpTo(node);
    },
  };
}

export function nodeOf({ nodes, indexOf }: SpanTree, id: string): SpanNode | undefined {
  const index = indexOf.get(id);
  return index === undefined ? undefined : nodes[index];
}

function longestOf(shares: ReadonlyMap<string, number>): string | undefined {
  return [...shares].reduce<[string, number] | undefined>(
    (longest, share) => (longest === undefined || share[1] > longest[1] ? share : longest),
    undefined,
  )?.[0];
}

function viewOf(sections: readonly PathSection[]): PathView {
  return {
    shares: pathShares(sections),
    sectionsOf: Map.groupBy(sections, ({ node }) => node.span.id),
  };
}

/** How far Page Up and Page Down move. */
const PAGE_ROWS = 15;

/**
 * Handles a key as the ARIA treegrid pattern defines it.
 *
 * @returns whether the key was handled.
 */
export function pressTreeKey(key: string, view: TreeView): boolean {
  const { tree, rows, cursor, collapsed } = view;
  const row = rowOf(rows, tree.indexOf.get(cursor.id) ?? 0);
  const node = rows[row]!;
  const { id } = node.span;
  const isOpen = hasChildren(node) && !collapsed.has(id);
  const moveTo = (to: SpanNode | undefined) => to && view.setCursor(to.span.id);
  const moveBy = (by: number) => moveTo(rows[Math.min(rows.length - 1, Math.max(0, row + by))]);
  switch (key) {
    case "ArrowDown":
      moveBy(1);
      return true;
    case "ArrowUp":
      moveBy(-1);
      return true;
    case "PageDown":
      moveBy(PAGE_ROWS);
      return true;
    case "PageUp":
      moveBy(-PAGE_ROWS);
      return true;
    case "Home":
      moveTo(rows[0]);
      return true;
    case "End":
      moveTo(rows.at(-1));
      return true;
    case "ArrowRight":
      if (isOpen) moveBy(1);
      else if (hasChildren(node)) view.setCollapsed(withToggled(collapsed, id));
      return true;
    case "ArrowLeft":
      if (isOpen) view.setCollapsed(withToggled(collapsed, id));
      else moveTo(tree.nodes[node.parent]);
      return true;
    case "*":
      view.setCollapsed(withSiblingsOpen(tree, collapsed, node));
      return true;
    case "Enter":
    case " ":
      view.choose(node);
      return true;
    case "z":
      view.zoomTo(node.end > node.start ? { start: node.start, end: node.end } : null);
      return true;
    case "Z":
      view.zoomTo(null);
      return true;
    case "e":
      if (view.errors.length > 0) view.jumpTo(after(view.errors, node) ?? node);
      return true;
    default:
      return false;
  }
}

/** The next node after a span, wrapping around at the end. */
export function after(
  nodes: readonly SpanNode[],
  from: SpanNode | undefined,
): SpanNode | undefined {
  return nodes.find(({ index }) => index > (from?.index ?? -1)) ?? nodes[0];
}

export function before(
  nodes: readonly SpanNode[],
  from: SpanNode | undefined,
): SpanNode | undefined {
  return nodes.findLast(({ index }) => index < (from?.index ?? 0)) ?? nodes.at(-1);
}

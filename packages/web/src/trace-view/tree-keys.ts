import { hasChildren, type SpanNode } from "./span-tree.ts";
import type { TreeView } from "./use-tree-view.ts";
import { rowOf, withSiblingsOpen, withToggled } from "./visible-rows.ts";

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

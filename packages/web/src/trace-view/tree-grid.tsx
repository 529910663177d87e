import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import type { KeyboardEvent, MouseEvent } from "react";
import { useCallback, useEffect, useId, useMemo, useRef } from "react";
import { classNames } from "../design/class-names.ts";
import { GridHeading, GridRow, GridRows } from "./grid-parts.tsx";
import { ROW_HEIGHT, rowClass } from "./row-layout.ts";
import { TimeAxis } from "./time-axis.tsx";
import { pressTreeKey } from "./tree-keys.ts";
import { TreeRow } from "./tree-row.tsx";
import { nodeOf, type TreeView } from "./use-tree-view.ts";
import { rowOf, withToggled } from "./visible-rows.ts";

const HEADER_HEIGHT = 32;

interface TreeGridProps {
  readonly view: TreeView;
  readonly selected: string | null;
  readonly isCompact: boolean;
  readonly fresh?: ReadonlySet<string> | undefined;
}

/** The rows of a trace. Only those in sight are there; keys work as in any treegrid. */
export function TreeGrid({ view, selected, isCompact, fresh }: TreeGridProps) {
  const { tree, rows, cursor, axis, collapsed, matches, path } = view;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const cursorRow = rowOf(rows, tree.indexOf.get(cursor.id) ?? 0);
  // The same for as long as the rows are: for another, all of them are measured anew.
  const getItemKey = useCallback((index: number) => rows[index]!.span.id, [rows]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey,
    overscan: 10,
    scrollMargin: HEADER_HEIGHT,
    scrollPaddingStart: HEADER_HEIGHT,
    // Scrolled to in an effect, where React cannot flush at once.
    useFlushSync: false,
    // What the keyboard is on is there even out of sight, for those who hear the page.
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      return shown.includes(cursorRow) ? shown : [...shown, cursorRow].sort((a, b) => a - b);
    },
  });
  const scrolledTo = useRef<unknown>(null);
  useEffect(() => {
    // Once for each jump: rows that come or go must not move what one is reading.
    if (scrolledTo.current === cursor) return;
    scrolledTo.current = cursor;
    virtual.scrollToIndex(cursorRow, { align: cursor.align });
  }, [cursor, cursorRow, virtual]);

  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Buttons inside of the grid have keys of their own.
    if (event.target !== scroller.current) return;
    if (pressTreeKey(event.key, view)) event.preventDefault();
  };
  const click = (event: MouseEvent) => {
    if (!(event.target instanceof Element)) return;
    const spanId = event.target.closest("[data-span]")?.getAttribute("data-span") ?? null;
    const node = spanId === null ? undefined : nodeOf(tree, spanId);
    if (node === undefined) return;
    if (event.target.closest("[data-toggle]") === null) view.choose(node);
    else {
      view.setCollapsed(withToggled(collapsed, node.span.id));
      view.setCursor(node.span.id);
    }
    scroller.current?.focus({ preventScroll: true });
  };
  const matched = useMemo(() => new Set(matches), [matches]);
  return (
    <div
      ref={scroller}
      role="treegrid"
      aria-label="Spans"
      aria-rowcount={rows.length + 1}
      aria-activedescendant={`${id}-${rows[cursorRow]!.span.id}`}
      tabIndex={0}
      onKeyDown={press}
      onClick={click}
      className="@container min-h-0 bg-surface flex-1 overflow-x-hidden overflow-y-auto -outline-offset-2"
    >
      <GridRow
        aria-rowindex={1}
        className={classNames(
          rowClass(isCompact),
          "sticky top-0 z-20 border-b border-line bg-surface text-xs font-medium text-ink-soft",
        )}
        style={{ height: HEADER_HEIGHT }}
      >
        <GridHeading>Span</GridHeading>
        <GridHeading className="text-right">Latency</GridHeading>
        {!isCompact && <GridHeading className="text-right @max-[560px]:hidden">Tokens</GridHeading>}
        {!isCompact && <GridHeading className="text-right @max-[560px]:hidden">Cost</GridHeading>}
        <TimeAxis axis={axis} origin={tree.start} onZoom={view.zoomTo} />
      </GridRow>
      <GridRows className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const node = rows[index]!;
          const spanId = node.span.id;
          return (
            <TreeRow
              key={spanId}
              id={`${id}-${spanId}`}
              node={node}
              tree={tree}
              row={index}
              top={start - HEADER_HEIGHT}
              axis={axis}
              search={matched.has(node) ? view.search.trim() : ""}
              isMatch={matched.has(node)}
              isCollapsed={collapsed.has(spanId)}
              isSelected={spanId === selected}
              isCursor={index === cursorRow}
              isCompact={isCompact}
              isFresh={fresh?.has(spanId) ?? false}
              path={path}
            />
          );
        })}
      </GridRows>
    </div>
  );
}

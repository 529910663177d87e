import type { SpanRecord } from "@agate/protocol";
import { formatDuration } from "@agate/protocol/format";
import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import type { KeyboardEvent, MouseEvent, PointerEvent } from "react";
import { type RefObject, useCallback, useEffect, useId, useMemo, useRef, useState } from "react";
import { elapsedTicks } from "../charts/axis-ticks.ts";
import { classNames } from "../design/class-names.ts";
import { tickText } from "../format/tick-text.ts";
import { indexSpans, type SpanIndex } from "./search-spans.ts";
import type { Interval } from "./span-times.ts";
import { buildSpanTree, rowOf, type SpanTree, withToggled } from "./span-tree.ts";
import { GridHeading, GridRow, GridRows, ROW_HEIGHT, rowClass, TreeRow } from "./tree-row.tsx";
import { TreeToolbar } from "./tree-toolbar.tsx";
import { nodeOf, pressTreeKey, type TreeView, useTreeView } from "./use-tree-view.ts";

interface SpanTreeViewProps {
  readonly tree: SpanTree;
  readonly index: SpanIndex;
  /** The id of the selected span. */
  readonly selected: string | null;
  readonly onSelect: (spanId: string) => void;
  readonly isCompact?: boolean;
  /** What is searched for at first. */
  readonly search?: string;
  /** The ids of spans that arrived since the page was opened. */
  readonly fresh?: ReadonlySet<string>;
}

/** Up to this size a compact tree fits on the screen, and needs no toolbar. */
const FEW_SPANS = 12;

/** A span tree with its toolbar. */
export function SpanTreeView(props: SpanTreeViewProps) {
  const { tree, index, selected, onSelect, isCompact = false, search = "", fresh } = props;
  const view = useTreeView(tree, index, { selected, onSelect, firstSearch: search });
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      {!(isCompact && isPlain(tree)) && <TreeToolbar view={view} isCompact={isCompact} />}
      <TreeGrid view={view} selected={selected} isCompact={isCompact} fresh={fresh} />
    </div>
  );
}

function isPlain({ nodes }: SpanTree): boolean {
  return nodes.length <= FEW_SPANS && !nodes.some(({ span }) => span.status === "ERROR");
}

interface TraceTreeProps {
  readonly trace: SpanRecord;
  /** The id of the selected span. */
  readonly selected: string | null;
  readonly onSelect: (spanId: string) => void;
  /** Without the columns for tokens and cost, for a small pane. */
  readonly isCompact?: boolean;
}

/** The span tree of a trace. */
export function TraceTree({ trace, ...rest }: TraceTreeProps) {
  const tree = useMemo(() => buildSpanTree(trace), [trace]);
  const index = useMemo(() => indexSpans(tree), [tree]);
  return <SpanTreeView tree={tree} index={index} {...rest} />;
}

const HEADER_HEIGHT = 32;

interface TreeGridProps {
  readonly view: TreeView;
  readonly selected: string | null;
  readonly isCompact: boolean;
  readonly fresh?: ReadonlySet<string> | undefined;
}

/** The span tree as an ARIA treegrid, virtualised. */
function TreeGrid({ view, selected, isCompact, fresh }: TreeGridProps) {
  const { tree, rows, cursor, axis, collapsed, matches, path } = view;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const cursorRow = rowOf(rows, tree.indexOf.get(cursor.id) ?? 0);
  const virtual = useVirtualRows(view, cursorRow, scroller);

  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Buttons inside the grid handle their own keys.
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
      <HeadingRow view={view} isCompact={isCompact} />
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

/** Renders the rows in view, and scrolls to the cursor when it moves. */
function useVirtualRows(
  { rows, cursor }: TreeView,
  cursorRow: number,
  scroller: RefObject<HTMLDivElement | null>,
) {
  // Kept while the rows are the same: with another function, the virtualizer measures every row again.
  const getItemKey = useCallback((index: number) => rows[index]!.span.id, [rows]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey,
    overscan: 10,
    scrollMargin: HEADER_HEIGHT,
    scrollPaddingStart: HEADER_HEIGHT,
    // The effect below scrolls, and React cannot flush synchronously inside an effect.
    useFlushSync: false,
    // The row of the cursor is rendered even out of view, because screen readers announce it.
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      return shown.includes(cursorRow) ? shown : [...shown, cursorRow].sort((a, b) => a - b);
    },
  });
  const scrolledTo = useRef<unknown>(null);
  useEffect(() => {
    // Once for each jump: spans that arrive later must not scroll the tree.
    if (scrolledTo.current === cursor) return;
    scrolledTo.current = cursor;
    virtual.scrollToIndex(cursorRow, { align: cursor.align });
  }, [cursor, cursorRow, virtual]);
  return virtual;
}

function HeadingRow({ view, isCompact }: Pick<TreeGridProps, "view" | "isCompact">) {
  const { tree, axis, zoomTo } = view;
  return (
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
      <TimeAxis axis={axis} origin={tree.start} onZoom={zoomTo} />
    </GridRow>
  );
}

/** A shorter drag is a click. */
const SHORTEST_DRAG = 0.01;
const LAST_LABEL = 0.8;

interface TimeAxisProps {
  readonly axis: Interval;
  /** The start of the trace. */
  readonly origin: number;
  readonly onZoom: (range: Interval) => void;
}

/** The time axis above the bars. Dragging zooms in. */
function TimeAxis({ axis, origin, onZoom }: TimeAxisProps) {
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number } | null>(null);
  const placeOf = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - left) / width));
  };
  const finish = () => {
    setDrag(null);
    if (drag === null || Math.abs(drag.to - drag.from) < SHORTEST_DRAG) return;
    const length = axis.end - axis.start;
    const [from, to] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
    if (length > 0) onZoom({ start: axis.start + from * length, end: axis.start + to * length });
  };
  return (
    <GridHeading
      aria-label="Time"
      title="Drag to zoom in"
      className="relative h-full min-w-0 cursor-ew-resize touch-none overflow-hidden select-none"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        const from = placeOf(event);
        setDrag({ from, to: from });
      }}
      onPointerMove={(event) => drag && setDrag({ ...drag, to: placeOf(event) })}
      onPointerUp={finish}
      onPointerCancel={() => setDrag(null)}
    >
      {elapsedTicks({ from: axis.start, to: axis.end }, origin, 3).map(({ at, place }) => (
        <span
          key={at}
          className="absolute inset-y-0 flex items-center border-l border-line pl-1 font-normal whitespace-nowrap tabular-nums"
          style={{ left: `${place * 100}%` }}
        >
          {/* A label near the end would be cut off. */}
          {place < LAST_LABEL && (at === 0 ? "0" : tickText(formatDuration(at)))}
        </span>
      ))}
      {drag !== null && (
        <span
          className="absolute inset-y-0 border-x border-accent bg-accent-soft"
          style={{
            left: `${Math.min(drag.from, drag.to) * 100}%`,
            width: `${Math.abs(drag.to - drag.from) * 100}%`,
          }}
        />
      )}
    </GridHeading>
  );
}

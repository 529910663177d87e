import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import type { ReactNode, Ref, RefObject } from "react";
import {
  useCallback,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useMemo,
  useRef,
} from "react";
import type { ListView, TraceRow } from "../../api/trace-row.ts";
import { useElementWidth, useNow } from "../../design/browser-state.ts";
import { classNames } from "../../design/class-names.ts";
import type { CheckedRows } from "./checked-rows.ts";
import { RowCheckbox } from "./row-checkbox.tsx";
import {
  HEADS_CLASS,
  headClass,
  layoutOf,
  MARGINS,
  type RowLayout,
  SCROLLER_CLASS,
} from "./row-look.ts";
import { type ColumnId, columnTracks, fitColumns, type TraceColumn } from "./trace-columns.ts";
import { TraceCard, TraceLine } from "./trace-line.tsx";
import type { RowActions } from "./use-row-actions.ts";

/** How many rows before the end the next page is loaded, at most: half of those that are there. */
const READ_AHEAD = 30;

export interface RowsHandle {
  scrollTo(index: number): void;
  scrollToTop(): void;
  /** The index of the first row in view. */
  firstInSight(): number;
}

interface TraceRowsProps {
  readonly ref: Ref<RowsHandle>;
  readonly rows: readonly TraceRow[];
  readonly view: ListView;
  readonly chosen: ReadonlySet<ColumnId>;
  /** The index of the selected row; -1 for none. */
  readonly selected: number;
  readonly checked: CheckedRows;
  /** The initial scroll position. */
  readonly initialTop: number;
  readonly hasMore: boolean;
  /** There is a next page, and it is not being loaded. */
  readonly mayReadOn: boolean;
  /** The rows are those of the previous list, while this one loads. */
  readonly isStale: boolean;
  readonly actions: RowActions;
  readonly onNearEnd: () => void;
  readonly onScroll: (top: number) => void;
  /** Rendered after the last row. */
  readonly children: ReactNode;
}

/** The rows in view, as lines of a table or, on a narrow screen, as cards. */
export function TraceRows(props: TraceRowsProps) {
  const { ref, rows, view, chosen, selected, checked, hasMore, isStale, actions, onScroll } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [widthRef, width] = useElementWidth();
  const scrollerRef = useCallback(
    (element: HTMLDivElement | null) => {
      scroller.current = element;
      return widthRef(element);
    },
    [widthRef],
  );
  const now = useNow();
  const columns = useMemo(() => fitColumns(chosen, (width ?? 0) - MARGINS), [chosen, width]);
  const tracks = useMemo(() => columnTracks(columns), [columns]);
  const layout = layoutOf(chosen, width);
  const { isCards, height, head } = layout;
  const virtualizer = useVirtualRows(props, layout, scroller);
  useReadAhead(props, virtualizer.range?.endIndex ?? 0);
  useImperativeHandle(ref, () => ({
    scrollTo: (index) => virtualizer.scrollToIndex(index),
    scrollToTop: () => virtualizer.scrollToOffset(0),
    firstInSight: () => virtualizer.range?.startIndex ?? 0,
  }));
  const tabStop = selected >= 0 ? selected : (virtualizer.range?.startIndex ?? 0);
  return (
    <div
      ref={scrollerRef}
      onScroll={(event) => onScroll(event.currentTarget.scrollTop)}
      className={classNames(SCROLLER_CLASS, "overflow-y-auto")}
    >
      {/* A table whose parts are positioned one by one: only the rows in view are rendered. */}
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: in a grid rows can be selected
        role="grid"
        aria-label={view === "traces" ? "Traces" : "Spans"}
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        aria-busy={isStale}
        className={classNames("relative block outline-none", isStale && "pointer-events-none")}
        tabIndex={-1}
      >
        {!isCards && (
          <ColumnHeads columns={columns} tracks={tracks} checked={checked} listed={rows.length} />
        )}
        <tbody className="relative block" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            const shared = {
              row,
              view,
              index: item.index,
              top: item.start - head,
              height,
              now,
              actions,
              isSelected: item.index === selected,
              isChecked: checked.keys.has(row.key),
              isTabStop: item.index === tabStop,
            };
            return isCards ? (
              <TraceCard key={item.key} {...shared} />
            ) : (
              <TraceLine key={item.key} {...shared} columns={columns} tracks={tracks} />
            );
          })}
        </tbody>
      </table>
      {props.children}
    </div>
  );
}

function useVirtualRows(
  { rows, selected, initialTop }: TraceRowsProps,
  { height, head }: RowLayout,
  scroller: RefObject<HTMLDivElement | null>,
) {
  // Kept while the rows are the same: with another function, the virtualizer places all of them again.
  const getItemKey = useCallback((index: number) => rows[index]?.key ?? index, [rows]);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey,
    overscan: 10,
    scrollMargin: head,
    scrollPaddingStart: head,
    initialOffset: initialTop,
    // The selected row stays rendered out of view, because it has the focus.
    rangeExtractor: (range) => {
      const inSight = defaultRangeExtractor(range);
      return selected < 0 || inSight.includes(selected) ? inSight : [...inSight, selected];
    },
  });
  // The virtualizer caches heights: it has to be told when all of them change.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height is what has changed
  useEffect(() => virtualizer.measure(), [height, head, virtualizer]);
  return virtualizer;
}

/** Loads the next page before the last row comes into view. */
function useReadAhead({ rows, mayReadOn, onNearEnd }: TraceRowsProps, lastInSight: number): void {
  const ahead = Math.min(READ_AHEAD, rows.length / 2);
  const isNearEnd = mayReadOn && lastInSight >= rows.length - ahead;
  const readOn = useEffectEvent(onNearEnd);
  // biome-ignore lint/correctness/useExhaustiveDependencies: near the end again, of more rows
  useEffect(() => {
    if (isNearEnd) readOn();
  }, [isNearEnd, rows.length]);
}

interface ColumnHeadsProps {
  readonly columns: readonly TraceColumn[];
  readonly tracks: string;
  readonly checked: CheckedRows;
  /** How many rows are listed. */
  readonly listed: number;
}

function ColumnHeads({ columns, tracks, checked, listed }: ColumnHeadsProps) {
  const count = checked.rows.length;
  return (
    <thead className="sticky top-0 z-20 block">
      <tr aria-rowindex={1} className={HEADS_CLASS} style={{ gridTemplateColumns: tracks }}>
        <th scope="col">
          <RowCheckbox
            label="Select all listed"
            state={count === 0 ? "none" : count === listed ? "all" : "some"}
            isTabStop
            onToggle={checked.toggleAll}
          />
        </th>
        {columns
          .filter(({ id }) => id !== "preview")
          .map(({ id, label, short, isNumber }) => (
            <th
              key={id}
              scope="col"
              aria-label={short === undefined ? undefined : label}
              title={short === undefined ? undefined : label}
              className={headClass(isNumber)}
            >
              {short ?? label}
            </th>
          ))}
        <th scope="col">
          <span className="sr-only">More</span>
        </th>
      </tr>
    </thead>
  );
}

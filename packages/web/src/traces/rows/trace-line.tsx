import type { CSSProperties, MouseEvent } from "react";
import { memo } from "react";
import type { ListView, TraceRow } from "../../api/trace-row.ts";
import { classNames } from "../../design/class-names.ts";
import { formatWhen } from "../../format/format-time.ts";
import { shownName } from "../../spans/shown-name.ts";
import { SpanKindIcon } from "../../spans/span-badges.tsx";
import { FILTER_NAMES } from "../filters/filter-fields.ts";
import { cellText, exactTime } from "./cell-text.ts";
import { RowCheckbox } from "./row-checkbox.tsx";
import { CARD_CLASS, cellClass, LINE_CLASS, PREVIEW_CELL_CLASS, ROW_CLASS } from "./row-look.ts";
import { RowMenu } from "./row-menu.tsx";
import { RowStatus, TraceCell, TraceLink, TracePreview } from "./trace-cell.tsx";
import type { TraceColumn } from "./trace-columns.ts";
import type { RowActions } from "./use-row-actions.ts";

export interface TraceLineProps {
  readonly row: TraceRow;
  readonly view: ListView;
  readonly index: number;
  /** Pixels from the top of the list. */
  readonly top: number;
  readonly height: number;
  readonly columns: readonly TraceColumn[];
  readonly tracks: string;
  readonly isSelected: boolean;
  readonly isChecked: boolean;
  readonly isTabStop: boolean;
  readonly now: number;
  readonly actions: RowActions;
}

/** The props that a line and a card share. */
export function rowProps(props: Omit<TraceLineProps, "columns" | "tracks">) {
  const { row, index, top, height, isSelected, isChecked, actions } = props;
  return {
    "aria-rowindex": index + 2,
    "aria-selected": isSelected,
    style: { transform: `translateY(${top}px)`, height } satisfies CSSProperties,
    className: classNames(
      "absolute inset-x-0 top-0",
      ROW_CLASS,
      isSelected || isChecked ? "bg-accent-soft" : "hover:bg-sunken",
    ),
    onClick: (event: MouseEvent<HTMLElement>) => onRowClick(event, row, actions),
    onAuxClick: (event: MouseEvent<HTMLElement>) => {
      // On the link the browser itself opens the tab.
      if (event.button === 1 && !isOn(event, "a, button, label")) actions.openInTab(row);
    },
  };
}

function onRowClick(event: MouseEvent<HTMLElement>, row: TraceRow, actions: RowActions): void {
  const target = event.target instanceof Element ? event.target : null;
  const filter = target?.closest("[data-filter]")?.getAttribute("data-filter");
  if (event.altKey) {
    // Alt-click on a link would download its target.
    event.preventDefault();
    const name = FILTER_NAMES.find((each) => filter?.startsWith(`${each}=`));
    if (name !== undefined) actions.filter(name, filter?.slice(name.length + 1) ?? "");
  } else if (!event.defaultPrevented && !isOn(event, "a, button, label, [role=menu]")) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) actions.openInTab(row);
    else actions.open(row);
  }
}

function isOn(event: MouseEvent, selector: string): boolean {
  return event.target instanceof Element && event.target.closest(selector) !== null;
}

function checkboxProps({
  row,
  isChecked,
  isTabStop,
  actions,
}: Omit<TraceLineProps, "columns" | "tracks">) {
  return {
    label: `Select ${shownName(row.name)}`,
    state: isChecked ? "all" : "none",
    isTabStop,
    onToggle: (isRange: boolean) => actions.check(row.key, isRange),
  } as const;
}

/** A trace as a row of the table, with its preview as a second line. */
export const TraceLine = memo(function TraceLine(props: TraceLineProps) {
  const { row, view, columns, tracks, isSelected, isTabStop, now, actions } = props;
  const { style, className, ...rest } = rowProps(props);
  const hasPreview = columns.some(({ id }) => id === "preview");
  return (
    <tr
      {...rest}
      className={classNames(className, LINE_CLASS)}
      style={{ ...style, gridTemplateColumns: tracks }}
    >
      <td>
        <RowCheckbox {...checkboxProps(props)} />
      </td>
      {columns
        .filter(({ id }) => id !== "preview")
        .map((column) => (
          <td key={column.id} className={cellClass(column.isNumber)}>
            {column.id === "name" ? (
              <>
                <SpanKindIcon kind={row.kind} />
                <TraceLink
                  row={row}
                  isSelected={isSelected}
                  isTabStop={isTabStop}
                  actions={actions}
                >
                  <bdi>{shownName(row.name)}</bdi>
                </TraceLink>
              </>
            ) : (
              <TraceCell row={row} column={column} now={now} />
            )}
          </td>
        ))}
      <td className="flex justify-end">
        <RowMenu row={row} view={view} isTabStop={isTabStop} actions={actions} />
      </td>
      {hasPreview && (
        <td className={PREVIEW_CELL_CLASS}>
          <TracePreview row={row} />
        </td>
      )}
    </tr>
  );
});

/** A trace on a narrow screen: two lines. */
export const TraceCard = memo(function TraceCard(
  props: Omit<TraceLineProps, "columns" | "tracks">,
) {
  const { row, view, isSelected, isTabStop, now, actions } = props;
  const { className, ...rest } = rowProps(props);
  return (
    <tr {...rest} className={classNames(className, CARD_CLASS)}>
      <td>
        <RowCheckbox {...checkboxProps(props)} />
      </td>
      <td className="flex min-w-0 flex-1 flex-col gap-0.5">
        <div className="flex min-w-0 items-center gap-1.5">
          <SpanKindIcon kind={row.kind} />
          <TraceLink row={row} isSelected={isSelected} isTabStop={isTabStop} actions={actions}>
            <bdi>{shownName(row.name)}</bdi>
          </TraceLink>
          <span className="flex shrink-0 gap-1">
            <RowStatus row={row} />
          </span>
          <span
            title={exactTime(row.startedAt)}
            className="ml-auto shrink-0 text-[0.93rem] text-ink-soft"
          >
            {formatWhen(row.startedAt, now)}
          </span>
        </div>
        <div className="flex min-w-0 items-center justify-between gap-3">
          <TracePreview row={row} />
          <p className="flex shrink-0 gap-2 text-[0.93rem] text-ink-soft tabular-nums">
            <span>{cellText(row, "latency").text}</span>
            <span>{cellText(row, "cost").text}</span>
          </p>
        </div>
      </td>
      <td>
        <RowMenu row={row} view={view} isTabStop={isTabStop} actions={actions} />
      </td>
    </tr>
  );
});

import type { CSSProperties, MouseEvent } from "react";
import { memo } from "react";
import type { ListView, TraceRow } from "../../api/trace-row.ts";
import { classNames } from "../../design/class-names.ts";
import { shownName } from "../../spans/shown-name.ts";
import { SpanKindIcon } from "../../spans/span-kind-icon.tsx";
import { FILTER_NAMES } from "../filters/filter-fields.ts";
import type { RowActions } from "./row-actions.ts";
import { RowMenu } from "./row-menu.tsx";
import { TraceCell } from "./trace-cell.tsx";
import type { TraceColumn } from "./trace-columns.ts";
import { TraceLink } from "./trace-link.tsx";
import { TracePreview } from "./trace-preview.tsx";

export interface TraceLineProps {
  readonly row: TraceRow;
  readonly view: ListView;
  readonly index: number;
  /** Where it stands: pixels from the top of the list. */
  readonly top: number;
  readonly height: number;
  readonly columns: readonly TraceColumn[];
  readonly tracks: string;
  readonly isSelected: boolean;
  readonly isTabStop: boolean;
  readonly now: number;
  readonly actions: RowActions;
}

/** How a row looks and reacts, whether it is a line of a table or a card. */
export function rowProps(props: Omit<TraceLineProps, "columns" | "tracks">) {
  const { row, index, top, height, isSelected, actions } = props;
  return {
    "aria-rowindex": index + 2,
    "aria-selected": isSelected,
    style: { transform: `translateY(${top}px)`, height } satisfies CSSProperties,
    className: classNames(
      "absolute inset-x-0 top-0 border-b border-line hover:bg-sunken has-[a:focus-visible]:outline-2 has-[a:focus-visible]:-outline-offset-2 has-[a:focus-visible]:outline-accent",
      isSelected && "bg-accent-soft hover:bg-accent-soft",
    ),
    onClick: (event: MouseEvent<HTMLElement>) => onRowClick(event, row, actions),
    onAuxClick: (event: MouseEvent<HTMLElement>) => {
      // On the link itself the browser opens the tab.
      if (event.button === 1 && !isOn(event, "a, button")) actions.openInTab(row);
    },
  };
}

function onRowClick(event: MouseEvent<HTMLElement>, row: TraceRow, actions: RowActions): void {
  const target = event.target instanceof Element ? event.target : null;
  const filter = target?.closest("[data-filter]")?.getAttribute("data-filter");
  if (event.altKey) {
    // A browser would save what the link leads to.
    event.preventDefault();
    const name = FILTER_NAMES.find((each) => filter?.startsWith(`${each}=`));
    if (name !== undefined) actions.filter(name, filter?.slice(name.length + 1) ?? "");
  } else if (!event.defaultPrevented && !isOn(event, "a, button, [role=menu]")) {
    if (event.ctrlKey || event.metaKey || event.shiftKey) actions.openInTab(row);
    else actions.open(row);
  }
}

function isOn(event: MouseEvent, selector: string): boolean {
  return event.target instanceof Element && event.target.closest(selector) !== null;
}

/** A trace as a line of a table, and its preview as a second one. */
export const TraceLine = memo(function TraceLine(props: TraceLineProps) {
  const { row, view, columns, tracks, isSelected, isTabStop, now, actions } = props;
  const { style, className, ...rest } = rowProps(props);
  const hasPreview = columns.some(({ id }) => id === "preview");
  return (
    <tr
      {...rest}
      className={classNames(className, "grid content-center items-center px-3")}
      style={{ ...style, gridTemplateColumns: tracks }}
    >
      {columns
        .filter(({ id }) => id !== "preview")
        .map((column) => (
          <td
            key={column.id}
            className={classNames(
              "flex min-w-0 items-center gap-1.5 px-1.5",
              column.isNumber && "justify-end",
            )}
          >
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
        <td className="col-start-2 -col-end-1 min-w-0 px-1.5">
          <TracePreview row={row} />
        </td>
      )}
    </tr>
  );
});

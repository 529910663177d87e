import type { TraceRow } from "../../api/trace-row.ts";
import { classNames } from "../../design/class-names.ts";
import { formatAgo } from "../../format/format-time.ts";
import { cellText } from "./cell-text.ts";
import { RowStatus } from "./row-status.tsx";
import type { TraceColumn } from "./trace-columns.ts";

interface TraceCellProps {
  readonly row: TraceRow;
  readonly column: TraceColumn;
  readonly now: number;
}

/**
 * A value of a row. It stands above the row's link, for its title to be seen; the row sees to what a
 * click on it does.
 */
export function TraceCell({ row, column, now }: TraceCellProps) {
  const { text, title, filter } = cellText(row, column.id);
  return (
    <span
      title={filter === undefined ? title : `${title ?? text}\nAlt-click to filter by it`}
      data-filter={filter?.join("=")}
      className={classNames(
        "relative z-10 max-w-full tabular-nums",
        column.id === "status" ? "flex gap-1" : "truncate",
        (text === "–" || column.id === "time") && "text-ink-soft",
        column.id === "kind" && "text-xs text-ink-soft",
      )}
    >
      {shown()}
    </span>
  );

  function shown() {
    if (column.id === "status") return <RowStatus row={row} />;
    return column.id === "time" ? formatAgo(row.startedAt, now) : <bdi>{text}</bdi>;
  }
}

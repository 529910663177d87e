import { memo } from "react";
import { classNames } from "../../design/class-names.ts";
import { formatAgo } from "../../format/format-time.ts";
import { shownName } from "../../spans/shown-name.ts";
import { SpanKindIcon } from "../../spans/span-kind-icon.tsx";
import { cellText, exactTime } from "./cell-text.ts";
import { RowMenu } from "./row-menu.tsx";
import { RowStatus } from "./row-status.tsx";
import { rowProps, type TraceLineProps } from "./trace-line.tsx";
import { TraceLink } from "./trace-link.tsx";
import { TracePreview } from "./trace-preview.tsx";

/** A trace on a narrow screen: two lines. */
export const TraceCard = memo(function TraceCard(
  props: Omit<TraceLineProps, "columns" | "tracks">,
) {
  const { row, view, isSelected, isTabStop, now, actions } = props;
  const { className, ...rest } = rowProps(props);
  return (
    <tr {...rest} className={classNames(className, "flex items-center gap-1 pr-1 pl-3")}>
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
            {formatAgo(row.startedAt, now)}
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

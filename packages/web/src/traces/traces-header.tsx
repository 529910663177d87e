import { formatCompactCount } from "@agate/protocol/format";
import { Keyboard } from "lucide-react";
import type { ListView } from "../api/trace-row.ts";
import { IconButton } from "../design/button.tsx";
import { Choice } from "../design/field.tsx";
import { PageHeader } from "../design/page-header.tsx";
import { parseTimeRange, withTimeRange } from "../time-range/time-range.ts";
import { TimeRangePicker } from "../time-range/time-range-picker.tsx";
import { LiveButton } from "./live/live-controls.tsx";
import { ColumnPicker } from "./rows/column-picker.tsx";
import type { ColumnId } from "./rows/trace-columns.ts";
import { type TracesSearch, withView } from "./traces-search.ts";

const VIEWS: readonly { readonly value: ListView; readonly label: string }[] = [
  { value: "traces", label: "Traces" },
  { value: "spans", label: "Spans" },
];

interface TracesHeaderProps {
  readonly search: TracesSearch;
  readonly problems: ReadonlyMap<string, string>;
  /** How many rows are loaded, and whether there are more; null while loading. */
  readonly count: { readonly rows: number; readonly hasMore: boolean } | null;
  readonly isBroken: boolean;
  readonly columns: ReadonlySet<ColumnId>;
  readonly onColumns: (columns: ReadonlySet<ColumnId>) => void;
  readonly onHelp: () => void;
  readonly onChange: (search: TracesSearch) => void;
  readonly onLive: (isOn: boolean) => void;
}

/** The page's title and count; view, time range, live tail and columns. */
export function TracesHeader(props: TracesHeaderProps) {
  const { search, problems, count, isBroken, columns, onColumns, onChange, onLive } = props;
  const { onHelp } = props;
  const view = search.view ?? "traces";
  const isLive = search.live === "on";
  return (
    <PageHeader
      title={
        <>
          {view === "spans" ? "Spans" : "Traces"}
          {count !== null && (
            <span className="ml-2 text-base font-normal text-ink-soft tabular-nums">
              {formatCompactCount(count.rows)}
              {count.hasMore && "+"}
            </span>
          )}
        </>
      }
      actions={
        <>
          <Choice
            label="View"
            options={VIEWS}
            value={view}
            onChange={(next) => onChange(withView(search, next))}
          />
          <TimeRangePicker
            value={parseTimeRange(search, "all")}
            hasAll
            problem={problems.get("from") ?? problems.get("to")}
            onChange={(range) => onChange(withTimeRange(search, range))}
          />
          <LiveButton isOn={isLive} isBroken={isBroken} onToggle={() => onLive(!isLive)} />
          <ColumnPicker chosen={columns} onChange={onColumns} />
          <IconButton
            icon={Keyboard}
            label="Keyboard shortcuts"
            className="max-sm:hidden"
            onClick={onHelp}
          />
        </>
      }
    />
  );
}

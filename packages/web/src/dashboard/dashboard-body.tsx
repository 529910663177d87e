import type { AnalyticsFigures } from "@agate/protocol";
import { useMemo, useState } from "react";
import type { GroupedAnalytics } from "../api/analytics.ts";
import type { TimeSpan } from "../charts/time-buckets.ts";
import type { TraceFilters } from "./chart-plan.ts";
import { DashboardCharts } from "./dashboard-charts.tsx";
import { type DashboardSearch, percentileOf, SPLITS } from "./dashboard-search.ts";
import { FigureTiles } from "./figure-tiles.tsx";
import { figuresOf } from "./figures.ts";
import { nextSort, parseSort } from "./group-columns.ts";
import { GroupTable } from "./group-table.tsx";
import { type ShownGroup, shownGroups } from "./shown-groups.ts";

interface DashboardBodyProps {
  readonly search: DashboardSearch;
  readonly analytics: GroupedAnalytics;
  readonly before: AnalyticsFigures | undefined;
  readonly onChange: (changes: DashboardSearch) => void;
  readonly onZoom: (span: TimeSpan) => void;
  readonly onOpen: (filters: TraceFilters) => void;
}

/** The figures, the charts, and the table that is their legend. */
export function DashboardBody(props: DashboardBodyProps) {
  const { search, analytics, before, onChange } = props;
  const [emphasis, setEmphasis] = useState<ShownGroup | null>(null);
  const split = SPLITS.find((each) => each === analytics.groupedBy) ?? null;
  const sort = parseSort(search.sort);
  const groups = useMemo(() => shownGroups(analytics), [analytics]);
  return (
    <>
      <FigureTiles figures={figuresOf(analytics.total, before)} />
      <DashboardCharts
        analytics={analytics}
        groups={groups}
        split={split}
        percentile={percentileOf(search)}
        onPercentile={(percentile) => onChange({ percentile })}
        emphasis={emphasis}
        onZoom={props.onZoom}
        onOpen={props.onOpen}
      >
        {split !== null && groups.length > 0 && (
          <GroupTable
            split={split}
            groups={groups}
            sort={sort}
            onSort={(column) => onChange({ sort: nextSort(sort, column) })}
            chosen={search[split]}
            onChoose={(key) => onChange({ [split]: key ?? "" })}
            onEmphasis={setEmphasis}
          />
        )}
      </DashboardCharts>
    </>
  );
}

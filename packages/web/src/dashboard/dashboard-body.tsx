import type { AnalyticsFigures } from "@agate/protocol";
import { ArrowDown, ArrowRight, ArrowUp } from "lucide-react";
import { useMemo, useState } from "react";
import type { GroupedAnalytics } from "../api/analytics.ts";
import type { TimeSpan } from "../charts/time-buckets.ts";
import type { TraceFilters } from "./chart-plan.ts";
import { DashboardCharts } from "./dashboard-charts.tsx";
import { type DashboardSearch, filtersOf, percentileOf, SPLITS } from "./dashboard-search.ts";
import { type Figure, figuresOf } from "./figures.ts";
import { nextSort, parseSort } from "./group-columns.ts";
import { GroupTable } from "./group-table.tsx";
import { useScoreChart } from "./score-chart.tsx";
import { type ShownGroup, shownGroups } from "./shown-groups.ts";

interface DashboardBodyProps {
  readonly search: DashboardSearch;
  readonly analytics: GroupedAnalytics;
  readonly before: AnalyticsFigures | undefined;
  readonly onChange: (changes: DashboardSearch) => void;
  readonly onZoom: (span: TimeSpan) => void;
  readonly onOpen: (filters: TraceFilters) => void;
}

/** The figures, the charts, and the table of the groups, which is their legend. */
export function DashboardBody(props: DashboardBodyProps) {
  const { search, analytics, before, onChange } = props;
  const [emphasis, setEmphasis] = useState<ShownGroup | null>(null);
  const split = SPLITS.find((each) => each === analytics.groupedBy) ?? null;
  const sort = parseSort(search.sort);
  const groups = useMemo(() => shownGroups(analytics), [analytics]);
  const score = useScoreChart({
    analytics,
    groups,
    split,
    filters: filtersOf(search),
    name: search.score,
    onName: (name) => onChange({ score: name }),
  });
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
        score={score}
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

const ICONS = { up: ArrowUp, down: ArrowDown, same: ArrowRight } as const;
const WORDS = { up: "up", down: "down", same: "unchanged" } as const;

/** The figures of the range, and their change from the previous period. */
function FigureTiles({ figures }: { readonly figures: readonly Figure[] }) {
  return (
    <ul className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-5">
      {figures.map((figure) => (
        <li
          key={figure.label}
          aria-label={figure.label}
          className="flex min-w-0 flex-col gap-0.5 rounded-xl border border-line bg-surface px-4 py-3 max-sm:last:col-span-2"
        >
          <span className="text-[0.93rem] text-ink-soft">{figure.label}</span>
          <span className="flex flex-wrap items-baseline justify-between gap-x-2">
            <span className="text-xl font-semibold tracking-tight tabular-nums">
              {figure.value}
            </span>
            <Change figure={figure} />
          </span>
          <span className="text-xs text-ink-soft tabular-nums">{figure.about}</span>
        </li>
      ))}
    </ul>
  );
}

function Change({ figure }: { readonly figure: Figure }) {
  const { change } = figure;
  if (change === null) {
    return (
      <span className="text-xs text-ink-soft" title="No data for the previous period">
        –
      </span>
    );
  }
  const { direction, size } = change;
  const Icon = ICONS[direction];
  return (
    <span
      className={`flex items-center gap-0.5 text-xs font-medium tabular-nums ${toneOf(figure)}`}
      title="vs. previous period"
    >
      <Icon size={12} aria-label={WORDS[direction]} />
      {size}
    </span>
  );
}

function toneOf({ change, isBadWhenUp }: Figure): string {
  if (!isBadWhenUp || change === null || change.direction === "same") return "text-ink-soft";
  return change.direction === "up" ? "text-danger" : "text-success";
}

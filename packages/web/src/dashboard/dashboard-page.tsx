import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { RefreshCw, ZoomOut } from "lucide-react";
import { type AnalyticsTime, newestTraceQuery } from "../api/analytics.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { type TimeSpan, zoomOut } from "../charts/time-buckets.ts";
import { Button, IconButton } from "../design/button.tsx";
import { ErrorState } from "../design/empty-state.tsx";
import { PageHeader, useTitle } from "../design/page-header.tsx";
import { spanLength, type TimeRange, withTimeRange } from "../time-range/time-range.ts";
import { TimeRangePicker } from "../time-range/time-range-picker.tsx";
import { DashboardBar } from "./dashboard-bar.tsx";
import { DashboardBody } from "./dashboard-body.tsx";
import {
  type DashboardSearch,
  FILTERS,
  filtersOf,
  parseDashboardSearch,
  rangeOf,
  splitOf,
} from "./dashboard-search.ts";
import { FirstRun, NoMatchingCalls } from "./empty-dashboard.tsx";
import { type DashboardData, useDashboardData } from "./use-dashboard-data.ts";

const route = getRouteApi("/");

/** The poll interval while there are no traces at all. */
const LOOK_AGAIN_MS = 5000;

/** Calls, errors, latency, tokens and cost over time. */
export function DashboardPage() {
  useTitle("Dashboard");
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const range = rangeOf(search);
  const time = timeOf(range);
  const filters = filtersOf(search);
  const data = useDashboardData({
    time,
    filters,
    split: splitOf(search),
    isGrowing: !("to" in time),
  });
  const { analytics } = data;
  const isEmpty = analytics?.total.count === 0;
  const newest = useQuery({
    ...newestTraceQuery(usePlatform()),
    enabled: isEmpty,
    refetchInterval: ({ state }) => (state.data === null ? LOOK_AGAIN_MS : false),
  });

  const change = (changes: DashboardSearch) =>
    void navigate({ search: (all) => parseDashboardSearch({ ...all, ...changes }) });
  const show = (next: TimeRange) =>
    void navigate({ search: (all) => withTimeRange(parseDashboardSearch(all), next) });
  const zoom = ({ from, to }: TimeSpan) =>
    show({ kind: "fixed", from: new Date(from).toISOString(), to: new Date(to).toISOString() });

  if (isEmpty && newest.data === null) {
    return (
      <>
        <PageHeader title="Dashboard" />
        <div className="px-4 pb-6 md:px-6">
          <FirstRun />
        </div>
      </>
    );
  }
  return (
    <>
      <DashboardHeader range={range} data={data} onRange={show} onZoom={zoom} />
      <DashboardBar search={search} onChange={change} />
      <div className="flex min-w-0 flex-col gap-3 px-4 pb-6 md:px-6">
        <LoadState data={data} />
        {isEmpty && newest.error !== null && (
          <ErrorState error={newest.error} onRetry={() => void newest.refetch()} />
        )}
        {isEmpty && typeof newest.data === "string" && (
          <NoMatchingCalls
            newest={newest.data}
            hasFilters={Object.keys(filters).length > 0}
            onClearFilters={() => change(Object.fromEntries(FILTERS.map((name) => [name, ""])))}
            onShowMonth={() => show({ kind: "last", span: "30d" })}
          />
        )}
        {analytics !== undefined && !isEmpty && (
          <DashboardBody
            search={search}
            analytics={analytics}
            before={data.before}
            onChange={change}
            onZoom={zoom}
            onOpen={(point) => void navigate({ to: "/traces", search: { ...filters, ...point } })}
          />
        )}
      </div>
    </>
  );
}

interface DashboardHeaderProps {
  readonly range: TimeRange;
  readonly data: DashboardData;
  readonly onRange: (range: TimeRange) => void;
  readonly onZoom: (span: TimeSpan) => void;
}

function DashboardHeader({ range, data, onRange, onZoom }: DashboardHeaderProps) {
  const { analytics, isFetching, refresh } = data;
  const span = analytics && { from: Date.parse(analytics.from), to: Date.parse(analytics.to) };
  return (
    <PageHeader
      title="Dashboard"
      actions={
        <>
          {range.kind === "fixed" && span !== undefined && (
            <Button onClick={() => onZoom(zoomOut(span, Date.now()))}>
              <ZoomOut size={15} aria-hidden />
              Zoom out
            </Button>
          )}
          <TimeRangePicker value={range} onChange={onRange} />
          <IconButton
            icon={RefreshCw}
            label="Refresh"
            aria-busy={isFetching}
            className={isFetching ? "[&>svg]:animate-spin" : ""}
            onClick={refresh}
          />
        </>
      }
    />
  );
}

/** Loading, or the error. */
function LoadState({ data: { analytics, error, refresh } }: { readonly data: DashboardData }) {
  if (error === null) return analytics === undefined ? <DashboardLoading /> : null;
  if (analytics === undefined) return <ErrorState error={error} onRetry={refresh} />;
  return (
    <p role="status" className="rounded-lg bg-warning-soft px-3 py-2 text-warning">
      Refresh failed, showing older figures: {error.message}
    </p>
  );
}

/** The range as the API takes it. */
function timeOf(range: TimeRange): AnalyticsTime {
  if (range.kind === "last") return { last: spanLength(range.span) ?? 0 };
  const { from, to } = range;
  return { ...(from && { from }), ...(to && { to }) };
}

/** A skeleton of figures and charts. */
function DashboardLoading() {
  return (
    <div role="status" aria-label="Loading" className="flex animate-pulse flex-col gap-3">
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-5">
        {["calls", "errors", "latency", "tokens", "cost"].map((figure) => (
          <div key={figure} className="h-24 rounded-xl bg-line max-sm:last:col-span-2" />
        ))}
      </div>
      <div className="h-64 rounded-xl bg-line" />
      <div className="grid gap-3 lg:grid-cols-2">
        <div className="h-64 rounded-xl bg-line" />
        <div className="h-64 rounded-xl bg-line" />
      </div>
    </div>
  );
}

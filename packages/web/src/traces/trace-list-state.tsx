import { FilterX } from "lucide-react";
import { Button } from "../design/button.tsx";
import { EmptyState, ErrorState, Skeleton } from "../design/empty-state.tsx";
import { parseTimeRange } from "../time-range/time-range.ts";
import { FILTER_FIELDS, FILTER_NAMES } from "./filters/filter-fields.ts";
import { NoMatch, NoTraces } from "./no-traces.tsx";
import { filtersOf, type TracesSearch } from "./traces-search.ts";

interface TraceListStateProps {
  readonly search: TracesSearch;
  readonly query: {
    readonly isPending: boolean;
    readonly error: Error | null;
    readonly refetch: () => unknown;
  };
  readonly problems: ReadonlyMap<string, string>;
  readonly onClear: () => void;
}

/** Stands in place of rows: none yet, none that match, or why not. */
export function TraceListState({ search, query, problems, onClear }: TraceListStateProps) {
  if (problems.size > 0) return <WrongFilters problems={problems} onClear={onClear} />;
  if (query.error) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  if (query.isPending) return <Skeleton lines={6} />;
  const range = parseTimeRange(search, "all");
  const isAllTime = range.kind === "last" && range.span === "all";
  const isNarrowed = !isAllTime || Object.keys(filtersOf(search)).length > 0;
  if (!isNarrowed) return <NoTraces />;
  return <NoMatch what={search.view === "spans" ? "spans" : "traces"} onClear={onClear} />;
}

function WrongFilters({ problems, onClear }: Pick<TraceListStateProps, "problems" | "onClear">) {
  return (
    <EmptyState icon={FilterX} title="A filter is not understood">
      <div role="alert" className="flex flex-col gap-1">
        {[...problems].map(([name, message]) => (
          <p key={name}>
            <strong className="font-medium text-danger">{parameterLabel(name)}:</strong> {message}
          </p>
        ))}
      </div>
      <Button onClick={onClear}>Clear filters, search and range</Button>
    </EmptyState>
  );
}

function parameterLabel(parameter: string): string {
  const name = FILTER_NAMES.find((each) => each === parameter);
  if (name !== undefined) return FILTER_FIELDS[name].label;
  return { q: "Search", from: "Beginning", to: "End" }[parameter] ?? parameter;
}

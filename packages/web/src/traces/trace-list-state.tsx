import { plural } from "@agate/protocol/format";
import { Link } from "@tanstack/react-router";
import { FilterX, ListTree, SearchX } from "lucide-react";
import { Button } from "../design/button.tsx";
import { CopyButton } from "../design/copy-button.tsx";
import { EmptyState, ErrorState, Skeleton } from "../design/empty-state.tsx";
import { parseTimeRange } from "../time-range/time-range.ts";
import { FILTER_FIELDS, FILTER_NAMES } from "./filters/filter-fields.ts";
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

/** Shown in place of rows: loading, an error, no match, or no traces yet. */
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
    <EmptyState icon={FilterX} title="Invalid filter">
      <div role="alert" className="flex flex-col gap-1">
        {[...problems].map(([name, message]) => (
          <p key={name}>
            <strong className="font-medium text-danger">{parameterLabel(name)}:</strong> {message}
          </p>
        ))}
      </div>
      <Button onClick={onClear}>Clear all filters</Button>
    </EmptyState>
  );
}

function parameterLabel(parameter: string): string {
  const name = FILTER_NAMES.find((each) => each === parameter);
  if (name !== undefined) return FILTER_FIELDS[name].label;
  return { q: "Search", traffic: "Traffic", from: "Start", to: "End" }[parameter] ?? parameter;
}

/** Shown before the first trace: how to send one. */
function NoTraces() {
  const { origin } = window.location;
  return (
    <EmptyState icon={ListTree} title="No traces yet">
      <p>
        Call a route in the{" "}
        <Link to="/playground" className="font-medium text-accent underline">
          playground
        </Link>{" "}
        or send traces from your own program:
      </p>
      <Commands
        about="Agate SDK"
        lines={["npm install @agate/sdk", `AGATE_BASE_URL=${origin} node app.ts`]}
      />
      <Commands
        about="OpenTelemetry"
        lines={[
          `export OTEL_EXPORTER_OTLP_ENDPOINT=${origin}`,
          "export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
        ]}
      />
    </EmptyState>
  );
}

function Commands({ about, lines }: { readonly about: string; readonly lines: readonly string[] }) {
  const text = lines.join("\n");
  return (
    <figure className="w-full overflow-hidden rounded-lg border border-line bg-surface text-left">
      <figcaption className="flex items-center justify-between border-b border-line py-1 pr-1.5 pl-3 font-medium text-ink">
        {about}
        <CopyButton what={`commands for ${about}`} text={text} />
      </figcaption>
      <pre className="px-3 py-2 font-mono text-xs break-words whitespace-pre-wrap text-ink">
        {text}
      </pre>
    </figure>
  );
}

interface NoMatchProps {
  readonly what: string;
  readonly onClear: () => void;
}

/** Shown where no trace matches the filters. */
function NoMatch({ what, onClear }: NoMatchProps) {
  return (
    <EmptyState icon={SearchX} title={`No ${what} match`}>
      <p>Remove a filter, change the search or choose a longer time range.</p>
      <Button onClick={onClear}>Clear all filters</Button>
    </EmptyState>
  );
}

interface ListEndProps {
  readonly query: {
    readonly isFetchingNextPage: boolean;
    readonly isFetchNextPageError: boolean;
    readonly error: Error | null;
    readonly fetchNextPage: () => unknown;
  };
  readonly hasMore: boolean;
  readonly count: number;
  readonly what: string;
}

/** After the last row: loads more, or marks the end. */
export function ListEnd({ query, hasMore, count, what }: ListEndProps) {
  return (
    <div className="flex min-h-14 items-center justify-center gap-3 p-3 text-ink-soft">
      {query.isFetchNextPageError && (
        <p role="alert" className="text-danger">
          {query.error?.message}
        </p>
      )}
      {hasMore ? (
        <Button
          size="small"
          disabled={query.isFetchingNextPage}
          onClick={() => query.fetchNextPage()}
        >
          {query.isFetchingNextPage ? "Loading more…" : "Load more"}
        </Button>
      ) : (
        <p>End of list · {plural(count, what)}</p>
      )}
    </div>
  );
}

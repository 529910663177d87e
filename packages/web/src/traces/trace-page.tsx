import { getRouteApi, Link, useLocation } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { Button, buttonClass } from "../design/button.tsx";
import { EmptyState, ErrorState, Skeleton } from "../design/empty-state.tsx";
import { PageHeader, useTitle } from "../design/page-header.tsx";
import { shownName } from "../spans/shown-name.ts";
import { TraceView } from "../trace-view/trace-view.tsx";
import { useLiveTrace } from "../trace-view/use-live-trace.ts";
import { parseTracesSearch, type TracesSearch } from "./traces-search.ts";

const route = getRouteApi("/traces/$traceId");

/** One trace: its span tree on a time axis, and the details of the selected span. */
export function TracePage() {
  const { traceId } = route.useParams();
  return <Trace key={traceId} traceId={traceId} />;
}

function Trace({ traceId }: { readonly traceId: string }) {
  const { span } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useOriginList();
  const { data: trace, error, refetch, isFetching } = useLiveTrace(traceId);
  useTitle(trace ? shownName(trace.name) : "Trace");
  if (!trace) {
    const retry = () => void refetch();
    return (
      <>
        <PageHeader
          title="Trace"
          above={
            <Link to="/traces" search={list}>
              Traces
            </Link>
          }
        />
        {trace === null ? (
          <TraceNotFound traceId={traceId} isLooking={isFetching} onRetry={retry} />
        ) : error === null ? (
          <Skeleton lines={6} />
        ) : (
          <ErrorState error={error} onRetry={retry} />
        )}
      </>
    );
  }
  return (
    <TraceView
      trace={trace}
      list={list}
      selected={span ?? null}
      onSelect={(next) =>
        void navigate({
          search: next === null ? {} : { span: next },
          state: true,
          replace: true,
          // The tree has scrolled to the span; the router would restore the old position.
          resetScroll: false,
        })
      }
    />
  );
}

interface TraceNotFoundProps {
  readonly traceId: string;
  readonly isLooking: boolean;
  readonly onRetry: () => void;
}

/** Shown where the trace is not found, or has not arrived yet. */
function TraceNotFound({ traceId, isLooking, onRetry }: TraceNotFoundProps) {
  return (
    <EmptyState icon={SearchX} title="Trace not found">
      <p>
        It has not arrived yet, or was deleted. Traces appear about a second after the call. This
        page updates when the trace arrives.
      </p>
      <p className="max-w-full font-mono text-xs break-all">{traceId}</p>
      <div className="flex flex-wrap justify-center gap-2">
        <Button disabled={isLooking} onClick={onRetry}>
          {isLooking ? "Loading…" : "Retry"}
        </Button>
        <Link to="/traces" className={buttonClass("quiet")}>
          All traces
        </Link>
      </div>
    </EmptyState>
  );
}

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** The list that a trace was opened from. */
    list?: TracesSearch;
  }
}

/** The search of the list that this trace was opened from, to link back; empty where there was none. */
function useOriginList(): Readonly<Record<string, string>> {
  const list = useLocation({ select: ({ state }) => state.list });
  return { ...parseTracesSearch({ ...list }) };
}

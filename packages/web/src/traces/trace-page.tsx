import { getRouteApi, Link } from "@tanstack/react-router";
import { ErrorState, Skeleton } from "../design/empty-state.tsx";
import { PageHeader, useTitle } from "../design/page-header.tsx";
import { shownName } from "../spans/shown-name.ts";
import { NotThere } from "../trace-view/not-there.tsx";
import { TraceView } from "../trace-view/trace-view.tsx";
import { useLiveTrace } from "../trace-view/use-live-trace.ts";
import { useListBehind } from "./list-behind.ts";

const route = getRouteApi("/traces/$traceId");

/** One trace: its tree in time, and whatever is recorded of the chosen span. */
export function TracePage() {
  const { traceId } = route.useParams();
  return <Trace key={traceId} traceId={traceId} />;
}

function Trace({ traceId }: { readonly traceId: string }) {
  const { span } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useListBehind();
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
          <NotThere traceId={traceId} isLooking={isFetching} onRetry={retry} />
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
          // The tree has just scrolled to it: the router would put it back to where it was.
          resetScroll: false,
        })
      }
    />
  );
}

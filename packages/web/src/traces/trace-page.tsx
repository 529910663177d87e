import type { SpanRecord } from "@agate/protocol";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useLocation } from "@tanstack/react-router";
import { SearchX } from "lucide-react";
import { useEffect, useState } from "react";
import { followTraces } from "../api/follow-events.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { traceQuery } from "../api/trace.ts";
import { usePageVisible } from "../design/browser-state.ts";
import { Button, buttonClass } from "../design/button.tsx";
import { EmptyState, ErrorState, Skeleton } from "../design/empty-state.tsx";
import { PageHeader, useTitle } from "../design/page-header.tsx";
import { shownName } from "../spans/shown-name.ts";
import { TraceView } from "../trace-view/trace-view.tsx";
import { parseTracesSearch, type TracesSearch } from "./traces-search.ts";

const route = getRouteApi("/traces/$traceId");

/** One trace: its span tree on a time axis, and the details of the selected span. */
export function TracePage() {
  const { traceId } = route.useParams();
  return <Trace key={traceId} traceId={traceId} />;
}

function Trace({ traceId }: { readonly traceId: string }) {
  const { span, q } = route.useSearch();
  // Another search shows another span. None leaves the trace as it is: the selected span was closed.
  const [opened, setOpened] = useState(q);
  if (q !== undefined && q !== opened) setOpened(q);
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
      key={opened}
      trace={trace}
      list={list}
      search={q ?? ""}
      selected={span ?? null}
      onSelect={(next) =>
        void navigate({
          search: next === null ? {} : { span: next, ...(q !== undefined && { q }) },
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

/** The pause between two reads: spans arrive in many small batches. */
const REST_MS = 500;
/** An older read may have missed spans that arrived before the stream was open. */
const JUST_READ_MS = 2000;
/** The spans of a call usually arrive within this time. */
const YOUNG_MS = 60_000;

/**
 * A trace, read again whenever spans were added to it. A trace that has not arrived yet is read when it
 * does: a link may be opened right after the call, about a second before the trace is stored.
 */
function useLiveTrace(traceId: string) {
  const client = usePlatform();
  const query = useQuery(traceQuery(client, traceId));
  const { refetch } = query;
  const queries = useQueryClient();
  const isVisible = usePageVisible();
  useEffect(() => {
    if (!isVisible) return;
    const end = new AbortController();
    const readAgain = throttled(() => refetch({ cancelRefetch: false }), end.signal);
    void followTraces(
      client,
      {
        opened: () => {
          const state = queries.getQueryState(traceQuery(client, traceId).queryKey);
          const age = Date.now() - (state?.dataUpdatedAt ?? 0);
          // The trace may have arrived between the read and the opening of the stream.
          const isMissing = state?.data === null;
          if (age > JUST_READ_MS || isMissing || isYoung(state?.data)) readAgain();
        },
        changed: ({ trace_id }) => {
          if (isSameTrace(trace_id, traceId)) readAgain();
        },
        unmatched: () => undefined,
        lagged: readAgain,
        broken: () => undefined,
      },
      end.signal,
    );
    return () => end.abort();
  }, [client, queries, refetch, traceId, isVisible]);
  return query;
}

/** Throttles work: one run at a time, a pause after each, and another run if it was asked for meanwhile. */
function throttled(work: () => Promise<unknown>, signal: AbortSignal): () => void {
  let isAsked = false;
  let isWorking = false;
  const run = async () => {
    isWorking = true;
    while (isAsked && !signal.aborted) {
      isAsked = false;
      await work();
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
    }
    isWorking = false;
  };
  return () => {
    isAsked = true;
    if (!isWorking) void run();
  };
}

function isYoung(trace: SpanRecord | null | undefined): boolean {
  return trace != null && Date.now() - Date.parse(trace.created_at) < YOUNG_MS;
}

/** A dashed UUID, in either case, names the same trace as its hex digits. */
function isSameTrace(recorded: string, asked: string): boolean {
  return recorded === asked || recorded === asked.replaceAll("-", "").toLowerCase();
}

import type { SpanRecord } from "@agate/protocol";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { followTraces } from "../api/follow-events.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { traceQuery } from "../api/trace.ts";
import { usePageVisible } from "../design/browser-state.ts";

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
export function useLiveTrace(traceId: string) {
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

import type { SpanRecord } from "@agate/protocol";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { followTraces } from "../api/follow-events.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { traceQuery } from "../api/trace.ts";
import { usePageVisible } from "../design/browser-state.ts";

/** Spans come in many small batches; a large trace is not read for each. */
const REST_MS = 500;
/** What was read longer ago may have missed something before the platform was listened to. */
const JUST_READ_MS = 2000;
/** Spans of a call come within that time, as a rule. */
const YOUNG_MS = 60_000;

/**
 * A trace, read anew whenever the platform says that spans were added to it. One that has not arrived
 * yet is read when it does: links are opened right after calls, and traces appear about a second later.
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
    const readAgain = calmly(() => refetch({ cancelRefetch: false }), end.signal);
    void followTraces(
      client,
      {
        opened: () => {
          const state = queries.getQueryState(traceQuery(client, traceId).queryKey);
          const age = Date.now() - (state?.dataUpdatedAt ?? 0);
          // A trace may have arrived after it was looked for, and before events were listened to.
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

/** Does something when asked to, once at a time and with a rest in between; the last time counts. */
function calmly(work: () => Promise<unknown>, signal: AbortSignal): () => void {
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

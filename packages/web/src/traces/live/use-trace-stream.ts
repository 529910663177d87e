import type { ListedSpan } from "@agate/protocol";
import { useEffect, useEffectEvent, useState } from "react";
import { followTraces } from "../../api/follow-events.ts";
import { usePlatform } from "../../api/platform-context.tsx";
import type { TraceListRequest } from "../../api/traces.ts";
import { usePageVisible } from "../../design/browser-state.ts";

/** Events within this time are delivered together. */
const BATCH_MS = 150;

/** A list does not wait longer for its stream. */
const SETTLE_MS = 1000;

export interface StreamListener {
  /**
   * The list may be read: the stream is open, or there is none for now. A list that is read before its stream
   * is open would have to be read again for what has arrived in between.
   */
  settled(): void;
  /** The stream is open, for the first time or after a reconnect. */
  opened(): void;
  /** Traces that changed, and the ids of those that do not match the filters any more. */
  changed(records: readonly ListedSpan[], unmatched: readonly string[]): void;
  lagged(): void;
  /** While true, changes wait. */
  isBusy(): boolean;
}

/**
 * Follows the traces of a list while the page is visible, and returns whether the stream is
 * disconnected. The platform filters the events; null opens no stream.
 */
export function useTraceStream(
  request: TraceListRequest | null,
  listener: StreamListener,
): boolean {
  const client = usePlatform();
  const isVisible = usePageVisible();
  const [isBroken, setBroken] = useState(false);
  const settled = useEffectEvent(() => listener.settled());
  const opened = useEffectEvent(() => listener.opened());
  const changed = useEffectEvent((records: readonly ListedSpan[], unmatched: readonly string[]) =>
    listener.changed(records, unmatched),
  );
  const lagged = useEffectEvent(() => listener.lagged());
  const isBusy = useEffectEvent(() => listener.isBusy());
  const filters = useEffectEvent(() => (request === null ? {} : streamFilters(request)));
  // Not the request itself, which is another object whenever anything in the address changes.
  const list =
    request === null ? null : JSON.stringify([request.view, request.range, request.filters]);

  useEffect(() => {
    // A hidden tab would hold one of the six connections that a browser opens to a host.
    if (!isVisible || list === null) {
      settled();
      return;
    }
    const stop = new AbortController();
    const settle = setTimeout(() => settled(), SETTLE_MS);
    /** Trace id → its latest record; null if it does not match. */
    let batch = new Map<string, ListedSpan | null>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const deliver = () => {
      if (isBusy()) {
        timer = setTimeout(deliver, BATCH_MS);
        return;
      }
      timer = undefined;
      const latest = [...batch];
      batch = new Map();
      changed(
        latest.flatMap(([, record]) => record ?? []),
        latest.flatMap(([id, record]) => (record === null ? id : [])),
      );
    };
    const add = (traceId: string, record: ListedSpan | null) => {
      batch.set(traceId, record);
      timer ??= setTimeout(deliver, BATCH_MS);
    };
    void followTraces(
      client,
      {
        opened: () => {
          setBroken(false);
          opened();
          settled();
        },
        changed: (record) => add(record.trace_id, record),
        unmatched: (traceId) => add(traceId, null),
        lagged: () => lagged(),
        broken: () => {
          setBroken(true);
          settled();
        },
      },
      stop.signal,
      filters(),
    ).finally(() => {
      if (!stop.signal.aborted) settled();
    });
    return () => {
      stop.abort();
      clearTimeout(settle);
      clearTimeout(timer);
    };
  }, [client, list, isVisible]);
  return isBroken;
}

/** The filters of the stream select traces, so that a list of spans listens to every trace. */
function streamFilters({
  view,
  filters,
  bounds,
}: TraceListRequest): Readonly<Record<string, string>> {
  return view === "spans" ? {} : { ...filters, ...bounds(Date.now()) };
}

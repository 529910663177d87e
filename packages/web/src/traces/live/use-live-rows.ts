import type { ListedSpan } from "@agate/protocol";
import { hashKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { usePlatform } from "../../api/platform-context.tsx";
import { type TraceRow, traceRow } from "../../api/trace-row.ts";
import {
  readTracePage,
  type TraceListRequest,
  type TracePage,
  type TracePages,
  tracesQuery,
} from "../../api/traces.ts";
import {
  countNew,
  holdRows,
  leavesGap,
  mergeRows,
  nothingHeld,
  splitChanges,
  withGap,
  withoutHeld,
  withoutRemoved,
  withoutTrace,
} from "./merge-rows.ts";
import { useTraceStream } from "./use-trace-stream.ts";

/** A list of spans is polled this often after an event … */
const POLL_MS = 2000;
/** … for this long, until the platform has indexed the new spans. */
const POLL_FOR_MS = 9000;

/** A longer tail is cut back to its newest page, to bound the memory of a tab left open. */
const MOST_SHOWN = 1000;

export interface LiveRows {
  /** How many new rows wait to be shown. */
  readonly newCount: number;
  /** More rows wait than were counted. */
  readonly hasGap: boolean;
  /** The stream is disconnected, and reconnecting. */
  readonly isBroken: boolean;
  /** Shows the rows that wait. */
  show(): void;
}

interface LiveOptions {
  /** Rows in the list change in place, new ones wait. */
  readonly isHeld: boolean;
  /** False while the platform rejects the filters: it would reject the stream as well. */
  readonly isValid: boolean;
  /** Called when the list may be read: its stream is open, or there is none for now. */
  readonly onSettled: () => void;
}

/** Keeps the pages of a list up to date with the platform's event stream. */
export function useLiveRows(
  request: TraceListRequest,
  { isHeld, isValid, onSettled }: LiveOptions,
): LiveRows {
  const client = usePlatform();
  const cache = useListCache(request);
  const { list } = cache;
  const [latestHeld, setHeld] = useState(() => nothingHeld(list));
  const held = latestHeld.list === list ? latestHeld : nothingHeld(list);
  const renewal = useRenewal(cache, request, () => setHeld(nothingHeld(list)));

  const show = (changed: readonly TraceRow[]) => {
    const pages = mergeRows(cache.read() ?? [], [...held.rows.values(), ...changed]);
    cache.write(pages);
    setHeld(nothingHeld(list));
    const isLong = pages.reduce((sum, { rows }) => sum + rows.length, 0) > MOST_SHOWN;
    // If the read fails, the list stays long until the next event.
    if (isLong && !renewal.isRunning()) renewal.start().catch(() => undefined);
  };
  const take = (changed: readonly TraceRow[]) => {
    renewal.add(changed);
    if (!isHeld) return show(changed);
    const { inPlace, moving } = splitChanges(cache.read() ?? [], changed);
    if (inPlace.length > 0) cache.write(mergeRows(cache.read() ?? [], inPlace));
    setHeld((before) => holdRows(before.list === list ? before : nothingHeld(list), moving));
  };
  const drop = (traceIds: readonly string[]) => {
    if (traceIds.length === 0) return;
    renewal.drop(traceIds);
    cache.write(traceIds.reduce(withoutTrace, cache.read() ?? []));
    setHeld((before) => withoutHeld(before.list === list ? before : nothingHeld(list), traceIds));
  };
  const miss = () => {
    if (isHeld) setHeld(withGap(nothingHeld(list)));
    // On failure the pill offers to read the list again; so does the stream when it reconnects.
    else renewal.start().catch(() => setHeld(withGap(nothingHeld(list))));
  };

  const receiveNewest = useEffectEvent(
    (of: string, whenAsked: readonly TracePage[], newest: TracePage) => {
      const pages = cache.read();
      if (of !== list || pages === undefined) return;
      if (leavesGap(newest, pages, held)) return miss();
      take(withoutRemoved(newest.rows, whenAsked, pages));
    },
  );
  /** Reads what was missed before the stream was open, or what events do not hold. */
  const readNewest = useEffectEvent(async () => {
    const pages = cache.read();
    if (cache.isBusy()) return pollSoon();
    // The list is read once the stream has settled.
    if (pages === undefined) return;
    const newest = await readTracePage(client, request, null).catch(() => undefined);
    if (newest !== undefined) receiveNewest(list, pages, newest);
  });
  const pollSoon = usePolling(() => void readNewest());

  const isBroken = useTraceStream(isValid ? request : null, {
    isBusy: cache.isBusy,
    settled: onSettled,
    opened: () => void readNewest(),
    lagged: miss,
    changed: (records: readonly ListedSpan[], unmatched: readonly string[]) => {
      // Events hold root spans: which other spans are new, only the list of spans says.
      if (request.view === "spans" || cache.read() === undefined) pollSoon();
      else {
        drop(unmatched);
        if (records.length > 0) take(records.map((record) => traceRow(record, "traces")));
      }
    },
  });

  const release = useEffectEvent(() => (held.hasGap ? miss() : show([])));
  useEffect(() => {
    if (!isHeld) release();
  }, [isHeld]);

  const pages = cache.read();
  const newCount = useMemo(() => countNew(held, pages ?? []), [held, pages]);
  return {
    newCount,
    hasGap: held.hasGap,
    isBroken,
    show: () => {
      if (held.hasGap) renewal.start().catch(() => undefined);
      else show([]);
    },
  };
}

/** The pages of a list in the query cache. */
function useListCache(request: TraceListRequest) {
  const client = usePlatform();
  const queries = useQueryClient();
  const { queryKey } = tracesQuery(client, request);
  return {
    /** Identifies the list. */
    list: hashKey(queryKey),
    read: () => queries.getQueryData<TracePages>(queryKey)?.pages,
    write: (pages: readonly TracePage[]) =>
      queries.setQueryData<TracePages>(
        queryKey,
        (before) => before && { ...before, pages: [...pages] },
      ),
    replace: (pages: readonly TracePage[]) =>
      queries.setQueryData<TracePages>(queryKey, { pages: [...pages], pageParams: [null] }),
    /** A page is being read: it would overwrite anything written now. */
    isBusy: () => queries.isFetching({ queryKey, exact: true }) > 0,
  };
}

/** A read of the newest page, and the rows that arrived during it. */
interface Renewal {
  readonly list: string;
  rows: readonly TraceRow[];
  /** Rows were missed during the read: it is repeated. */
  isOutdated: boolean;
}

/** Replaces all pages of a list by its newest one, without losing rows that arrive meanwhile. */
function useRenewal(
  cache: ReturnType<typeof useListCache>,
  request: TraceListRequest,
  onRenewed: () => void,
) {
  const client = usePlatform();
  const { list } = cache;
  const current = useRef<Renewal>(null);
  const running = () => (current.current?.list === list ? current.current : undefined);
  const start = async () => {
    const already = running();
    if (already !== undefined) {
      already.isOutdated = true;
      return;
    }
    const mine: Renewal = { list, rows: [], isOutdated: false };
    current.current = mine;
    try {
      let page: TracePage;
      do {
        mine.isOutdated = false;
        page = await readTracePage(client, request, null);
      } while (mine.isOutdated);
      cache.replace(mergeRows([page], mine.rows));
      onRenewed();
    } finally {
      if (current.current === mine) current.current = null;
    }
  };
  return {
    isRunning: () => running() !== undefined,
    add: (rows: readonly TraceRow[]) => {
      const renewal = running();
      if (renewal !== undefined) renewal.rows = [...renewal.rows, ...rows];
    },
    /** The page that is being read may list them still: it is read again. */
    drop: (traceIds: readonly string[]) => {
      const renewal = running();
      if (renewal === undefined) return;
      renewal.rows = renewal.rows.filter(({ traceId }) => !traceIds.includes(traceId));
      renewal.isOutdated = true;
    },
    start,
  };
}

/** Returns a function that starts polling, or prolongs it. */
function usePolling(poll: () => void): () => void {
  const [isOn, setOn] = useState(false);
  const until = useRef(0);
  const onTick = useEffectEvent(poll);
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => {
      if (Date.now() > until.current) setOn(false);
      onTick();
    }, POLL_MS);
    return () => clearInterval(timer);
  }, [isOn]);
  return () => {
    until.current = Date.now() + POLL_FOR_MS;
    setOn(true);
  };
}

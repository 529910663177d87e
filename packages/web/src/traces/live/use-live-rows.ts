import type { ListedSpan } from "@agate/protocol";
import { hashKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { usePlatform } from "../../api/platform-context.tsx";
import { traceRow } from "../../api/trace-row.ts";
import {
  readTracePage,
  type TraceListRequest,
  type TracePage,
  type TracePages,
  tracesQuery,
} from "../../api/traces.ts";
import { matchRow } from "./match-row.ts";
import {
  countNew,
  holdChanges,
  leavesGap,
  mergeRows,
  nothingHeld,
  type RowChange,
  splitChanges,
  withGap,
  withoutRemoved,
} from "./merge-rows.ts";
import { useTraceStream } from "./use-trace-stream.ts";

/** Where only the platform can tell what belongs to the list, it is asked this often … */
const ASK_MS = 2000;
/** … until its index has surely caught up with the last thing that arrived. */
const ASK_FOR_MS = 9000;

/** A tail that has grown longer begins anew: left on for a night, it would take all of the memory. */
const MOST_SHOWN = 1000;

/** A list that is being read anew, and what has arrived for it since it was asked for. */
interface Renewal {
  readonly list: string;
  readonly changes: RowChange[];
  /** What was asked for is too old before it is there. */
  isOutdated: boolean;
}

export interface LiveRows {
  /** How many new rows wait to be shown. */
  readonly newCount: number;
  /** There are more than were counted. */
  readonly hasGap: boolean;
  /** The stream broke; it is opened again by itself. */
  readonly isBroken: boolean;
  /** Shows what waits. */
  show(): void;
}

/**
 * Keeps the pages of a list up to date with what arrives. While `isHeld`, rows that are shown change
 * in place and new ones wait.
 */
export function useLiveRows(request: TraceListRequest, isHeld: boolean): LiveRows {
  const client = usePlatform();
  const queries = useQueryClient();
  const { queryKey } = tracesQuery(client, request);
  const list = hashKey(queryKey);
  const [latestHeld, setHeld] = useState(() => nothingHeld(list));
  const held = latestHeld.list === list ? latestHeld : nothingHeld(list);
  const [isAsking, setAsking] = useState(false);
  const askUntil = useRef(0);
  const renewal = useRef<Renewal>(null);

  const readPages = () => queries.getQueryData<TracePages>(queryKey)?.pages;
  const writePages = (pages: readonly TracePage[]) =>
    queries.setQueryData<TracePages>(
      queryKey,
      (before) => before && { ...before, pages: [...pages] },
    );

  const show = (changes: readonly RowChange[]) => {
    const waiting = [...held.changes.values()];
    const pages = mergeRows(readPages() ?? [], [...waiting, ...changes]);
    writePages(pages);
    setHeld(nothingHeld(list));
    const isLong = pages.reduce((sum, { rows }) => sum + rows.length, 0) > MOST_SHOWN;
    // Where it cannot be read, it stays long until more arrives.
    if (isLong && !isRenewed()) startAnew().catch(() => undefined);
  };
  const take = (changes: readonly RowChange[]) => {
    if (isRenewed()) renewal.current?.changes.push(...changes);
    if (!isHeld) return show(changes);
    const { inPlace, moving } = splitChanges(readPages() ?? [], changes);
    if (inPlace.length > 0) writePages(mergeRows(readPages() ?? [], inPlace));
    setHeld((before) => holdChanges(before.list === list ? before : nothingHeld(list), moving));
  };

  const isRenewed = () => renewal.current?.list === list;
  /** The newest page in place of all that was read, with what arrives until it is there. */
  const startAnew = async () => {
    if (renewal.current?.list === list) {
      renewal.current.isOutdated = true;
      return;
    }
    const mine: Renewal = { list, changes: [], isOutdated: false };
    renewal.current = mine;
    try {
      let page: TracePage;
      do {
        mine.isOutdated = false;
        page = await readTracePage(client, request, null);
      } while (mine.isOutdated);
      const pages = [...mergeRows([page], mine.changes)];
      queries.setQueryData<TracePages>(queryKey, { pages, pageParams: [null] });
      setHeld(nothingHeld(list));
    } finally {
      if (renewal.current === mine) renewal.current = null;
    }
  };
  const miss = () => {
    if (isHeld) setHeld(withGap(nothingHeld(list)));
    // Where the platform does not answer, the page says so; the stream opens again, and asks anew.
    else startAnew().catch(() => setHeld(withGap(nothingHeld(list))));
  };

  const askSoon = () => {
    askUntil.current = Date.now() + ASK_FOR_MS;
    setAsking(true);
  };
  /** Reading on is under way: what is written meanwhile would be lost. */
  const isBusy = () => queries.isFetching({ queryKey, exact: true }) > 0;

  const receiveNewest = useEffectEvent(
    (of: string, whenAsked: readonly TracePage[], newest: TracePage) => {
      const pages = readPages();
      if (of !== list || pages === undefined) return;
      if (leavesGap(newest, pages, held)) return miss();
      const rows = withoutRemoved(newest.rows, whenAsked, pages);
      take(rows.map((row) => ({ row, belongs: true })));
    },
  );
  /** Asks for what the stream has not told, or cannot. */
  const askForNewest = useEffectEvent(async () => {
    const pages = readPages();
    if (pages === undefined || isBusy()) return askSoon();
    const newest = await readTracePage(client, request, null).catch(() => undefined);
    if (newest !== undefined) receiveNewest(list, pages, newest);
  });

  const isBroken = useTraceStream({
    isBusy,
    opened: () => void askForNewest(),
    lagged: miss,
    changed: (records: readonly ListedSpan[]) => {
      if (request.view === "spans" || readPages() === undefined) return askSoon();
      const bounds = request.bounds(Date.now());
      const matched = records.map((record) => {
        const row = traceRow(record, "traces");
        return { row, match: matchRow(row, request.filters, bounds) };
      });
      take(
        matched.flatMap(({ row, match }) =>
          match === "unknown" ? [] : [{ row, belongs: match === "yes" }],
        ),
      );
      if (matched.some(({ match }) => match === "unknown")) askSoon();
    },
  });

  useEffect(() => {
    if (!isAsking) return;
    const timer = setInterval(() => {
      if (Date.now() > askUntil.current) setAsking(false);
      void askForNewest();
    }, ASK_MS);
    return () => clearInterval(timer);
  }, [isAsking]);

  const showHeld = () => (held.hasGap ? miss() : show([]));
  const release = useEffectEvent(showHeld);
  useEffect(() => {
    if (!isHeld) release();
  }, [isHeld]);

  const pages = readPages();
  const newCount = useMemo(() => countNew(held, pages ?? []), [held, pages]);
  return {
    newCount,
    hasGap: held.hasGap,
    isBroken,
    show: () => {
      if (held.hasGap) startAnew().catch(() => undefined);
      else show([]);
    },
  };
}

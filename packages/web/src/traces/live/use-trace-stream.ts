import type { ListedSpan } from "@agate/protocol";
import { useEffect, useEffectEvent, useState } from "react";
import { followTraces } from "../../api/follow-events.ts";
import { usePlatform } from "../../api/platform-context.tsx";
import { usePageVisible } from "../../design/browser-state.ts";

/** What arrives within this time is told together. */
const BATCH_MS = 150;

export interface StreamListener {
  /** The stream is open, for the first time or again. */
  opened(): void;
  changed(records: readonly ListedSpan[]): void;
  lagged(): void;
  /** While this is so, changes wait. */
  isBusy(): boolean;
}

/** Listens to new and changed traces for as long as the page is looked at; tells whether it is broken. */
export function useTraceStream(listener: StreamListener): boolean {
  const client = usePlatform();
  const isVisible = usePageVisible();
  const [isBroken, setBroken] = useState(false);
  const opened = useEffectEvent(() => listener.opened());
  const changed = useEffectEvent((records: readonly ListedSpan[]) => listener.changed(records));
  const lagged = useEffectEvent(() => listener.lagged());
  const isBusy = useEffectEvent(() => listener.isBusy());

  useEffect(() => {
    // In a tab behind another it would take one of the few connections that a browser has.
    if (!isVisible) return;
    const stop = new AbortController();
    let batch: ListedSpan[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const deliver = () => {
      if (isBusy()) {
        timer = setTimeout(deliver, BATCH_MS);
        return;
      }
      timer = undefined;
      const records = batch;
      batch = [];
      changed(records);
    };
    void followTraces(
      client,
      {
        opened: () => {
          setBroken(false);
          opened();
        },
        changed: (record) => {
          batch.push(record);
          timer ??= setTimeout(deliver, BATCH_MS);
        },
        lagged: () => lagged(),
        broken: () => setBroken(true),
      },
      stop.signal,
    );
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [client, isVisible]);
  return isBroken;
}

import type { ListedSpan } from "@agate/protocol";
import { type EventListener, followEvents } from "./follow-events.ts";
import type { PlatformClient } from "./platform-client.ts";

export interface TraceListener {
  /** The stream is open: from here on nothing is missed. */
  opened(): void;
  /** A trace is new, or was added to. */
  changed(record: ListedSpan): void;
  /** More changed than could be told. */
  lagged(): void;
  /** The stream broke, and is opened again by itself after a while. */
  broken(): void;
}

/** Listens to what changes among the traces until the signal fires. */
export function followTraces(
  client: Pick<PlatformClient, "open">,
  listener: TraceListener,
  signal: AbortSignal,
): Promise<void> {
  const events: EventListener = {
    opened: () => listener.opened(),
    event: ({ event, data }) => {
      if (event === "lagged") listener.lagged();
      else if (event === "trace" || event === "update") listener.changed(data as ListedSpan);
    },
    broken: () => listener.broken(),
  };
  return followEvents(client, "/observability/live/", events, signal);
}

import type { ListedSpan } from "@agate/protocol";
import { readEvents, reconnect } from "@agate/protocol/client";
import { ApiError } from "./api-error.ts";
import type { PlatformClient, Query } from "./platform-client.ts";

/** A server-sent event, its data parsed. */
export interface StreamEvent {
  readonly event: string;
  readonly data: unknown;
}

export interface EventListener {
  /** The stream is open: events from now on arrive. */
  opened(): void;
  event(event: StreamEvent): void;
  /** The stream broke. It is opened again after a pause, unless the platform answered 404. */
  broken(): void;
}

/** Statuses that another attempt does not change: the key may not read, or the application does not exist. */
const FINAL_STATUSES: readonly number[] = [401, 403, 404];

/** Listens to a stream of the platform, and reconnects, until the signal fires. */
export async function followEvents(
  client: Pick<PlatformClient, "open">,
  path: string,
  listener: EventListener,
  signal: AbortSignal,
  query: Query = {},
): Promise<void> {
  const connect = async (established: () => void) => {
    const headers = { accept: "text/event-stream" };
    const response = await client.open("GET", path, undefined, { query, headers, signal });
    established();
    listener.opened();
    for await (const event of jsonEvents(response)) listener.event(event);
  };
  try {
    await reconnect({
      connect,
      isTransient: (error) => !isFinal(error),
      onLost: () => listener.broken(),
      signal,
    });
  } catch (error) {
    if (!isFinal(error)) throw error;
    if (error.status === 404) listener.broken();
  }
}

function isFinal(error: unknown): error is ApiError {
  return error instanceof ApiError && FINAL_STATUSES.includes(error.status);
}

/** The server-sent events of a response as they arrive. */
export async function* jsonEvents({ body }: Response): AsyncGenerator<StreamEvent, void> {
  if (body === null) return;
  for await (const { event, data } of readEvents(body)) yield { event, data: JSON.parse(data) };
}

export interface TraceListener {
  /** The stream is open: events from now on arrive. */
  opened(): void;
  /** A trace is new, or has new spans. */
  changed(record: ListedSpan): void;
  /** A trace has new spans and does not match the filters, or no longer does. */
  unmatched(traceId: string): void;
  /** The platform dropped events, because more traces changed than it could send. */
  lagged(): void;
  /** The stream broke. It is opened again after a pause. */
  broken(): void;
}

/** Listens to changes of traces until the signal fires. */
export function followTraces(
  client: Pick<PlatformClient, "open">,
  listener: TraceListener,
  signal: AbortSignal,
  filters: Query = {},
): Promise<void> {
  const events: EventListener = {
    opened: () => listener.opened(),
    event: ({ event, data }) => {
      if (event === "lagged") listener.lagged();
      else if (event === "trace" || event === "update") listener.changed(data as ListedSpan);
      else if (event === "unmatched") listener.unmatched((data as ListedSpan).trace_id);
    },
    broken: () => listener.broken(),
  };
  return followEvents(client, "/observability/live/", events, signal, filters);
}

import type { SpanRecord } from "@agate/protocol";
import { ApiError } from "../../api/api-error.ts";
import { jsonEvents } from "../../api/follow-events.ts";
import type { PlatformClient } from "../../api/platform-client.ts";
import type { RunRequest } from "./run.ts";

/** What a call tells, in the order in which it happens. */
export type CallEvent = CallStep | { readonly kind: "chunk"; readonly chunk: unknown };

/** What a call tells once. */
export type CallStep =
  /** The route has begun to answer. */
  | { readonly kind: "begun"; readonly traceId: string | null }
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "trace"; readonly trace: SpanRecord | null; readonly traceId: string | null };

/** The path of a route's playground endpoint, behind the gateway. */
export function playgroundPath(app: string, route: string): string {
  // A route is a valid path already: it goes into the address as it was declared.
  return `/services/${encodeURIComponent(app)}/playground/run${route === "/" ? "" : route}`;
}

/**
 * Calls a route with a configuration of one's own.
 *
 * @throws ApiError where the call failed, also in the middle of a stream; the body has the trace.
 */
export async function* callRoute(
  client: PlatformClient,
  path: string,
  { config, inputs, variant }: RunRequest,
  signal: AbortSignal,
): AsyncGenerator<CallEvent, void> {
  const response = await client.open(
    "POST",
    path,
    { config, inputs },
    {
      signal,
      headers: {
        accept: "text/event-stream",
        ...(variant !== null && { "agate-variant": variant }),
      },
    },
  );
  yield { kind: "begun", traceId: traceIdOf(response) };
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    const answer = (await response.json()) as Answer & { readonly data: unknown };
    yield { kind: "value", value: answer.data };
    yield traceEvent(answer);
    return;
  }
  for await (const { event, data } of jsonEvents(response)) {
    if (event === "chunk") yield { kind: "chunk", chunk: data };
    if (event === "error") throw new ApiError(response.status, data);
    if (event === "done") {
      yield traceEvent(data as Answer);
      return;
    }
  }
  throw new Error(
    "The answer broke off before its end. Has the workflow crashed, or been reloaded?",
  );
}

interface Answer {
  readonly trace_id?: string;
  readonly trace?: SpanRecord;
}

/** The trace that came with an answer, a refusal as well. */
export function traceEvent(answer: unknown): CallStep {
  const { trace = null, trace_id: traceId = null } = (answer ?? {}) as Answer;
  return { kind: "trace", trace, traceId: traceId ?? trace?.trace_id ?? null };
}

/** `00-<trace id>-<span id>-01` */
function traceIdOf(response: Response): string | null {
  return response.headers.get("traceparent")?.split("-")[1] ?? null;
}

import type { SpanRecord } from "@agate/protocol";
import { ApiError } from "../../api/api-error.ts";
import { servicePath } from "../../api/applications.ts";
import { jsonEvents } from "../../api/follow-events.ts";
import type { PlatformClient } from "../../api/platform-client.ts";
import type { RunRequest } from "./run.ts";

/** The events of a call, in order. */
export type CallEvent = CallStep | { readonly kind: "chunk"; readonly chunk: unknown };

/** Events that happen once per call. */
export type CallStep =
  /** The response has started. */
  | { readonly kind: "begun"; readonly traceId: string | null }
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "trace"; readonly trace: SpanRecord | null; readonly traceId: string | null };

/**
 * The path of a route's playground endpoint, behind the gateway.
 *
 * @param environment Whose build is called; null leaves it to the platform.
 */
export function playgroundPath(app: string, environment: string | null, route: string): string {
  // A route is a valid path already and needs no encoding.
  return `${servicePath(app, environment)}/playground/run${route === "/" ? "" : route}`;
}

/**
 * Calls a route with the given configuration.
 *
 * @throws ApiError if the call fails, even in the middle of a stream; its body has the trace.
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
  throw new Error("The response ended early. The workflow may have crashed or been reloaded.");
}

interface Answer {
  readonly trace_id?: string;
  readonly trace?: SpanRecord;
}

/** The trace of a response, or of an error response. */
export function traceEvent(answer: unknown): CallStep {
  const { trace = null, trace_id: traceId = null } = (answer ?? {}) as Answer;
  return { kind: "trace", trace, traceId: traceId ?? trace?.trace_id ?? null };
}

/** `00-<trace id>-<span id>-01` */
function traceIdOf(response: Response): string | null {
  return response.headers.get("traceparent")?.split("-")[1] ?? null;
}

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServedCall } from "./dev-event.ts";

const CLIENT_CLOSED_REQUEST = 499;
/** Health checks and schema requests, which are not shown as calls. */
const IS_PROBE = /\/(?:health|openapi\.json)$/;

export function isProbe(path: string): boolean {
  return IS_PROBE.test(path);
}

interface StartedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Tells of each call that a server of this process has answered on a port. The server belongs to the
 * SDK that the program imports, so Node's own channel is what tells of its requests.
 *
 * @returns stops it.
 */
export function watchServedCalls(port: number, onCall: (call: ServedCall) => void): () => void {
  const onStart = (message: unknown): void => {
    const { request, response } = message as StartedRequest;
    if (request.socket.localPort !== port) return;
    const { method = "", url = "/" } = request;
    const path = url.split("?", 1)[0] ?? "/";
    if (isProbe(path)) return;
    const started = performance.now();
    const traceOf = watchTrace(response);
    response.once("close", () => {
      const ms = performance.now() - started;
      onCall({ event: "call", method, path, ...outcomeOf(response), ms, trace_id: traceOf() });
    });
  };
  subscribe("http.server.request.start", onStart);
  return () => void unsubscribe("http.server.request.start", onStart);
}

function outcomeOf(response: ServerResponse): Pick<ServedCall, "status" | "cancelled"> {
  if (response.writableFinished) return { status: response.statusCode };
  const status = response.headersSent ? response.statusCode : CLIENT_CLOSED_REQUEST;
  return { status, cancelled: true };
}

/** Headers that are passed to `writeHead` cannot be read back. @returns the trace of the call. */
function watchTrace(response: ServerResponse): () => string | null {
  let traceId: string | null = null;
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse;
  response.writeHead = (...args: unknown[]) => {
    const { traceparent = "" } = (args.at(-1) ?? {}) as { readonly traceparent?: string };
    traceId = /^\w\w-(\w{32})-/.exec(traceparent)?.[1] ?? null;
    return writeHead(...args);
  };
  return () => traceId;
}

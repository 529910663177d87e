import { isErrorBody, traceIdOf } from "@agate/protocol/client";
import type { ApiClient, ApiPath } from "../../api-client/api-client.ts";
import { ApiFailure } from "../../api-client/api-failure.ts";
import { bodyEvents, readJson } from "../../api-client/response-body.ts";
import { printableText } from "../../terminal/printable.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { Session } from "../client/on-platform.ts";
import { jsonFor } from "../client/on-platform.ts";

/** A call of a route, ready to be sent. */
export interface Call {
  /** The platform, whose gateway passes it on, or the workflow itself. */
  readonly api: ApiClient;
  readonly path: ApiPath;
  readonly body: Readonly<Record<string, unknown>>;
}

interface CallAnswer {
  readonly data: unknown;
  readonly trace_id?: string;
}

/** Calls it and prints its data when it has all of it. */
export async function callRoute(session: Session<unknown>, call: Call): Promise<void> {
  const { api, path, body } = call;
  const response = await api.open(path, { method: "POST", body, timeoutMs: null });
  const document = await readJson<CallAnswer>(response, api.connection.url);
  session.show(document, ({ data }) => [dataText(data, session.terminal)]);
  if (!session.json) noteTrace(session.terminal, document.value.trace_id);
}

/** Text as text, anything else as JSON. In a pipe it is data, and stays as it is. */
export function dataText(data: unknown, { columns }: Terminal): string {
  const text = typeof data === "string" ? data : JSON.stringify(data ?? null, null, 2);
  return columns === undefined ? text : printableText(text);
}

/** How to see what happened. */
export function noteTrace(terminal: Terminal, traceId: string | undefined): void {
  if (traceId === undefined) return;
  terminal.note(terminal.paintNote("dim", `trace ${printableText(traceId)}`));
}

/** Calls a route and prints the pieces of its answer as they come; with `--json` an event a line. */
export async function streamRoute(session: Session<unknown>, call: Call): Promise<void> {
  const { terminal, json } = session;
  const { api, path, body } = call;
  const { url } = api.connection;
  const accept = "text/event-stream, application/json;q=0.9";
  const signal = terminal.unread;
  const response = await api.open(path, { method: "POST", body, accept, timeoutMs: null, signal });
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    // A function that returns a value has nothing to stream.
    const { value } = await readJson<{ data: unknown; trace_id?: string }>(response, url);
    if (json) terminal.print(jsonFor(terminal, JSON.stringify({ event: "done", data: value })));
    else terminal.print(dataText(value.data, terminal));
    if (!json) noteTrace(terminal, value.trace_id);
    return;
  }
  let endsLine = true;
  for await (const { event, data } of bodyEvents(response, url)) {
    const value: unknown = JSON.parse(data);
    if (json)
      terminal.print(jsonFor(terminal, `{"event":${JSON.stringify(event)},"data":${data}}`));
    if (event === "chunk" && !json) {
      const text = typeof value === "string" ? value : `${dataText(value, terminal)}\n`;
      await terminal.write(terminal.columns === undefined ? text : printableText(text));
      endsLine = text.endsWith("\n");
    }
    if (event === "error" || event === "done") {
      if (!endsLine) terminal.print("");
    }
    if (event === "error") throw streamFailure(url, value);
    if (event === "done") {
      if (json) return;
      noteTrace(terminal, (value as { trace_id?: string }).trace_id);
      return;
    }
  }
  if (!terminal.unread.aborted) throw new ApiFailure(url, { kind: "broken-off" });
}

function streamFailure(url: string, body: unknown): ApiFailure {
  if (!isErrorBody(body)) return new ApiFailure(url, { kind: "broken-off" });
  return new ApiFailure(url, {
    kind: "refused",
    // The stream had begun well.
    status: 200,
    detail: body.detail,
    retryAfterSeconds: null,
    log: [],
    traceId: traceIdOf(body),
  });
}

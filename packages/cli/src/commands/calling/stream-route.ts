import { isErrorBody, traceIdOf } from "@agate/protocol/client";
import { ApiFailure } from "../../api-client/api-failure.ts";
import { bodyEvents, readJson } from "../../api-client/response-body.ts";
import { printableText } from "../../terminal/printable.ts";
import type { Session } from "../client/on-platform.ts";
import { jsonFor } from "../client/on-platform.ts";
import type { Call } from "./call-route.ts";
import { dataText, noteTrace } from "./call-route.ts";

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

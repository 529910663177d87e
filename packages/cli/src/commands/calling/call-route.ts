import type { ApiClient } from "../../api-client/api-client.ts";
import type { ApiPath } from "../../api-client/api-path.ts";
import { readJson } from "../../api-client/response-body.ts";
import { printableText } from "../../terminal/printable.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { Session } from "../client/on-platform.ts";

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

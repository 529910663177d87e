import type { ListedSpan } from "@agate/protocol";
import type { ServerSentEvent } from "@agate/protocol/client";
import { apiPath } from "../../api-client/api-client.ts";
import { bodyEvents } from "../../api-client/response-body.ts";
import { layOutTable, tableHead, tableLine } from "../../terminal/table.ts";
import { keepFollowing } from "../client/keep-following.ts";
import { jsonFor, type Session } from "../client/on-platform.ts";
import type { FilterFlags } from "./trace-query.ts";
import { toQuery, tracePages } from "./trace-query.ts";
import { TRACE_COLUMNS, traceRow } from "./trace-rows.ts";

type FollowSession = Session<FilterFlags & { readonly limit: number }>;

/** As many as one page of the list can have. */
const MOST_MISSED = 1000;

/**
 * The latest traces, oldest first, then each one that arrives or grows. Traces that arrive while the
 * connection is lost are listed after reconnecting.
 */
export async function followTraces(session: FollowSession): Promise<void> {
  const print = tracePrinter(session);
  await keepFollowing(session.terminal, (connected) => followConnection(session, print, connected));
}

/** Until the stream ends or breaks. */
async function followConnection(
  session: FollowSession,
  print: TracePrinter,
  connected: () => void,
): Promise<void> {
  const { api, terminal, flags, now } = session;
  // First the stream, then the list: a trace that arrives in between is in both, and printed once.
  const response = await api.open(apiPath`/observability/live/`, {
    query: toQuery(flags, now),
    accept: "text/event-stream",
    signal: terminal.unread,
  });
  await printRecent(session, print);
  connected();
  for await (const event of bodyEvents(response, api.connection.url)) {
    if (event.event === "lagged") await printRecent(session, print);
    else printEvent(print, event);
  }
}

function printEvent(print: TracePrinter, { event, data }: ServerSentEvent): void {
  if (event !== "trace" && event !== "update") return;
  // `--json` prints one document a line: line breaks between JSON's tokens are white space.
  print.trace(JSON.parse(data) as ListedSpan, data.replaceAll(/[\r\n]/g, ""));
}

/** The latest traces; afterwards those that arrived since and were not printed. */
async function printRecent(session: FollowSession, print: TracePrinter): Promise<void> {
  const { api, flags, now } = session;
  const horizon = print.horizon();
  const limit = horizon === undefined ? flags.limit : MOST_MISSED;
  const query = { ...toQuery(flags, now), ...horizon };
  const spans: ListedSpan[] = [];
  for await (const page of tracePages(api, query, limit)) spans.push(...page.items);
  print.begin(spans.length < flags.limit ? undefined : spans.at(-1)?.created_at);
  for (const span of spans.toReversed()) print.trace(span, JSON.stringify(span));
}

interface TracePrinter {
  /** Prints the head, the first time. `from` is the start of the oldest trace of a full page. */
  begin(from: string | undefined): void;
  /**
   * From where on every trace that was there was printed, so that any other is news: everywhere,
   * where the first page had room for more. Undefined before the first page.
   */
  horizon(): { readonly from?: string } | undefined;
  trace(span: ListedSpan, json: string): void;
}

function tracePrinter({ terminal, json }: FollowSession): TracePrinter {
  const shown = new ShownTraces();
  // What will come is not known: the columns have their usual widths.
  const layout = layOutTable(TRACE_COLUMNS, [], terminal.columns);
  let horizon: { readonly from?: string } | undefined;
  return {
    horizon: () => horizon,
    begin: (from) => {
      if (horizon !== undefined) return;
      horizon = from === undefined ? {} : { from };
      if (!json) terminal.print(tableHead(layout, terminal.paint));
    },
    trace: (span, text) => {
      if (!shown.isNews(span)) return;
      const row = traceRow({ terminal, now: Date.now() }, span);
      terminal.print(json ? jsonFor(terminal, text) : tableLine(layout, row, terminal.paint));
    },
  };
}

const REMEMBERED = 10_000;

/** Which traces were printed, and how they were then: one that has grown is news again. */
export class ShownTraces {
  readonly #shown = new Map<string, string>();

  isNews({ trace_id, id, status, metadata }: ListedSpan): boolean {
    const state = JSON.stringify([id, status, metadata.latency, metadata.total]);
    if (this.#shown.get(trace_id) === state) return false;
    this.#shown.delete(trace_id);
    this.#shown.set(trace_id, state);
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > REMEMBERED && oldest !== undefined) this.#shown.delete(oldest);
    return true;
  }
}

import type { ListedSpan } from "@agate/protocol";
import { Command, Option } from "commander";
import { apiPath } from "../../api-client/api-client.ts";
import { examples, HEADINGS } from "../client/command-help.ts";
import { onPlatform } from "../client/on-platform.ts";
import type { Page, PageFlags } from "../client/paged-list.ts";
import { cursorOption, limitOption, listLines, noteNextPage } from "../client/paged-list.ts";
import { followTraces } from "./follow-traces.ts";
import type { FilterFlags } from "./trace-query.ts";
import { addFilterOptions, toQuery, tracePages } from "./trace-query.ts";
import { costLine, TRACE_COLUMNS, traceRow } from "./trace-rows.ts";

export type TracesFlags = FilterFlags & PageFlags & { readonly follow?: boolean };

/** `agate traces`: what was called, newest first. */
export function tracesCommand(): Command {
  const command = addFilterOptions(
    new Command("traces")
      .description("List traces, newest first, or follow new ones.")
      .helpGroup(HEADINGS.observe),
  )
    .addOption(limitOption(20))
    .addOption(cursorOption())
    .addOption(
      new Option(
        "-f, --follow",
        "keep printing new traces until Ctrl-C; with --json one document per line",
      ).conflicts("cursor"),
    )
    .option("--full", "with --json, print long values in full instead of previews")
    .addHelpText(
      "after",
      examples(
        "agate traces --app support --status ERROR --since 1h",
        "agate traces --min-latency 2000 --search 'refund order'",
        "agate traces --follow --environment production",
      ),
    );
  return onPlatform<[], TracesFlags>(command, async (session) => {
    const { api, terminal, flags } = session;
    if (flags.follow) {
      await followTraces(session);
      return;
    }
    const { limit, cursor } = flags;
    const query = { ...toQuery(flags, session.now), limit, cursor };
    if (session.json) {
      const path = apiPath`/observability/traces/`;
      session.show(await api.get<Page<ListedSpan>>(path, query), () => []);
      return;
    }
    const spans: ListedSpan[] = [];
    let next: Page<ListedSpan>["next_cursor"] = null;
    for await (const page of tracePages(api, query, limit)) {
      spans.push(...page.items);
      next = page.next_cursor;
    }
    const rows = spans.map((span) => traceRow(session, span));
    const columns = TRACE_COLUMNS.map(({ usual: _usual, ...column }) => column);
    const empty = "No traces. Call a route, or remove a filter.";
    for (const line of listLines(terminal, columns, rows, empty)) terminal.print(line);
    const cost = costLine(spans);
    if (cost !== undefined) terminal.note(terminal.paintNote("dim", cost));
    noteNextPage(terminal, next);
  });
}

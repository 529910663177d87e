import type { ListedSpan, SpanKind, SpanStatus, TrafficFilter } from "@agate/protocol";
import { SPAN_KINDS, SPAN_STATUSES, TRAFFIC } from "@agate/protocol";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { ApiClient, Query } from "../../api-client/api-client.ts";
import { apiPath } from "../../api-client/api-client.ts";
import type { Page } from "../client/paged-list.ts";
import { parseDuration, parseWholeNumber } from "../option-parsers.ts";

export interface FilterFlags {
  readonly app?: string;
  readonly route?: string;
  readonly variant?: string;
  readonly revision?: number;
  readonly environment?: string;
  readonly status?: SpanStatus;
  readonly anyError?: boolean;
  readonly kind?: SpanKind;
  readonly name?: string;
  readonly user?: string;
  readonly session?: string;
  readonly traffic?: TrafficFilter;
  readonly run?: string;
  readonly minLatency?: number;
  readonly minCost?: number;
  readonly score?: string;
  readonly search?: string;
  readonly since?: number;
  readonly from?: string;
  readonly to?: string;
  readonly full?: boolean;
}

/** The filters that the API's lists have, under the same names where these are good names. */
export function addFilterOptions(command: Command): Command {
  return command
    .option("--app <name>", "only of this application")
    .option("--route <path>", "only of this route (/ is the entrypoint)")
    .option("--variant <name>", "only of this variant")
    .option("--revision <number>", "only of this revision of the variant", parseWholeNumber)
    .option("--environment <name>", "only of this environment")
    .addOption(new Option("--status <status>", "only with this status").choices(SPAN_STATUSES))
    .option("--any-error", "only traces in which any span failed, even below a top that is fine")
    .addOption(
      new Option("--kind <kind>", "only where the top span is of this kind").choices(SPAN_KINDS),
    )
    .option("--name <name>", "only where the top span has this name")
    .option("--user <id>", "only for this user")
    .option("--session <id>", "only of this session")
    .addOption(
      new Option(
        "--traffic <which>",
        "live leaves out evaluation runs, evaluation shows only these; live unless --run is given",
      ).choices(TRAFFIC),
    )
    .option("--run <id>", "only of this evaluation run")
    .option("--min-latency <ms>", "only traces that took at least this long", parseAmount)
    .option("--min-cost <dollars>", "only traces that cost at least this much", parseAmount)
    .option(
      "--score <condition>",
      "only traces with such a score: 'helpful<0.5', helpful:none, helpful:failed",
    )
    .option("--search <words>", "only traces with all these words in names or content")
    .option(
      "--since <time>",
      "only traces that began in this period (45s, 90m, 12h, 7d)",
      parseDuration,
    )
    .addOption(
      new Option(
        "--from <time>",
        "only traces that began at this ISO 8601 time or later",
      ).conflicts("since"),
    )
    .option("--to <time>", "only traces that began before this ISO 8601 time");
}

function parseAmount(text: string): number {
  const amount = Number(text);
  if (text.trim() === "" || !(amount >= 0) || !Number.isFinite(amount)) {
    throw new InvalidArgumentError("Must be a number, 0 or more.");
  }
  return amount;
}

/** The parameters of `GET /observability/traces/` and `GET /observability/live/`. */
export function toQuery(flags: FilterFlags, now: number): Query {
  return {
    application: flags.app,
    route: flags.route,
    variant: flags.variant,
    revision: flags.revision,
    environment: flags.environment,
    status: flags.status,
    any_error: flags.anyError ? "true" : undefined,
    spankind: flags.kind,
    name: flags.name,
    user_id: flags.user,
    session_id: flags.session,
    traffic: flags.traffic,
    run: flags.run,
    min_latency: flags.minLatency,
    min_cost: flags.minCost,
    score: flags.score,
    q: flags.search,
    from: flags.since === undefined ? flags.from : new Date(now - flags.since).toISOString(),
    to: flags.to,
    content: flags.full ? "full" : undefined,
  };
}

/**
 * Lists traces page by page until there are `limit` of them or no more: the platform ends a page early
 * where its items are large.
 */
export async function* tracePages(
  api: Pick<ApiClient, "get">,
  query: Query,
  limit: number,
): AsyncGenerator<Page<ListedSpan>, void, void> {
  let cursor = query.cursor;
  for (let left = limit; left > 0; ) {
    const asked = { ...query, limit: left, cursor };
    const { value } = await api.get<Page<ListedSpan>>(apiPath`/observability/traces/`, asked);
    yield value;
    if (value.next_cursor === null) return;
    left -= value.items.length;
    cursor = value.next_cursor;
  }
}

import type { TraceRow } from "../../api/trace-row.ts";
import type { TimeBounds } from "../../time-range/time-range.ts";
import type { FilterName } from "../filters/filter-fields.ts";
import type { TraceFilters } from "../traces-search.ts";

/** `unknown`: only the platform can tell, from what is not in the record. */
export type Match = "yes" | "no" | "unknown";

const VALUES: Readonly<Record<ValueFilter, ValueOf>> = {
  application: (row) => row.application,
  route: (row) => row.route,
  variant: (row) => row.variant,
  environment: (row) => row.environment,
  status: (row) => row.status,
  spankind: (row) => row.kind,
  name: (row) => row.name,
  user_id: (row) => row.userId,
  session_id: (row) => row.sessionId,
};
type ValueFilter = Exclude<FilterName, "revision" | "min_latency" | "min_cost">;
type ValueOf = (row: TraceRow) => string | null;

/**
 * Whether a trace that was told of by itself belongs to a list, as the platform would decide. Where
 * its top span names no user, a span below may: the record does not say. Nor does it tell what words
 * are in the trace.
 */
export function matchRow(row: TraceRow, filters: TraceFilters, bounds: TimeBounds): Match {
  const { q, revision, min_latency, min_cost, ...equal } = filters;
  const matches = [
    ...Object.entries(VALUES).map(([name, read]) =>
      matchValue(equal[name as ValueFilter], read(row)),
    ),
    matchRevision(revision, row),
    atLeast(min_latency, row.latency),
    atLeast(min_cost, row.cost),
    within(row.startedAt, bounds),
    q === undefined ? "yes" : "unknown",
  ] as const;
  if (matches.includes("no")) return "no";
  return matches.includes("unknown") ? "unknown" : "yes";
}

function matchValue(wanted: string | undefined, found: string | null): Match {
  if (wanted === undefined || wanted === found) return "yes";
  return found === null ? "unknown" : "no";
}

/** Of the span that names the variant: a variant without a revision has none. */
function matchRevision(wanted: string | undefined, { variant, revision }: TraceRow): Match {
  if (wanted === undefined || Number(wanted) === revision) return "yes";
  return variant === null && revision === null ? "unknown" : "no";
}

function atLeast(least: string | undefined, found: number | null): Match {
  if (least === undefined) return "yes";
  return found !== null && found >= Number(least) ? "yes" : "no";
}

function within(startedAt: string, { from, to }: TimeBounds): Match {
  const start = Date.parse(startedAt);
  if (from !== undefined && start < Date.parse(from)) return "no";
  return to !== undefined && start >= Date.parse(to) ? "no" : "yes";
}

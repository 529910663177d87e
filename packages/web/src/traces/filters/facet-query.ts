import type { Query } from "../../api/platform-client.ts";
import { boundsOf, parseTimeRange } from "../../time-range/time-range.ts";
import { filtersOf, type TracesSearch } from "../traces-search.ts";
import type { FilterName } from "./filter-fields.ts";

const MINUTE_MS = 60_000;
/** How far back values are looked for where the list has no beginning. */
const LOOK_BACK = "30d";

/**
 * What values are suggested for a filter: those of the traces that every other filter lets through.
 * It stays the same for a minute, so that one answer serves a popover that is opened twice.
 */
export function facetQuery(
  search: TracesSearch,
  name: FilterName,
  now: number = Date.now(),
): Query {
  const { [name]: _own, ...others } = filtersOf(search);
  const minute = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  const bounds = boundsOf(parseTimeRange(search, "all"), minute);
  const from = bounds.from ?? boundsOf({ kind: "last", span: LOOK_BACK }, minute).from;
  return { ...others, ...bounds, from };
}

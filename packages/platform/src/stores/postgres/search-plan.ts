import type { SearchQuery } from "./word-lists.ts";

/** How traces with a term are found. */
export type TraceSearch =
  | { readonly kind: "few"; readonly traceNos: readonly number[] }
  /** Each trace is checked, in the order of the list. */
  | { readonly kind: "many"; readonly query: SearchQuery };

/** Segments of a trace that follow each other. */
export interface SegmentRange {
  readonly day: number;
  readonly traceNo: number;
  readonly first: number;
  readonly count: number;
}

/** How spans are found that may have all terms, or that are of rare traces. */
export type SpanSearch =
  | { readonly kind: "few"; readonly ranges: readonly SegmentRange[] }
  /** Each span is checked, in the order of the list. */
  | { readonly kind: "many"; readonly queries: readonly SearchQuery[] };

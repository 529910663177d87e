import type { TotalFigures } from "@agate/protocol";
import { totalText } from "@agate/spans/tree";

/** What a trace is filtered and grouped by, beside the figures of its top span. */
export type TraceDimensions = readonly [
  application: string | null,
  route: string | null,
  variant: string | null,
  revision: number | null,
  environment: string | null,
  userId: string | null,
  sessionId: string | null,
  run: string | null,
];

/** The names of {@link TraceDimensions} in SQL, in order. */
export const DIMENSION_COLUMNS =
  "application, route, variant, revision, environment, user_id, session_id, run";

export const NO_DIMENSIONS: TraceDimensions = [null, null, null, null, null, null, null, null];

/** The searchable columns of one span, in the order in which the statements bind them. */
export type SpanColumns = readonly [
  spanId: string,
  start: number,
  startNanos: number,
  latency: number | null,
  name: string,
  kind: string,
  status: string,
  ...dimensions: TraceDimensions,
  cost: number | null,
];

/** Where the dimensions begin in {@link SpanColumns}. */
const DIMENSIONS_AT = 7;
const STATUS = 6;

const VARIANT = 2;
const REVISION = 3;
const FIELDS = [0, 1, VARIANT, REVISION, 4, 5, 6, 7];
/** Taken from the same span: a revision number belongs to its variant. */
const PARTNERS: Readonly<Record<number, number>> = { [VARIANT]: REVISION, [REVISION]: VARIANT };

/**
 * The dimensions of a trace: the top span's own; a dimension that the top span lacks comes from the
 * earliest span that has it. The top is often a web framework's span without a session, and the call
 * below it has one.
 *
 * @param others In the order of their start; read only as far as needed.
 */
export function fillDimensions(
  top: TraceDimensions,
  others: Iterable<TraceDimensions>,
): TraceDimensions {
  let unset = unsetFields(top);
  if (unset.length === 0) return top;
  const filled = [...top];
  for (const other of others) {
    const found = unset.filter((field) => other[field] !== null);
    if (found.length === 0) continue;
    for (const field of found) filled[field] = other[field] ?? null;
    unset = unsetFields(filled);
    if (unset.length === 0) break;
  }
  return filled as unknown as TraceDimensions;
}

/** The fields that another span may fill. */
function unsetFields(dimensions: readonly unknown[]): number[] {
  return FIELDS.filter(
    (field) => dimensions[field] === null && dimensions[PARTNERS[field] ?? field] === null,
  );
}

/** The dimensions of a trace whose spans all arrived together. */
export function dimensionsOfNew(
  columns: readonly SpanColumns[],
  top: SpanColumns,
): TraceDimensions {
  return fillDimensions(dimensionsOf(top), inheritedFrom(columns, top));
}

/** Start, its nanoseconds, latency, name, kind and status of a span. */
export function topFigures(columns: SpanColumns): (string | number | null)[] {
  return columns.slice(1, DIMENSIONS_AT) as (string | number | null)[];
}

/** The columns of a trace, in the order of those of its top. */
export function asTrace(
  top: SpanColumns,
  dimensions: TraceDimensions,
  cost: number | null,
): SpanColumns {
  const [id, start, startNanos, latency, name, kind, status] = top;
  return [id, start, startNanos, latency, name, kind, status, ...dimensions, cost];
}

function dimensionsOf(columns: SpanColumns): TraceDimensions {
  return columns.slice(
    DIMENSIONS_AT,
    DIMENSIONS_AT + NO_DIMENSIONS.length,
  ) as unknown as TraceDimensions;
}

/** The dimensions of the spans that have one which the top lacks, by start, then id. */
function inheritedFrom(columns: readonly SpanColumns[], top: SpanColumns): TraceDimensions[] {
  const unset = unsetFields(dimensionsOf(top));
  return columns
    .filter((span) => unset.some((field) => span[DIMENSIONS_AT + field] !== null))
    .sort((a, b) => a[1] - b[1] || a[2] - b[2] || (a[0] < b[0] ? -1 : 1))
    .map(dimensionsOf);
}

/** How many of the spans of a trace failed. */
export function failedAmong(columns: readonly SpanColumns[]): number {
  return columns.reduce((count, span) => count + (span[STATUS] === "ERROR" ? 1 : 0), 0);
}

/** The names of {@link totalColumns} in SQL, in order. */
export const TOTAL_COLUMNS =
  "cost, input_tokens, output_tokens, total_tokens, total, failed_spans, unpriced_calls";

/**
 * The sums over a trace's spans, for its columns: cost, three kinds of tokens, the shown text, how many
 * spans failed, and of how many calls the cost is unknown. The text is what lists show of them, from the
 * value of `metadata.total` on.
 */
export function totalColumns(total: TotalFigures, failedSpans: number) {
  return [
    total.cost,
    total.usage?.input_tokens ?? null,
    total.usage?.output_tokens ?? null,
    total.usage?.total_tokens ?? null,
    `${totalText(total)}${failedSpans === 0 ? "" : `,"failed_spans":${failedSpans}`}`,
    failedSpans,
    total.unpriced_calls ?? 0,
  ] as const;
}

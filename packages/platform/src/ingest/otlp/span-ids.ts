const NO_TRACE_ID = "0".repeat(32);
const NO_SPAN_ID = "0".repeat(16);

/** Why a span cannot be kept for its ids, in the words of one encoding. */
export interface IdFaults {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
}

/** Stands for an id that came as text other than hex digits. It is a fault in every place. */
export const NOT_HEX = "not hex";

/**
 * Judges a span's ids, which come as lower-case hex of any length or as `NOT_HEX`.
 * A parent id of the wrong size is a fault: guessing at it would build a wrong tree.
 */
export function findIdFault(
  traceId: string,
  spanId: string,
  parentSpanId: string,
): keyof IdFaults | null {
  if (traceId.length !== NO_TRACE_ID.length || traceId === NO_TRACE_ID) return "traceId";
  if (spanId.length !== NO_SPAN_ID.length || spanId === NO_SPAN_ID) return "spanId";
  if (parentSpanId.length === NO_SPAN_ID.length) return null;
  return /[^0]/.test(parentSpanId) ? "parentSpanId" : null;
}

/** The parent among ids without a fault: empty or all zero means that there is none. */
export function parentOf(parentSpanId: string): string | null {
  return parentSpanId.length !== NO_SPAN_ID.length || parentSpanId === NO_SPAN_ID
    ? null
    : parentSpanId;
}

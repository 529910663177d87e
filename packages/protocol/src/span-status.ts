/** The contract's `SpanStatusCode`, in OTLP's numeric order. */
export const SPAN_STATUSES = ["UNSET", "OK", "ERROR"] as const;

/** @example const status: SpanStatus = "OK" */
export type SpanStatus = (typeof SPAN_STATUSES)[number];

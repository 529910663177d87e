const KINDS = [
  "SPAN_KIND_UNSPECIFIED",
  "SPAN_KIND_INTERNAL",
  "SPAN_KIND_SERVER",
  "SPAN_KIND_CLIENT",
  "SPAN_KIND_PRODUCER",
  "SPAN_KIND_CONSUMER",
];
const STATUS_CODES = ["STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"];

// A value that this version does not know counts as 0, which says nothing about the span: its
// other fields are worth keeping.

/** A SpanKind by number. */
export function knownKind(kind: number): number {
  return kind < KINDS.length ? kind : 0;
}

/** A StatusCode by number. */
export function knownStatusCode(code: number): number {
  return code < STATUS_CODES.length ? code : 0;
}

/** A SpanKind from JSON, by number or by name; null when it is neither. */
export function parseKind(value: unknown): number | null {
  return parseEnum(value, KINDS);
}

/** A StatusCode from JSON, likewise. */
export function parseStatusCode(value: unknown): number | null {
  return parseEnum(value, STATUS_CODES);
}

function parseEnum(value: unknown, names: readonly string[]): number | null {
  if (typeof value === "string") return Math.max(names.indexOf(value), 0);
  if (typeof value !== "number" || !Number.isInteger(value)) return null;
  return value > 0 && value < names.length ? value : 0;
}

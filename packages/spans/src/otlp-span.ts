/** An OTLP AnyValue as a JavaScript value. Key-value lists are Maps: `__proto__` is plain data. */
export type AttributeValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | Uint8Array
  | readonly AttributeValue[]
  | Attributes;

export type Attributes = ReadonlyMap<string, AttributeValue>;

/** A point in time without loss: `us` is exact up to the year 2255. */
export interface Instant {
  /** Whole microseconds since 1970. */
  readonly us: number;
  /** 0 to 999 nanoseconds beyond them. */
  readonly nanos: number;
}

export interface OtlpEvent {
  readonly name: string;
  readonly time: Instant;
  readonly attributes: Attributes;
  readonly droppedAttributesCount: number;
}

export interface OtlpLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceState: string;
  readonly attributes: Attributes;
  readonly flags: number;
  readonly droppedAttributesCount: number;
}

export interface OtlpResource {
  readonly attributes: Attributes;
  readonly schemaUrl: string;
  readonly droppedAttributesCount: number;
}

export interface OtlpScope {
  readonly name: string;
  readonly version: string;
  readonly attributes: Attributes;
  readonly schemaUrl: string;
  readonly droppedAttributesCount: number;
}

/** A decoded span with valid ids, the same whether it came as protobuf or as JSON. */
export interface OtlpSpan {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** 16 lower-case hex digits. */
  readonly spanId: string;
  readonly parentSpanId: string | null;
  readonly traceState: string;
  readonly flags: number;
  readonly name: string;
  /** SpanKind by number: 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly start: Instant;
  readonly end: Instant;
  readonly attributes: Attributes;
  readonly events: readonly OtlpEvent[];
  readonly links: readonly OtlpLink[];
  /** 0 unset, 1 ok, 2 error. */
  readonly statusCode: number;
  readonly statusMessage: string;
  readonly droppedAttributesCount: number;
  readonly droppedEventsCount: number;
  readonly droppedLinksCount: number;
  readonly resource: OtlpResource;
  readonly scope: OtlpScope;
}

const NUMBER = /^\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/**
 * The count or amount that an attribute stands for. Null for what cannot be one: negative, not
 * finite, or too large to be exact.
 */
export function numberOf(value: AttributeValue): number | null {
  const number =
    typeof value === "number"
      ? value
      : typeof value === "bigint" || (typeof value === "string" && NUMBER.test(value))
        ? Number(value)
        : Number.NaN;
  return number >= 0 && number <= Number.MAX_SAFE_INTEGER ? number : null;
}

/** Whether a field that holds this number shows all of the attribute's value. */
export function isNumberShown(value: AttributeValue, shown: number | null): boolean {
  if (shown === null) return false;
  return typeof value === "string" ? value === `${shown}` : numberOf(value) === shown;
}

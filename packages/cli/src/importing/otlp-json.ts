import { isRecord } from "@agate/protocol";

/** A value in OTLP's JSON encoding. */
type AnyValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly AnyValue[] } };

export interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

/** A span in OTLP's JSON encoding. */
export interface OtlpJsonSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  /** 0 for a span that has not ended. */
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly events?: readonly {
    readonly name: string;
    readonly timeUnixNano: string;
    readonly attributes: readonly KeyValue[];
  }[];
  readonly status?: { readonly code: number; readonly message?: string };
}

/** OpenTelemetry's numbers for kinds of spans and statuses. */
export const INTERNAL = 1;
export const STATUS_CODES: Readonly<Record<string, number>> = { UNSET: 0, OK: 1, ERROR: 2 };

/** Attributes from names and values; those without a value are left out. */
export function attributesOf(values: Readonly<Record<string, unknown>>): KeyValue[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const any = anyValueOf(value);
    return any === null ? [] : [{ key, value: any }];
  });
}

function anyValueOf(value: unknown): AnyValue | null {
  switch (typeof value) {
    case "string":
      return { stringValue: value };
    case "boolean":
      return { boolValue: value };
    case "number":
      return Number.isSafeInteger(value) ? { intValue: `${value}` } : { doubleValue: value };
    default:
      if (Array.isArray(value)) {
        return {
          arrayValue: {
            values: value.flatMap((item) => anyValueOf(item) ?? []),
          },
        };
      }
      return isRecord(value) ? { stringValue: JSON.stringify(value) } : null;
  }
}

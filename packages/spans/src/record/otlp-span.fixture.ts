import type { SpanRecord } from "@agate/protocol";
import { spanRecordSchema } from "@agate/protocol/schemas";
import type { AttributeValue, OtlpSpan } from "../otlp-span.ts";
import { shippedPrices } from "../pricing/shipped-prices.ts";
import { AFTER_TOTAL, totalText } from "../span-tree/record-text.ts";
import type { StoredSpan } from "./stored-span.ts";
import { createSpanMapper } from "./to-stored-span.ts";

/** 15 November 2026, noon. */
export const NOON = Date.UTC(2026, 10, 15, 12) * 1000;

/** Attributes written as they are in a client's source. */
export type AttributeObject = Readonly<Record<string, AttributeValue>>;

/** A span with these attributes, and defaults for all the rest. */
export function otlpSpan(
  attributes: AttributeObject = {},
  overrides: Partial<OtlpSpan> = {},
): OtlpSpan {
  return {
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: "b7ad6b7169203331",
    parentSpanId: null,
    traceState: "",
    flags: 0,
    name: "a span",
    kind: 1,
    start: { us: NOON, nanos: 0 },
    end: { us: NOON + 1_500_000, nanos: 0 },
    attributes: new Map(Object.entries(attributes)),
    events: [],
    links: [],
    statusCode: 0,
    statusMessage: "",
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
    resource: { attributes: new Map(), schemaUrl: "", droppedAttributesCount: 0 },
    scope: {
      name: "",
      version: "",
      attributes: new Map(),
      schemaUrl: "",
      droppedAttributesCount: 0,
    },
    ...overrides,
  };
}

/** A store's span as a leaf of an answer: parsed, and checked against the contract. */
export function leafRecord(stored: StoredSpan): SpanRecord {
  const text = `${stored.openRecord}${totalText({ usage: null, cost: null })}${AFTER_TOTAL}null}`;
  const record: unknown = JSON.parse(text);
  spanRecordSchema.parse(record);
  return record as SpanRecord;
}

/** What becomes of a span with these attributes. */
export function mapped(
  attributes: AttributeObject,
  overrides: Partial<OtlpSpan> = {},
): { readonly stored: StoredSpan; readonly record: SpanRecord } {
  const map = createSpanMapper({ prices: shippedPrices(), projectId: null });
  const stored = map(otlpSpan(attributes, overrides));
  return { stored, record: leafRecord(stored) };
}

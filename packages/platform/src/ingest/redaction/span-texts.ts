import { Buffer } from "node:buffer";
import type { Attributes, AttributeValue, OtlpSpan } from "@agate/spans";
import type { SpanPlace } from "../otlp/decode-outcome.ts";

/** Digits of a number that may be a card's. */
const LONG_NUMBER = 1e12;

/** The texts of spans one after the other, as bytes, for spans that came as JSON. */
export function spanTexts(spans: readonly OtlpSpan[]): {
  readonly bytes: Uint8Array;
  readonly places: readonly SpanPlace[];
} {
  const texts: string[] = [];
  const places: SpanPlace[] = [];
  let start = 0;
  for (const span of spans) {
    const text = textOf(span);
    const end = start + Buffer.byteLength(text);
    texts.push(text);
    places.push({ start, end, hasLongNumbers: false });
    start = end;
  }
  return { bytes: Buffer.from(texts.join("")), places };
}

function textOf({ name, traceState, statusMessage, attributes, events, links }: OtlpSpan): string {
  let text = `${name}\n${traceState}\n${statusMessage}\n${attributesText(attributes)}`;
  for (const event of events) text += `${event.name}\n${attributesText(event.attributes)}`;
  for (const link of links) {
    text += `${link.traceId}\n${link.spanId}\n${link.traceState}\n${attributesText(link.attributes)}`;
  }
  return text;
}

function attributesText(attributes: Attributes): string {
  let text = "";
  for (const [key, value] of attributes) text += `${key}\n${valueText(value)}`;
  return text;
}

function valueText(value: AttributeValue): string {
  if (typeof value === "string") return `${value}\n`;
  if (typeof value === "number" || typeof value === "bigint") {
    return value >= LONG_NUMBER ? `${value}\n` : "";
  }
  if (typeof value !== "object" || value === null) return "";
  if (value instanceof Map) return attributesText(value);
  if (value instanceof Uint8Array) return `${Buffer.from(value).toString("latin1")}\n`;
  return (value as readonly AttributeValue[]).map(valueText).join("");
}

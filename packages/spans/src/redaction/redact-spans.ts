import { AGATE_ATTRIBUTES } from "@agate/protocol";
import type {
  Attributes,
  AttributeValue,
  OtlpEvent,
  OtlpLink,
  OtlpResource,
  OtlpScope,
  OtlpSpan,
} from "../otlp-span.ts";
import { REDACTED } from "./redact-json.ts";
import { LEAST_CARD, type Redactor } from "./redactor.ts";

/** What decides what is hidden of spans: a project's rules, or its secrets. */
export interface SpanRedactor
  extends Pick<Redactor, "text" | "number" | "mayHideValue" | "mayHideNamed"> {
  readonly keys: Pick<Redactor["keys"], "hidesAttribute" | "hidesBelow">;
}

/**
 * Spans without what the rules hide. One that was changed is marked with the attribute `ag.redacted`; one
 * of which they hide nothing is the same object. Ids, times and counts are never changed.
 */
export function redactSpans(
  spans: readonly OtlpSpan[],
  redactor: SpanRedactor,
): readonly OtlpSpan[] {
  // Many spans have the same resource and scope.
  const origins = new Map<OtlpResource | OtlpScope, OtlpResource | OtlpScope>();
  const keptOrigin = <Origin extends OtlpResource | OtlpScope>(origin: Origin): Origin => {
    const known = origins.get(origin);
    if (known !== undefined) return known as Origin;
    const kept = redactOrigin(origin, redactor);
    origins.set(origin, kept);
    return kept;
  };
  return spans.map((span) => redactSpan(span, redactor, keptOrigin));
}

function redactSpan(
  span: OtlpSpan,
  redactor: SpanRedactor,
  keptOrigin: <Origin extends OtlpResource | OtlpScope>(origin: Origin) => Origin,
): OtlpSpan {
  const resource = keptOrigin(span.resource);
  const scope = keptOrigin(span.scope);
  const name = redactor.text(span.name);
  const traceState = redactor.text(span.traceState);
  const statusMessage = redactor.text(span.statusMessage);
  const attributes = redactAttributes(span.attributes, redactor);
  const events = redactList(span.events, (event) => redactEvent(event, redactor));
  const links = redactList(span.links, (link) => redactLink(link, redactor));
  const isSame =
    resource === span.resource &&
    scope === span.scope &&
    name === span.name &&
    traceState === span.traceState &&
    statusMessage === span.statusMessage &&
    attributes === span.attributes &&
    events === span.events &&
    links === span.links;
  if (isSame) return span;
  const marked = new Map(attributes).set(AGATE_ATTRIBUTES.redacted, true);
  const changed = { name, traceState, statusMessage, attributes: marked, events, links };
  return { ...span, ...changed, resource, scope };
}

/** A resource or a scope; the same object where nothing of it is hidden. */
function redactOrigin<Origin extends OtlpResource | OtlpScope>(
  origin: Origin,
  redactor: SpanRedactor,
): Origin {
  const attributes = redactAttributes(origin.attributes, redactor);
  const schemaUrl = redactor.text(origin.schemaUrl);
  const isSame = attributes === origin.attributes && schemaUrl === origin.schemaUrl;
  if (!("name" in origin)) return isSame ? origin : { ...origin, attributes, schemaUrl };
  const name = redactor.text(origin.name);
  const version = redactor.text(origin.version);
  return isSame && name === origin.name && version === origin.version
    ? origin
    : { ...origin, attributes, schemaUrl, name, version };
}

/** An event of a span; the same object where nothing of it is hidden. */
export function redactEvent(event: OtlpEvent, redactor: SpanRedactor): OtlpEvent {
  const name = redactor.text(event.name);
  const attributes = redactAttributes(event.attributes, redactor);
  return name === event.name && attributes === event.attributes
    ? event
    : { ...event, name, attributes };
}

function redactLink(link: OtlpLink, redactor: SpanRedactor): OtlpLink {
  const attributes = redactAttributes(link.attributes, redactor);
  const traceState = redactor.text(link.traceState);
  // Ids that are none are kept as they came, so that they may be any text.
  const traceId = HEX.test(link.traceId) ? link.traceId : redactor.text(link.traceId);
  const spanId = HEX.test(link.spanId) ? link.spanId : redactor.text(link.spanId);
  return attributes === link.attributes &&
    traceState === link.traceState &&
    traceId === link.traceId &&
    spanId === link.spanId
    ? link
    : { ...link, attributes, traceState, traceId, spanId };
}

const HEX = /^(?:[0-9a-f]{32}|[0-9a-f]{16})$/;

function redactAttributes(attributes: Attributes, redactor: SpanRedactor): Attributes {
  let plain = 0;
  // Most attributes hold nothing, so most spans end here, without a copy of them.
  for (const [name, value] of attributes) {
    if (redactor.mayHideNamed(name) || mayHide(value, redactor)) {
      return redactMap(attributes, redactor, attributeRedaction(redactor), plain);
    }
    plain++;
  }
  return attributes;
}

function attributeRedaction(redactor: SpanRedactor) {
  return (name: string, value: AttributeValue): AttributeValue => {
    if (redactor.mayHideNamed(name) && redactor.keys.hidesAttribute(name)) return REDACTED;
    if (typeof value === "string") return redactor.text(value, name);
    return redactValue(value, redactor, name.split("."), []);
  };
}

/** Whether something may be hidden of an attribute's value, found fast. */
function mayHide(value: AttributeValue, redactor: SpanRedactor): boolean {
  return typeof value === "string" ? redactor.mayHideValue(value) : mayHideOther(value);
}

function mayHideOther(value: AttributeValue): boolean {
  if (typeof value === "object") return value !== null;
  return typeof value !== "boolean" && (value as number | bigint) >= LEAST_CARD;
}

function redactValue(
  value: AttributeValue,
  redactor: SpanRedactor,
  attribute: readonly string[],
  path: readonly string[],
): AttributeValue {
  if (typeof value === "string") return redactor.text(value);
  if (typeof value === "bigint" || Number.isSafeInteger(value)) {
    return redactor.number(value as number | bigint) ?? value;
  }
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return redactBytes(value, redactor);
  const step = (key: string, item: AttributeValue): AttributeValue => {
    const below = [...path, key];
    if (redactor.keys.hidesBelow(attribute, below)) return REDACTED;
    return redactValue(item, redactor, attribute, below);
  };
  if (value instanceof Map) return redactMap(value, redactor, step);
  const list = value as readonly AttributeValue[];
  return redactList(list, (item, index) => step(`${index}`, item));
}

/** Bytes are kept as base64. Where they hold a text that the rules change, nothing of them is. */
function redactBytes(bytes: Uint8Array, redactor: SpanRedactor): AttributeValue {
  // Byte by byte: what the patterns look for is ASCII in every usual encoding.
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return redactor.text(text) === text ? bytes : REDACTED;
}

/** @param plain How many of the first entries are known to hold nothing. */
function redactMap(
  map: Attributes,
  redactor: SpanRedactor,
  redactEntry: (key: string, value: AttributeValue) => AttributeValue,
  plain = 0,
): Attributes {
  const kept = new Map<string, AttributeValue>();
  const taken = new Map<string, number>();
  let index = 0;
  let isSame = true;
  for (const [key, value] of map) {
    if (index++ < plain) {
      kept.set(key, value);
      continue;
    }
    const keptKey = redactor.text(key);
    const keptValue = redactEntry(key, value);
    isSame &&= keptKey === key && keptValue === value;
    kept.set(freeKey(kept, keptKey, taken), keptValue);
  }
  return isSame ? map : kept;
}

// Two addresses as keys become the same text, and neither value may be lost. Numbers are not tried again
// from the beginning: a million addresses would take quadratic time.
function freeKey(map: Attributes, key: string, taken: Map<string, number>): string {
  if (!map.has(key)) return key;
  let number = taken.get(key) ?? 1;
  do number++;
  while (map.has(`${key} ${number}`));
  taken.set(key, number);
  return `${key} ${number}`;
}

function redactList<Item>(
  list: readonly Item[],
  redactItem: (item: Item, index: number) => Item,
): readonly Item[] {
  if (list.length === 0) return list;
  const kept = list.map(redactItem);
  return kept.every((item, index) => item === list[index]) ? list : kept;
}

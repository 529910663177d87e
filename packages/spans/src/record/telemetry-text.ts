import { attributesText, listText, quoted } from "../dialects/json-text.ts";
import type { Instant, OtlpEvent, OtlpLink, OtlpSpan } from "../otlp-span.ts";

// By OTLP's numbers; 0 is unspecified.
const KINDS = ["", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"];

/** The JSON of `metadata.events`. */
export function eventsText(events: readonly OtlpEvent[], instants: InstantWriter): string {
  return listText(events, ({ name, time, attributes, droppedAttributesCount }) => {
    const start = `{"name":${quoted(name)},"time":"${instants.nanos(time)}"`;
    return `${start},"attributes":${attributesText(attributes)}${dropped("attributes", droppedAttributesCount)}}`;
  });
}

/** The JSON of `metadata.links`. */
export function linksText(links: readonly OtlpLink[]): string {
  return listText(links, (link) => {
    let text = `{"trace_id":${quoted(link.traceId)},"span_id":${quoted(link.spanId)}`;
    text += `,"attributes":${attributesText(link.attributes)}`;
    if (link.traceState !== "") text += `,"trace_state":${quoted(link.traceState)}`;
    if (link.flags !== 0) text += `,"flags":${link.flags}`;
    return `${text}${dropped("attributes", link.droppedAttributesCount)}}`;
  });
}

/** The JSON of `metadata.otel`: only what differs from the defaults, and from the record's name. */
export function otelText(span: OtlpSpan, name: string): string {
  const kind = KINDS[span.kind] ?? "";
  let text = name === span.name ? "" : `,"name":${quoted(span.name)}`;
  if (kind !== "") text += `,"kind":"${kind}"`;
  if (span.traceState !== "") text += `,"trace_state":${quoted(span.traceState)}`;
  if (span.flags !== 0) text += `,"flags":${span.flags}`;
  const { schemaUrl } = span.resource;
  if (schemaUrl !== "") text += `,"resource_schema_url":${quoted(schemaUrl)}`;
  text += dropped("attributes", span.droppedAttributesCount);
  text += dropped("events", span.droppedEventsCount);
  text += dropped("links", span.droppedLinksCount);
  return `{${text.slice(1)}}`;
}

function dropped(what: string, count: number): string {
  return count > 0 ? `,"dropped_${what}_count":${count}` : "";
}

const MICROS_PER_SECOND = 1_000_000;
// Spans that arrive together happened within seconds of each other.
const MOST_SECONDS = 256;

/** Writes points in time as RFC 3339 in UTC. */
export class InstantWriter {
  readonly #seconds = new Map<number, string>();

  /** With six fraction digits and no `Z` yet, so that three more may follow. */
  openMicros(instant: Instant): string {
    const second = Math.floor(instant.us / MICROS_PER_SECOND);
    const micros = instant.us - second * MICROS_PER_SECOND;
    // From 2255 on `us` is no longer exact, and the difference may fall outside the second.
    const within = Math.min(Math.max(micros, 0), MICROS_PER_SECOND - 1);
    return `${this.#secondText(second)}.${`${MICROS_PER_SECOND + within}`.slice(1)}`;
  }

  /** With nine fraction digits. */
  nanos(instant: Instant): string {
    return `${this.openMicros(instant)}${nanosText(instant)}`;
  }

  #secondText(second: number): string {
    const known = this.#seconds.get(second);
    if (known !== undefined) return known;
    const text = new Date(second * 1000).toISOString().slice(0, 19);
    if (this.#seconds.size >= MOST_SECONDS) this.#seconds.clear();
    this.#seconds.set(second, text);
    return text;
  }
}

/** The last three of nine fraction digits, and the `Z`. */
export function nanosText({ nanos }: Instant): string {
  return `${`${1000 + nanos}`.slice(1)}Z`;
}

/** Milliseconds from start to end; null for a span that has not ended, or ended before it began. */
export function latencyOf(start: Instant, end: Instant): number | null {
  // In whole nanoseconds first: a sum of fractions would show as 12.300000000000001.
  const nanos = (end.us - start.us) * 1000 + (end.nanos - start.nanos);
  return isSet(end) && nanos >= 0 ? nanos / 1_000_000 : null;
}

/** OTLP has 0 for a time that is not known. */
export function isSet(instant: Instant): boolean {
  return instant.us !== 0 || instant.nanos !== 0;
}

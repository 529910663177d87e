import { attributesText, listText, quoted } from "../dialects/json-text.ts";
import type { OtlpEvent, OtlpLink, OtlpSpan } from "../otlp-span.ts";
import type { InstantWriter } from "./instant-text.ts";

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

/** The JSON of `metadata.otel`: only what differs from the defaults. */
export function otelText(span: OtlpSpan): string {
  const kind = KINDS[span.kind] ?? "";
  let text = kind === "" ? "" : `,"kind":"${kind}"`;
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

const OPAQUE = /^[A-Za-z0-9_-]{1,128}$/;
const TRACE_HEX = /^[0-9A-Fa-f]{32}$/;
const SPAN_HEX = /^[0-9A-Fa-f]{16}$/;
const UUID = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/;

/**
 * A trace id as the store knows it: OTLP ids are lower-case hex, and a dashed UUID names the same
 * trace as its 32 digits. Any other id stays as it is.
 *
 * @returns undefined when the text cannot be an id.
 */
export function parseTraceId(text: string): string | undefined {
  if (!OPAQUE.test(text)) return undefined;
  if (TRACE_HEX.test(text)) return text.toLowerCase();
  if (UUID.test(text)) return text.replaceAll("-", "").toLowerCase();
  return text;
}

/** A span id as the store knows it; undefined when the text cannot be one. */
export function parseSpanId(text: string): string | undefined {
  if (!OPAQUE.test(text)) return undefined;
  return SPAN_HEX.test(text) ? text.toLowerCase() : text;
}

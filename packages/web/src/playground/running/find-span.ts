import type { SpanRecord } from "@agate/protocol";

/** The span of this id in a trace; null where it has none. No recursion: chains may be very deep. */
export function findSpan(trace: SpanRecord, id: string): SpanRecord | null {
  const open = [trace];
  for (let span = open.pop(); span !== undefined; span = open.pop()) {
    if (span.id === id) return span;
    // One by one: as arguments of a single call, very many children are too many.
    for (const child of span.children ?? []) open.push(child);
  }
  return null;
}

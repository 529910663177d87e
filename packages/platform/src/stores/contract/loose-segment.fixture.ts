import type { StoredSpan } from "@agate/spans";
import type { SegmentEntry } from "../segments/segment.ts";
import { encodeHeader } from "../segments/segment.ts";

/** Open records in a row, as a segment of a trace that is not assembled holds them. */
export function looseSegment(spans: readonly StoredSpan[]): {
  header: string;
  body: Buffer<ArrayBuffer>;
} {
  const bodies = spans.map(({ openRecord }) => Buffer.from(openRecord));
  let offset = 0;
  const entries = spans.map((span, n): SegmentEntry => {
    const openLength = bodies[n]?.length ?? 0;
    const entry = { ...span, offset, openLength, totalLength: 0, treeLength: 0 };
    offset += openLength;
    return entry;
  });
  return { header: encodeHeader(entries), body: Buffer.concat(bodies) };
}

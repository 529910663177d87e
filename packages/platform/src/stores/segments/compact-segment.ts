import type { PlacedEntry, SegmentEntry } from "./segment.ts";
import {
  bodySum,
  decodeHeader,
  encodeHeader,
  plainBody,
  sealHeader,
  UNSEALED_BODY,
} from "./segment.ts";
import type { StoredSegment } from "./sent-again.ts";

// A span that is sent again changed is written to a new segment, and its earlier record is of no more
// use. Compaction rewrites a segment without such records, in its row: segments keep their numbers, and
// spans stay in the segments that hold them.

/** Segments of which less is superseded are left alone, unless nothing else is in them. */
export const COMPACT_FROM_BYTES = 4 * 1024;

export interface CompactedSegment extends StoredSegment {
  /** What is left, with its places in the new body. */
  readonly entries: readonly PlacedEntry[];
}

/**
 * The entries that a compacted segment keeps; undefined where rewriting it does not pay: less than half
 * of its records' bytes, or less than `fromBytes`, are superseded. An assembled body can only have
 * superseded records once its trace has other segments, so its nesting is of no more use either.
 *
 * @param isCurrent Whether an entry is what is stored of its span, and not superseded.
 * @throws DamagedSegmentError
 */
export function entriesToKeep(
  header: string,
  segment: number,
  isCurrent: (entry: PlacedEntry) => boolean,
  fromBytes = COMPACT_FROM_BYTES,
): readonly PlacedEntry[] | undefined {
  const entries = decodeHeader(header, segment);
  const kept = entries.filter(isCurrent);
  if (kept.length === entries.length) return undefined;
  if (kept.length === 0) return kept;
  // Written before there were checksums: a new one would vouch for records that nothing has checked.
  if (bodySum(header) === UNSEALED_BODY) return undefined;
  const keptBytes = bytesOf(kept);
  const superseded = bytesOf(entries) - keptBytes;
  return superseded >= fromBytes && superseded >= keptBytes ? kept : undefined;
}

/**
 * A segment of only these entries, their records in a row.
 *
 * @param kept Entries of the segment; with none of them its body is not read.
 * @throws DamagedSegmentError
 */
export function compactSegment(
  { header, body }: StoredSegment,
  kept: readonly PlacedEntry[],
  traceId: string,
): CompactedSegment {
  let offset = 0;
  const entries = kept.map((entry) => {
    const moved = loose(entry, offset);
    offset += entry.openLength;
    return moved;
  });
  return rewritten({ header, body }, kept, entries, traceId);
}

/**
 * The same with all records where they were, and blanks between them. For stores that compress bodies,
 * where blanks take no space and readers may hold places of records between two statements.
 *
 * @throws DamagedSegmentError
 */
export function blankSegment(
  { header, body }: StoredSegment,
  kept: readonly PlacedEntry[],
  traceId: string,
): CompactedSegment {
  const entries = kept.map((entry) => loose(entry, entry.offset));
  return rewritten({ header, body }, kept, entries, traceId);
}

const BLANK = 0x20;

/** Whether a place holds a record, and not the blanks that {@link blankSegment} leaves. */
export function isRecordAt(body: Uint8Array, offset: number, length: number): boolean {
  return offset + length <= body.length && body[offset] !== BLANK;
}

function rewritten(
  before: StoredSegment,
  from: readonly PlacedEntry[],
  entries: readonly PlacedEntry[],
  traceId: string,
): CompactedSegment {
  const length = entries.reduce((end, entry) => Math.max(end, entry.offset + entry.openLength), 0);
  const body = new Uint8Array(length).fill(BLANK);
  // A damaged body must not get a checksum that fits.
  const plain = length > 0 ? plainBody(before.header, before.body, traceId) : before.body;
  for (const [n, { offset }] of entries.entries()) {
    const { offset: earlier, openLength } = from[n] as PlacedEntry;
    body.set(plain.subarray(earlier, earlier + openLength), offset);
  }
  return { header: sealHeader(sparseHeader(entries), body, traceId), body, entries };
}

function loose(entry: PlacedEntry, offset: number): PlacedEntry {
  return { ...entry, offset, totalLength: 0, treeLength: 0 };
}

/** Entries keep their places in the header, by which PostgreSQL numbers spans. */
function sparseHeader(entries: readonly PlacedEntry[]): string {
  const byPlace: (SegmentEntry | undefined)[] = [];
  for (const entry of entries) {
    while (byPlace.length < entry.place) byPlace.push(undefined);
    byPlace.push(entry);
  }
  return encodeHeader(byPlace);
}

function bytesOf(entries: readonly SegmentEntry[]): number {
  return entries.reduce((sum, { openLength }) => sum + openLength, 0);
}

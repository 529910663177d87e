import type { SpanColumns } from "../summary/summary-columns.ts";
import type { PlacedEntry, SegmentEntry } from "./segment.ts";
import {
  DamagedSegmentError,
  decodeHeader,
  encodeHeader,
  plainBody,
  sealHeader,
} from "./segment.ts";
import type { EncodedSegment, TraceToWrite } from "./segment-encoder.ts";

/** What is written to a trace that is there already. */
export type TraceAddition = Pick<TraceToWrite, "traceId" | "columns" | "segments">;

export interface StoredSegment {
  readonly header: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** A segment's records, by the ids of their spans. */
interface ReadableSegment {
  readonly entries: ReadonlyMap<string, PlacedEntry>;
  readonly body: Uint8Array;
}

/**
 * The spans of a batch that are stored unchanged, by index: they are not written again.
 *
 * @param storedIn The segment that holds a span now; undefined for one that is new.
 */
export function unchangedSpans(
  trace: TraceAddition,
  storedIn: (index: number) => StoredSegment | undefined,
): Set<number> {
  const unchanged = new Set<number>();
  const stored = new Map<StoredSegment, ReadableSegment>();
  for (const { header, body, spans } of trace.segments) {
    for (const [n, entry] of decodeHeader(header, 0).entries()) {
      const index = spans[n] as number;
      const segment = storedIn(index);
      if (segment === undefined) continue;
      const readable = stored.get(segment) ?? readSegment(segment, trace.traceId);
      stored.set(segment, readable);
      const before = readable.entries.get(entry.id);
      if (before === undefined || nodeText(before) !== nodeText(entry)) continue;
      if (recordOf(body, entry).equals(recordOf(readable.body, before))) unchanged.add(index);
    }
  }
  return unchanged;
}

/**
 * The same without some spans, as loose segments; the segments that nothing is left of are gone.
 *
 * @returns Also which segments are left, by their index.
 */
export function withoutSpans(
  trace: TraceAddition,
  isLeftOut: (index: number) => boolean,
): { readonly trace: TraceAddition; readonly kept: readonly number[] } {
  const columns: SpanColumns[] = [];
  const segments: EncodedSegment[] = [];
  const kept: number[] = [];
  for (const [n, { header, body, spans }] of trace.segments.entries()) {
    const entries: SegmentEntry[] = [];
    const records: Buffer[] = [];
    const indices: number[] = [];
    let offset = 0;
    for (const [m, entry] of decodeHeader(header, 0).entries()) {
      const index = spans[m] as number;
      if (isLeftOut(index)) continue;
      entries.push({ ...entry, offset, totalLength: 0, treeLength: 0 });
      records.push(recordOf(body, entry));
      indices.push(columns.push(trace.columns[index] as SpanColumns) - 1);
      offset += entry.openLength;
    }
    if (entries.length === 0) continue;
    const rest = new Uint8Array(offset);
    let at = 0;
    for (const record of records) {
      rest.set(record, at);
      at += record.length;
    }
    const sealed = sealHeader(encodeHeader(entries), rest, trace.traceId);
    segments.push({ header: sealed, body: rest, spans: indices });
    kept.push(n);
  }
  return { trace: { traceId: trace.traceId, columns, segments }, kept };
}

/** Without entries for a damaged segment: the spans that are sent again replace it. */
function readSegment(stored: StoredSegment, traceId: string): ReadableSegment {
  const { header } = stored;
  try {
    const body = plainBody(header, stored.body, traceId);
    return { entries: new Map(decodeHeader(header, 0).map((entry) => [entry.id, entry])), body };
  } catch (error) {
    if (error instanceof DamagedSegmentError) return { entries: new Map(), body: stored.body };
    throw error;
  }
}

/** What the tree knows of a span; roles of figures are not in the record. */
function nodeText({ parentId, start, startNanos, figures }: SegmentEntry): string {
  return JSON.stringify([parentId, start, startNanos, figures]);
}

function recordOf(body: Uint8Array, { offset, openLength }: SegmentEntry): Buffer {
  return Buffer.from(body.buffer, body.byteOffset + offset, openLength);
}

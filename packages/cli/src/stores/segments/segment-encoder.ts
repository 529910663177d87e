import type { Figures } from "@agate/protocol";
import type { StoredSpan } from "@agate/spans";
import type { SpanTree } from "@agate/spans/tree";
import { AFTER_TOTAL, buildTree, totalText } from "@agate/spans/tree";
import type { SegmentEntry } from "./segment.ts";
import { encodeHeader } from "./segment.ts";

export interface EncodedSegment {
  readonly header: string;
  readonly body: Uint8Array<ArrayBuffer>;
  /** The spans of this segment, as indices into the list that was encoded, in the body's order. */
  readonly spans: readonly number[];
}

/** The spans of one trace that arrived together, ready to be written. */
export interface EncodedTrace {
  readonly segments: readonly EncodedSegment[];
  /** Index of the top span, and where its text lies. */
  readonly top: number;
  readonly topOpenLength: number;
  readonly total: Figures;
}

/**
 * A body larger than this is cut, so that reading one span of a huge trace never costs more than
 * this many bytes. A single span that is larger stays whole.
 */
const SEGMENT_BYTES = 128 * 1024;
/** More than AFTER_TOTAL, the longest total and the brackets around a record take. */
const GLUE_BYTES = 400;

/** Encodes traces; keeps one scratch buffer between calls. Not for use by two threads. */
export function createSegmentEncoder(): (spans: readonly StoredSpan[]) => EncodedTrace {
  let scratch = Buffer.allocUnsafeSlow(2 * SEGMENT_BYTES);

  return (spans) => {
    const tree = buildTree(spans);
    let worstCase = 0;
    for (const span of spans) worstCase += span.openRecord.length * 3 + GLUE_BYTES;
    if (scratch.length < worstCase) scratch = Buffer.allocUnsafeSlow(worstCase);
    const segments = fitsOne(spans)
      ? [assembled(spans, tree, scratch)]
      : loose(spans, tree, scratch);
    // Preorder begins with the top, so its record is the first of the first segment.
    const top = spans[tree.top] as StoredSpan;
    return {
      segments,
      top: tree.top,
      topOpenLength: Buffer.byteLength(top.openRecord),
      total: tree.total(tree.top),
    };
  };
}

function fitsOne(spans: readonly StoredSpan[]): boolean {
  let length = 0;
  for (const span of spans) length += span.openRecord.length + GLUE_BYTES / 2;
  return spans.length === 1 || length <= SEGMENT_BYTES;
}

/** One segment whose body is the nested answer for the whole tree. */
function assembled(spans: readonly StoredSpan[], tree: SpanTree, scratch: Buffer): EncodedSegment {
  const { preorder, depth } = tree;
  const entries: Mutable<SegmentEntry>[] = [];
  /** Entries whose record is not closed yet, the innermost last. */
  const open: Mutable<SegmentEntry>[] = [];
  let at = 0;
  const closeTo = (wanted: number) => {
    while (open.length > wanted) {
      const entry = open.pop() as Mutable<SegmentEntry>;
      const isLeaf = entry === entries.at(-1);
      at += scratch.write(isLeaf ? "null}" : "]}", at, "latin1");
      entry.treeLength = at - entry.offset;
    }
  };
  for (const index of preorder) {
    const level = depth[index] as number;
    const isFirstChild = open.length === level;
    closeTo(level);
    if (level > 0) at += scratch.write(isFirstChild ? "[" : ",", at, "latin1");
    const span = spans[index] as StoredSpan;
    const openLength = scratch.write(span.openRecord, at);
    const total = totalText(tree.total(index));
    const entry = {
      id: span.id,
      parentId: span.parentId,
      start: span.start,
      startNanos: span.startNanos,
      figures: span.figures,
      offset: at,
      openLength,
      totalLength: total.length,
      treeLength: 0,
    };
    at += openLength;
    at += scratch.write(total, at, "latin1");
    at += scratch.write(AFTER_TOTAL, at, "latin1");
    entries.push(entry);
    open.push(entry);
  }
  closeTo(0);
  return segment(entries, scratch, at, [...preorder]);
}

/** Several segments of open records only; the answer is assembled when it is read. */
function loose(spans: readonly StoredSpan[], tree: SpanTree, scratch: Buffer): EncodedSegment[] {
  const segments: EncodedSegment[] = [];
  let entries: SegmentEntry[] = [];
  let indices: number[] = [];
  let at = 0;
  const cut = () => {
    segments.push(segment(entries, scratch, at, indices));
    entries = [];
    indices = [];
    at = 0;
  };
  for (const index of tree.preorder) {
    const span = spans[index] as StoredSpan;
    if (at > 0 && at + span.openRecord.length > SEGMENT_BYTES) cut();
    const openLength = scratch.write(span.openRecord, at);
    entries.push({
      id: span.id,
      parentId: span.parentId,
      start: span.start,
      startNanos: span.startNanos,
      figures: span.figures,
      offset: at,
      openLength,
      totalLength: 0,
      treeLength: 0,
    });
    indices.push(index);
    at += openLength;
  }
  cut();
  return segments;
}

function segment(
  entries: readonly SegmentEntry[],
  scratch: Buffer,
  length: number,
  spans: readonly number[],
): EncodedSegment {
  const body = new Uint8Array(length);
  body.set(scratch.subarray(0, length));
  return { header: encodeHeader(entries), body, spans };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

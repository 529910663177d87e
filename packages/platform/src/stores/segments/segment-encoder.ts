import type { TotalFigures } from "@agate/protocol";
import type { StoredSpan } from "@agate/spans";
import type { SpanTree } from "@agate/spans/tree";
import { AFTER_TOTAL, buildTree, totalText } from "@agate/spans/tree";
import type { SpanBatch } from "../span-store.ts";
import type { SpanColumns } from "../summary/summary-columns.ts";
import type { SegmentEntry } from "./segment.ts";
import { encodeHeader, sealHeader } from "./segment.ts";

export interface EncodedSegment {
  readonly header: string;
  readonly body: Uint8Array<ArrayBuffer>;
  /** The spans of this segment, as indices into the list that was encoded, in the body's order. */
  readonly spans: readonly number[];
}

/** The spans of one trace that arrived together, ready to be written. */
export interface EncodedTrace<Segment = EncodedSegment> {
  readonly segments: readonly Segment[];
  /** Index of the top span, and where its text lies. */
  readonly top: number;
  readonly topOpenLength: number;
  readonly total: TotalFigures;
}

/** What of a span its segment holds. */
export type EncodableSpan = Pick<
  StoredSpan,
  "traceId" | "id" | "parentId" | "start" | "startNanos" | "figures" | "openRecord"
>;

/**
 * A body larger than this is cut, so that reading one span of a huge trace never costs more than
 * about this many bytes. A single span that is larger stays whole.
 */
export const SEGMENT_BYTES = 128 * 1024;
/** What the total, `children` and brackets around a record are counted as when bodies are cut. */
export const GLUE_BYTES = 200;
/** More than they can take: AFTER_TOTAL and the longest total. Room for them must be in the buffer. */
const LONGEST_GLUE_BYTES = 400;

/** Makes a segment into what is kept of it. Its body lies in the scratch buffer, which the next one overwrites. */
export type KeepSegment<Segment> = (segment: EncodedSegment, traceId: string) => Segment;

/**
 * Encodes traces; keeps one scratch buffer between calls. Not for use by two threads.
 *
 * @param segmentBytes Where bodies are cut; tests use a small one.
 */
export function createSegmentEncoder(
  segmentBytes = SEGMENT_BYTES,
): (spans: readonly EncodableSpan[]) => EncodedTrace {
  return createSegmentEncoderFor(inOwnMemory, segmentBytes);
}

/** The same for a store that keeps segments in a form of its own, and so needs no copy of their bodies. */
export function createSegmentEncoderFor<Segment>(
  keep: KeepSegment<Segment>,
  segmentBytes = SEGMENT_BYTES,
): (spans: readonly EncodableSpan[]) => EncodedTrace<Segment> {
  let scratch: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(2 * segmentBytes);

  return (spans) => {
    const tree = buildTree(spans);
    const lengths = spans.map((span) => Buffer.byteLength(span.openRecord));
    const groups = cutIntoSegments(tree.preorder, lengths, segmentBytes);
    let room = 0;
    for (const length of lengths) room += length + LONGEST_GLUE_BYTES;
    if (scratch.length < room) scratch = Buffer.allocUnsafeSlow(room);
    const { traceId } = spans[0] as EncodableSpan;
    const segments =
      groups.length === 1
        ? [keep(assembled(spans, tree, scratch), traceId)]
        : groups.map((group) => keep(loose(spans, group, scratch), traceId));
    return {
      segments,
      top: tree.top,
      // Preorder begins with the top, so its record is the first of the first segment.
      topOpenLength: lengths[tree.top] as number,
      total: tree.total(tree.top),
    };
  };
}

/**
 * Shares the spans out among segments. The only size rule: a trace that makes one group is stored
 * assembled, any other as loose records.
 *
 * @param lengths Bytes of each span's open record.
 */
function cutIntoSegments(
  preorder: Int32Array,
  lengths: readonly number[],
  segmentBytes: number,
): number[][] {
  let group: number[] = [];
  const groups = [group];
  let bytes = 0;
  for (const index of preorder) {
    const size = (lengths[index] as number) + GLUE_BYTES;
    if (group.length > 0 && bytes + size > segmentBytes) {
      group = [];
      groups.push(group);
      bytes = 0;
    }
    group.push(index);
    bytes += size;
  }
  return groups;
}

/** One segment whose body is the nested answer for the whole tree. */
function assembled(
  spans: readonly EncodableSpan[],
  tree: SpanTree,
  scratch: Buffer<ArrayBuffer>,
): EncodedSegment {
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
    const span = spans[index] as EncodableSpan;
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
  return segment(spans, entries, scratch, at, [...preorder]);
}

/** A segment of open records only; the answer is assembled when it is read. */
function loose(
  spans: readonly EncodableSpan[],
  indices: readonly number[],
  scratch: Buffer<ArrayBuffer>,
): EncodedSegment {
  const entries: SegmentEntry[] = [];
  let at = 0;
  for (const index of indices) {
    const span = spans[index] as EncodableSpan;
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
    at += openLength;
  }
  return segment(spans, entries, scratch, at, indices);
}

function segment(
  [first]: readonly EncodableSpan[],
  entries: readonly SegmentEntry[],
  scratch: Buffer<ArrayBuffer>,
  length: number,
  spans: readonly number[],
): EncodedSegment {
  const body = new Uint8Array(scratch.buffer, scratch.byteOffset, length);
  const header = sealHeader(encodeHeader(entries), body, (first as EncodableSpan).traceId);
  return { header, body, spans };
}

function inOwnMemory(segment: EncodedSegment): EncodedSegment {
  return { ...segment, body: segment.body.slice() };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface TraceToWrite<Segment = EncodedSegment> extends EncodedTrace<Segment> {
  readonly traceId: string;
  /** By index in the list that was encoded, like the indices in the segments. */
  readonly columns: readonly SpanColumns[];
  readonly total: TotalFigures;
}

/** A batch as it travels to the writer's thread: the CPU work is done, only SQL is left. */
export interface BatchToWrite {
  readonly project: string;
  readonly receivedAt: number;
  readonly traces: readonly TraceToWrite[];
}

/** Groups a batch by trace and encodes each. Keeps a scratch buffer between calls. */
export function createBatchEncoder(): (batch: SpanBatch) => BatchToWrite {
  const encodeTraces = createTracesEncoder(createSegmentEncoder());
  return ({ project, receivedAt, spans }) => ({ project, receivedAt, traces: encodeTraces(spans) });
}

/** Groups spans by trace and encodes each. */
export function createTracesEncoder<Segment>(
  encodeTrace: (spans: readonly EncodableSpan[]) => EncodedTrace<Segment>,
): (spans: readonly StoredSpan[]) => TraceToWrite<Segment>[] {
  return (spans) =>
    Array.from(byTrace(spans), ([traceId, own]) => ({
      traceId,
      ...encodeTrace(own),
      columns: own.map(columnsOf),
    }));
}

/** The buffers of a batch, to be moved and not copied to the other thread. */
export function transferablesOf(batch: BatchToWrite): ArrayBuffer[] {
  return batch.traces.flatMap((trace) => trace.segments.map((segment) => segment.body.buffer));
}

/** Each span id once a trace: the last write wins. */
function byTrace(spans: readonly StoredSpan[]): Map<string, readonly StoredSpan[]> {
  const groups = new Map<string, Map<string, StoredSpan>>();
  for (const span of spans) {
    let group = groups.get(span.traceId);
    if (group === undefined) {
      group = new Map();
      groups.set(span.traceId, group);
    }
    group.set(span.id, span);
  }
  return new Map([...groups].map(([traceId, group]) => [traceId, [...group.values()]]));
}

function columnsOf(span: StoredSpan): SpanColumns {
  return [
    span.id,
    span.start,
    span.startNanos,
    span.latency,
    span.name,
    span.kind,
    span.status,
    span.application,
    span.route,
    span.variant,
    span.revision,
    span.environment,
    span.userId,
    span.sessionId,
    span.run,
    span.figures?.cost ?? null,
  ];
}

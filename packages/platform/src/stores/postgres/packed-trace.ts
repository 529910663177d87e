import { Buffer } from "node:buffer";
import { decodeHeader, isAssembledBody, openRecordText } from "../segments/segment.ts";
import type { EncodableSpan, EncodedSegment, TraceToWrite } from "../segments/segment-encoder.ts";
import { createSegmentEncoderFor, createTracesEncoder } from "../segments/segment-encoder.ts";
import { isFrame } from "../segments/segment-frame.ts";
import type { TraceAddition } from "../segments/sent-again.ts";
import type { SpanBatch } from "../span-store.ts";
import type { SpanColumns } from "../summary/summary-columns.ts";
import { answerSum, pack, unpack } from "./read-segments.ts";

/** A segment as its row has it. */
export interface PackedSegment {
  readonly header: Uint8Array<ArrayBuffer>;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly answerSum: number | null;
  /** As in {@link EncodedSegment}. */
  readonly spans: readonly number[];
}

/** What is written to a trace that is there already. */
export type PackedAddition = Pick<PackedTrace, "traceId" | "columns" | "segments">;
export type PackedTrace = TraceToWrite<PackedSegment>;

/** A trace of a batch that waits to be written. */
export interface IncomingTrace {
  readonly project: string;
  readonly receivedAt: number;
  readonly trace: PackedTrace;
}

/**
 * Makes batches into what is written. This is done when they arrive, and not when the transactions before theirs have
 * ended: as texts on the heap, the records of waiting spans would be copied by the garbage collector meanwhile.
 */
export class TraceEncoder {
  readonly #encode = createSegmentEncoderFor(packSegment);
  readonly #encodeAll = createTracesEncoder(this.#encode);

  encode({ project, receivedAt, spans }: SpanBatch): IncomingTrace[] {
    return this.#encodeAll(spans).map((trace) => ({ project, receivedAt, trace }));
  }

  /**
   * Each trace once: the spans of one that came in several batches are encoded together, as of the last of these.
   *
   * @param traces In the order of arrival.
   */
  joined(traces: readonly IncomingTrace[]): IncomingTrace[] {
    const byTrace = Map.groupBy(traces, ({ project, trace }) => `${trace.traceId} ${project}`);
    return Array.from(byTrace.values(), (parts) => {
      const [first, ...others] = parts as [IncomingTrace, ...IncomingTrace[]];
      return others.length === 0 ? first : this.#join(first, parts);
    });
  }

  #join({ project, trace: { traceId } }: IncomingTrace, parts: readonly IncomingTrace[]) {
    // Each span id once: the last write wins.
    const spans = new Map<string, [EncodableSpan, SpanColumns]>();
    for (const { trace } of parts) {
      for (const [n, span] of spansOf(trace).entries()) {
        spans.set(span.id, [span, trace.columns[n] as SpanColumns]);
      }
    }
    const encoded = this.#encode(Array.from(spans.values(), ([span]) => span));
    const columns = Array.from(spans.values(), ([, own]) => own);
    const receivedAt = Math.max(...parts.map((part) => part.receivedAt));
    return { project, receivedAt, trace: { traceId, ...encoded, columns } };
  }
}

export function packTrace({ traceId, columns, segments }: TraceAddition): PackedAddition {
  return {
    traceId,
    columns,
    segments: segments.map((segment) => packSegment(segment, traceId)),
  };
}

export function unpackTrace({ traceId, columns, segments }: PackedAddition): TraceAddition {
  return {
    traceId,
    columns,
    segments: segments.map(({ header, body, spans }) => ({
      header: textOf(header),
      body: unpack(body),
      spans,
    })),
  };
}

function packSegment({ header, body, spans }: EncodedSegment, traceId: string): PackedSegment {
  const packed = pack(body);
  const isAnswer = isFrame(packed) && isAssembledBody(body);
  return {
    header: pack(Buffer.from(header)),
    // The caller uses the memory of a body again.
    body: packed === body ? body.slice() : packed,
    answerSum: isAnswer ? answerSum(packed, traceId) : null,
    spans,
  };
}

/** The spans of a trace by their index. */
function spansOf({ traceId, segments }: PackedTrace): EncodableSpan[] {
  const all: EncodableSpan[] = [];
  for (const { header, body, spans } of segments) {
    const plain = unpack(body);
    for (const [n, entry] of decodeHeader(textOf(header), 0).entries()) {
      const { id, parentId, start, startNanos, figures, offset, openLength } = entry;
      const openRecord = openRecordText(plain, offset, openLength);
      const span = { traceId, id, parentId, start, startNanos, figures, openRecord };
      all[spans[n] as number] = span;
    }
  }
  return all;
}

function textOf(header: Uint8Array<ArrayBuffer>): string {
  return unpack(header).toString();
}

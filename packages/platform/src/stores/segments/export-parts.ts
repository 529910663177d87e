import type { StoredSpan } from "@agate/spans";
import type { SpanPart } from "../span-store.ts";
import { PART_LIMITS } from "../span-store.ts";
import type { SegmentEntry } from "./segment.ts";

/** The last segment that an export has given. */
export interface ExportPosition {
  readonly received: number;
  readonly traceNo: number;
  readonly segment: number;
}

export const EXPORT_BEGINNING: ExportPosition = {
  received: Number.MIN_SAFE_INTEGER,
  traceNo: -1,
  segment: -1,
};

/** @throws RangeError for a text that no export gave. */
export function parseExportPosition(text: string): ExportPosition {
  const [received, traceNo, segment] = text.split(",").map(Number);
  if (![received, traceNo, segment].every(Number.isSafeInteger)) {
    throw new RangeError(`${JSON.stringify(text)} is no position in this store`);
  }
  return { received, traceNo, segment } as ExportPosition;
}

/** A segment with the trace that it belongs to. */
export interface ExportedSegment {
  readonly trace: {
    readonly project: string;
    readonly received: number;
    readonly trace_no: number;
  };
  readonly segment: number;
  readonly spans: readonly StoredSpan[];
}

type GrowingPart = { -readonly [Key in keyof SpanPart]: SpanPart[Key] } & {
  readonly spans: StoredSpan[];
};

/** Joins consecutive segments into parts: of one project and one arrival, up to {@link PART_LIMITS}. */
export class PartBuilder {
  #part: GrowingPart | undefined;
  #bytes = 0;

  /** @returns The part before, if the segment does not belong to it. */
  add({ trace, segment, spans }: ExportedSegment): SpanPart | undefined {
    const finished = this.#accepts(trace) ? undefined : this.finish();
    this.#part ??= {
      project: trace.project,
      receivedAt: trace.received,
      spans: [],
      position: "",
    };
    for (const span of spans) {
      this.#part.spans.push(span);
      this.#bytes += span.openRecord.length;
    }
    this.#part.position = [trace.received, trace.trace_no, segment].join();
    return finished;
  }

  /** The last part, if there is one. */
  finish(): SpanPart | undefined {
    const part = this.#part;
    this.#part = undefined;
    this.#bytes = 0;
    return part;
  }

  #accepts({ project, received }: ExportedSegment["trace"]): boolean {
    const part = this.#part;
    if (part === undefined) return true;
    const isFull = this.#bytes >= PART_LIMITS.bytes || part.spans.length >= PART_LIMITS.spans;
    return !isFull && part.receivedAt === received && part.project === project;
  }
}

/** The columns of a span that are not in its segment's header. */
export type OtherColumns = Omit<StoredSpan, "traceId" | "openRecord" | keyof SegmentEntry>;

/** A span as it was appended. */
export function exportedSpan(
  traceId: string,
  entry: SegmentEntry,
  columns: OtherColumns,
  openRecord: string,
): StoredSpan {
  return {
    traceId,
    id: entry.id,
    parentId: entry.parentId,
    start: entry.start,
    startNanos: entry.startNanos,
    figures: entry.figures,
    ...columns,
    openRecord,
  };
}

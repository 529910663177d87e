import type { PlacedEntry } from "../segments/segment.ts";
import { decodeHeader } from "../segments/segment.ts";
import { tableOfDay } from "./day.ts";
import { unpack } from "./packed-bytes.ts";
import type { SqlRunner } from "./span-database.ts";
import { isMissingDay } from "./span-database.ts";

/** Names a segment. */
export interface SegmentPlace {
  readonly day: number;
  readonly trace_no: number;
  readonly segment: number;
}

export interface ReadSegment {
  readonly body: Buffer;
  /** Of a span in it. */
  entry(spanId: string): PlacedEntry | undefined;
}

interface SegmentRow {
  readonly trace_no: number;
  readonly segment: number;
  readonly header: Buffer<ArrayBuffer>;
  readonly body: Buffer<ArrayBuffer>;
}

export function segmentKey({ trace_no, segment }: Omit<SegmentPlace, "day">): string {
  return `${trace_no}.${segment}`;
}

/** Segments by {@link segmentKey}; one that is gone is left out. */
export async function readSegments(
  runner: SqlRunner,
  places: readonly SegmentPlace[],
): Promise<Map<string, ReadSegment>> {
  const unique = new Map(places.map((place) => [segmentKey(place), place]));
  const segments = new Map<string, ReadSegment>();
  for (const [day, ofDay] of Map.groupBy(unique.values(), (place) => place.day)) {
    for (const row of await readDay(runner, day, ofDay)) {
      segments.set(segmentKey(row), readSegment(row));
    }
  }
  return segments;
}

function readSegment({ segment, header, body }: SegmentRow): ReadSegment {
  // Not all who need the body ask for spans.
  let entries: ReadonlyMap<string, PlacedEntry> | undefined;
  return {
    body: unpack(body),
    entry: (spanId) => {
      entries ??= new Map(
        decodeHeader(unpack(header).toString(), segment).map((entry) => [entry.id, entry]),
      );
      return entries.get(spanId);
    },
  };
}

async function readDay(
  runner: SqlRunner,
  day: number,
  places: readonly SegmentPlace[],
): Promise<SegmentRow[]> {
  try {
    return await runner.query<SegmentRow>(
      `SELECT s.trace_no, s.segment, s.header, s.body
       FROM unnest($1::bigint[], $2::integer[]) AS n (trace_no, segment)
       JOIN ${tableOfDay("segments", day)} s
         ON s.trace_no = n.trace_no AND s.segment = n.segment`,
      [places.map(({ trace_no }) => trace_no), places.map(({ segment }) => segment)],
    );
  } catch (error) {
    if (isMissingDay(error)) return [];
    throw error;
  }
}

import { ByteWindow, freeMemory } from "../byte-window.ts";
import type { HeaderRow, PlacedNode } from "../segments/node-table.ts";
import type { PlacedEntry } from "../segments/segment.ts";
import { bodySum, decodeHeader, plainBody } from "../segments/segment.ts";
import type { StoredSegment } from "../segments/sent-again.ts";
import { TraceGoneError } from "../span-store.ts";

/** Reads segments of one trace. */
export interface SegmentSource {
  segment(segment: number): StoredSegment | undefined;
  /** The headers of all segments of the trace beyond this one, in their order. */
  headersAfter(segment: number): Iterable<HeaderRow>;
}

type Places = ReadonlyMap<string, PlacedEntry>;

/**
 * The records of a trace's nodes. Its headers were read before, and its segments may be rewritten meanwhile:
 * a record is found where it is now, and a span that was replaced since is an error, never other content.
 */
export class PlacedRecords {
  readonly #source: SegmentSource;
  readonly #traceId: string;
  /** By segment, of the bodies that the known places are in. */
  readonly #sums: Map<number, number>;
  readonly #bodies = new ByteWindow<number, Uint8Array<ArrayBuffer>>();
  /** Of segments that were rewritten in their row. */
  readonly #moved = new Map<number, Places>();
  /** Of all spans, once the trace's segments were merged. */
  #merged: Places | undefined;

  /** @param sums The checksum of each segment's body when its header was read. */
  constructor(source: SegmentSource, traceId: string, sums: ReadonlyMap<number, number>) {
    this.#source = source;
    this.#traceId = traceId;
    this.#sums = new Map(sums);
  }

  /**
   * The open record of a node, valid until the next call of {@link freeSome}.
   *
   * @throws TraceGoneError where the trace was deleted, or the span replaced.
   * @throws DamagedSegmentError
   */
  read(node: PlacedNode): Uint8Array {
    let place = this.#placeOf(node);
    let body = this.#bodyOf(place.segment);
    if (body === undefined && this.#merged === undefined) {
      this.#merged = this.#placesAfterMerge();
      place = this.#placeOf(node);
      body = this.#bodyOf(place.segment);
    }
    if (body === undefined) throw new TraceGoneError("The trace was deleted while it was read");
    const places = this.#moved.get(place.segment);
    const { offset, openLength } = places === undefined ? place : found(places, node.id);
    return body.subarray(offset, offset + openLength);
  }

  /** Frees the bodies that were read longest ago, beyond some megabytes. */
  freeSome(): void {
    this.#bodies.shrink(freeMemory);
  }

  #placeOf(node: PlacedNode): PlacedNode {
    return this.#merged === undefined ? node : found(this.#merged, node.id);
  }

  #bodyOf(segment: number): Uint8Array<ArrayBuffer> | undefined {
    const body = this.#bodies.get(segment) ?? this.#readBody(segment);
    if (body !== undefined) this.#bodies.add(segment, body);
    return body;
  }

  #readBody(segment: number): Uint8Array<ArrayBuffer> | undefined {
    const row = this.#source.segment(segment);
    if (row === undefined) return undefined;
    if (bodySum(row.header) !== this.#sums.get(segment)) {
      this.#moved.set(segment, placesIn([{ segment, header: row.header }]));
    }
    return plainBody(row.header, row.body, this.#traceId);
  }

  /**
   * A merge writes all spans of a trace to new segments, which have the next numbers. So if the next number
   * after those that are known is there, it is of a merge, and nothing was written to the trace before it.
   */
  #placesAfterMerge(): Places {
    const last = [...this.#sums.keys()].reduce((most, segment) => Math.max(most, segment));
    const rows = [...this.#source.headersAfter(last)];
    if (rows.length > 0 && rows[0]?.segment !== last + 1) {
      throw new TraceGoneError("The trace was written to while it was read");
    }
    for (const { segment, header } of rows) this.#sums.set(segment, bodySum(header));
    return placesIn(rows);
  }
}

/** Where spans are first: those that later segments hold were written after it. */
function placesIn(rows: readonly HeaderRow[]): Places {
  const places = new Map<string, PlacedEntry>();
  for (const { segment, header } of rows) {
    for (const entry of decodeHeader(header, segment)) {
      if (!places.has(entry.id)) places.set(entry.id, entry);
    }
  }
  return places;
}

function found(places: Places, spanId: string): PlacedEntry {
  const place = places.get(spanId);
  if (place === undefined) {
    throw new TraceGoneError("A span of the trace was replaced while it was read");
  }
  return place;
}

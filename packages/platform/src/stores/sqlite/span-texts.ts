import type { DatabaseSync, StatementSync } from "node:sqlite";
import { searchableTexts } from "@agate/spans/search";
import { decodeHeader, unpackBody } from "../segments/segment.ts";
import type { StoredSegment } from "../segments/sent-again.ts";
import type { SpanAdditions } from "../span-additions.ts";
import { segmentOf } from "./span-schema.ts";
import { isCorrupt } from "./sqlite-errors.ts";

/** A span and where its record lies. */
export interface SpanPlace {
  readonly span_no: number;
  readonly span_id: string;
  readonly segment: number;
}

interface RecordPlace {
  readonly offset: number;
  readonly openLength: number;
}

/** A segment at hand. */
export interface OpenSegment {
  readonly body: Buffer;
  readonly entries: ReadonlyMap<string, RecordPlace>;
}

/** Reads what may be searched of spans. */
export class SpanTexts {
  readonly #segment: StatementSync;
  readonly #segmentOf: StatementSync;

  constructor(spans: DatabaseSync) {
    this.#segment = spans.prepare("SELECT header, body FROM segments WHERE segment = ?");
    this.#segmentOf = spans.prepare(
      `SELECT ${segmentOf("spans")} AS segment FROM spans WHERE span_no = ?`,
    );
  }

  /**
   * The texts of spans; undefined for one that was deleted. The spans of a segment come one after the other, so one
   * segment is kept at hand.
   */
  inSequence(): (place: SpanPlace, added: SpanAdditions) => string[] | undefined {
    let current = -1;
    let at: OpenSegment | undefined;
    const textsOf = (place: SpanPlace, added: SpanAdditions): string[] | undefined => {
      const { span_no, span_id, segment } = place;
      if (segment !== current) {
        at = this.open(segment);
        // Last: a segment that cannot be read fails for each of its spans.
        current = segment;
      }
      const entry = at?.entries.get(span_id);
      if (at === undefined || entry === undefined) {
        // Its trace was merged meanwhile, or it was deleted.
        const now = this.#segmentOf.get(span_no) as { segment: number } | undefined;
        const isMoved = now !== undefined && now.segment !== segment;
        return isMoved ? textsOf({ ...place, ...now }, added) : undefined;
      }
      return textsAt(at, entry, added);
    };
    return textsOf;
  }

  /** Undefined where the segment is gone. */
  open(segment: number): OpenSegment | undefined {
    const row = this.#read(segment);
    if (row === undefined) return undefined;
    const plain = unpackBody(row.body);
    const entries = decodeHeader(row.header, segment);
    return {
      body: Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength),
      entries: new Map(entries.map((entry) => [entry.id, entry])),
    };
  }

  #read(segment: number): StoredSegment | undefined {
    try {
      return this.#segment.get(segment) as StoredSegment | undefined;
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      // Without SQLite's code, which would mean that the index is damaged.
      throw new Error(`Segment ${segment} is damaged`, { cause: error });
    }
  }
}

/** The texts of one span of a segment. */
export function textsAt(
  { body }: OpenSegment,
  { offset, openLength }: RecordPlace,
  added: SpanAdditions,
): string[] {
  const open = body.toString("utf8", offset, offset + openLength);
  return searchableTexts(JSON.parse(added.listed(open, "null")));
}

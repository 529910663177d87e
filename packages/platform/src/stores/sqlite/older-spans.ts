import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ListedSpan } from "@agate/protocol";
import { AGATE_ATTRIBUTES } from "@agate/protocol";
import type { StoredSpan } from "@agate/spans";
import { AFTER_LISTED_TOTAL } from "@agate/spans/tree";
import type { PlacedEntry } from "../segments/segment.ts";
import { decodeHeader, unpackBody } from "../segments/segment.ts";
import type { StoreTrouble } from "../store-errors.ts";
import { SEGMENTS_PER_TRACE, segmentOf } from "./span-schema.ts";
import { sqliteCode } from "./sqlite-errors.ts";

/** How many spans one step looks at: a few milliseconds, so that no batch waits long behind it. */
const SPANS_PER_STEP = 100;

interface SegmentRow {
  readonly segment: number;
  readonly header: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/**
 * Fills in the route and the revision of spans that were written before these were columns, from their
 * records. `older_segments` stores its progress, so that a restart resumes it.
 */
export class OlderSpans {
  readonly #range: StatementSync;
  readonly #segments: StatementSync;
  readonly #fill: StatementSync;
  readonly #isListed: StatementSync;
  readonly #advance: StatementSync;
  readonly #finish: StatementSync;
  readonly #summarise: (traceNo: number) => void;
  readonly #onTrouble: (trouble: StoreTrouble) => void;

  constructor(
    db: DatabaseSync,
    {
      summarise,
      onTrouble,
    }: {
      readonly summarise: (traceNo: number) => void;
      /** Told of segments that are skipped. */
      readonly onTrouble: (trouble: StoreTrouble) => void;
    },
  ) {
    this.#range = db.prepare("SELECT next, end FROM older_segments");
    this.#segments = db.prepare(
      "SELECT segment, header, body FROM segments WHERE segment >= ? AND segment < ? ORDER BY segment",
    );
    // Not spans that were sent again since: they are in a later segment.
    this.#fill = db.prepare(
      `UPDATE spans SET route = ?, revision = ?
       WHERE trace_no = ? AND span_id = ? AND ${segmentOf("spans")} = ?`,
    );
    this.#isListed = db.prepare("SELECT 1 FROM traces WHERE trace_no = ?");
    this.#advance = db.prepare("UPDATE older_segments SET next = ?");
    this.#finish = db.prepare("DELETE FROM older_segments");
    this.#summarise = summarise;
    this.#onTrouble = onTrouble;
  }

  /** @returns False when there was nothing left to fill in. */
  fillSome(): boolean {
    const range = this.#range.get() as { next: number; end: number } | undefined;
    if (range === undefined) return false;
    const changed = new Set<number>();
    let next = range.end;
    let spans = 0;
    for (const row of this.#segments.iterate(range.next, range.end)) {
      const segment = row as unknown as SegmentRow;
      if (spans >= SPANS_PER_STEP) {
        next = segment.segment;
        break;
      }
      const traceNo = Math.floor(segment.segment / SEGMENTS_PER_TRACE);
      this.#orSkip(segment.segment, () => {
        const entries = decodeHeader(segment.header, segment.segment);
        spans += entries.length;
        if (this.#fillSegment(traceNo, unpackBody(segment.body), entries)) changed.add(traceNo);
      });
    }
    for (const traceNo of changed) {
      // A trace that was deleted meanwhile has no summary.
      if (!this.#isListed.get(traceNo)) continue;
      this.#orSkip(traceNo * SEGMENTS_PER_TRACE, () => this.#summarise(traceNo));
    }
    if (next === range.end) this.#finish.run();
    else this.#advance.run(next);
    return true;
  }

  /** A segment that cannot be decoded is skipped: it would stop the task at every start. */
  #orSkip(segment: number, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (sqliteCode(error) !== undefined) throw error;
      this.#onTrouble({
        what: `Segment ${segment} cannot be decoded: its spans are not found by route or revision.`,
        error,
      });
    }
  }

  /** @returns Whether one of the spans has a route or a revision. */
  #fillSegment(traceNo: number, body: Uint8Array, entries: readonly PlacedEntry[]): boolean {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    let isChanged = false;
    for (const { id, segment, offset, openLength } of entries) {
      const { route, revision } = laterColumns(
        listedSpan(bytes.toString("utf8", offset, offset + openLength)),
      );
      if (route === null && revision === null) continue;
      this.#fill.run(route, revision, traceNo, id, segment);
      isChanged = true;
    }
    return isChanged;
  }
}

/** The values of columns that did not exist in the first version. */
export function laterColumns(record: ListedSpan): Pick<StoredSpan, "route" | "revision" | "run"> {
  const { revision } = record.variant;
  const text = (name: string) => {
    const value = record.metadata.attributes[name];
    return typeof value === "string" && value !== "" ? value : null;
  };
  return {
    route: text(AGATE_ATTRIBUTES.route),
    revision: Number.isSafeInteger(revision) ? revision : null,
    run: text(AGATE_ATTRIBUTES.evaluationRun),
  };
}

/** @param openRecord The text of a record that is open at its end. */
export function listedSpan(openRecord: string): ListedSpan {
  return JSON.parse(`${openRecord}null${AFTER_LISTED_TOTAL}`) as ListedSpan;
}

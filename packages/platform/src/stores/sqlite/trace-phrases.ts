import type { DatabaseSync, StatementSync } from "node:sqlite";
import { GrowingBytes } from "../growing-bytes.ts";
import { writeRecordWords } from "../search/record-words.ts";
import { decodeHeader, plainBody } from "../segments/segment.ts";
import type { StoredSegment } from "../segments/sent-again.ts";
import { tracesThatHave } from "./filter-sql.ts";
import type { MatchTerm } from "./match-terms.ts";
import { ScoreReader } from "./score-table.ts";
import { memoise } from "./span-records.ts";
import { segmentOf, segmentRange } from "./span-schema.ts";
import type { Sql } from "./sql.ts";
import { allOf } from "./sql.ts";
import { isDamage } from "./sqlite-errors.ts";

/** The name of the SQL function that reads a trace. */
const FUNCTION = "has_phrase";

interface TraceRow {
  readonly project: string;
  readonly trace_id: string;
  readonly segments: number;
}

interface SegmentRow extends StoredSegment {
  readonly segment: number;
}

/**
 * Finds phrases in the records of traces: the full-text index knows the words of a trace, and not which of them
 * follow each other.
 */
export class TracePhrases {
  readonly #trace: StatementSync;
  readonly #nextSegment: StatementSync;
  readonly #segmentOf: StatementSync;
  readonly #logged: StatementSync;
  readonly #scores: ScoreReader;
  readonly #words = new GrowingBytes();
  readonly #check: () => void;
  #bytesRead = 0;
  /** Whether a trace has each of the phrases that {@link condition} was asked for last. */
  #asked: readonly ((traceNo: number) => boolean)[] = [];

  /** @param check Called often: throws where the query is to stop. */
  constructor(db: DatabaseSync, check: () => void) {
    this.#trace = db.prepare("SELECT project, trace_id, segments FROM traces WHERE trace_no = ?");
    this.#nextSegment = db.prepare(
      `SELECT segment, header, body FROM segments WHERE segment > ? AND segment < ?
       ORDER BY segment LIMIT 1`,
    );
    this.#segmentOf = db.prepare(
      `SELECT ${segmentOf("s")} AS segment FROM spans s WHERE s.trace_no = ? AND s.span_id = ?`,
    );
    this.#logged = db.prepare(
      "SELECT span_id FROM logged_spans WHERE project = ? AND trace_id = ?",
    );
    this.#scores = new ScoreReader(db);
    this.#check = check;
    db.function(FUNCTION, { deterministic: false }, (traceNo, phrase) =>
      this.#hasUndamaged(traceNo as number, phrase as number) ? 1 : 0,
    );
  }

  /**
   * A condition on `traces t`. It reads each trace that meets all other conditions on it and of which the index does
   * not tell; a damaged one does not meet it.
   */
  condition(phrases: readonly MatchTerm[]): Sql {
    this.#asked = phrases.map((phrase) => this.all([phrase]));
    return allOf(
      phrases.map((phrase, n) => {
        const known = tracesThatHave(phrase);
        // SQLite tests correlated subqueries last. A call by itself could be made for each row of an index, before
        // the conditions on columns that the index does not have.
        const isFound = `(SELECT ${FUNCTION}(t.trace_no, ${n}))`;
        return known === undefined
          ? { text: isFound, values: [] }
          : { text: `(t.trace_no IN (${known.text}) OR ${isFound})`, values: known.values };
      }),
    );
  }

  /** Frees the answers of the last {@link condition}, one for each trace that it was asked of. */
  forgetAnswers(): void {
    this.#asked = [];
  }

  /** Of all records so far, as far as segments were unpacked to look at them. */
  get bytesRead(): number {
    return this.#bytesRead;
  }

  #hasUndamaged(traceNo: number, phrase: number): boolean {
    try {
      return this.#asked[phrase]?.(traceNo) === true;
    } catch (error) {
      if (!isDamage(error)) throw error;
      return false;
    }
  }

  /**
   * Whether a trace has all of some phrases, each in any text of its spans. The answers are remembered.
   *
   * @throws DamagedSegmentError
   */
  all(phrases: readonly MatchTerm[]): (traceNo: number) => boolean {
    const needles = phrases.map(({ term: { words, isPrefix } }) =>
      Buffer.from(` ${words.join(" ")}${isPrefix ? "" : " "}`),
    );
    return memoise((traceNo: number) => this.#hasAll(traceNo, needles));
  }

  #hasAll(traceNo: number, needles: readonly Buffer[]): boolean {
    const trace = this.#trace.get(traceNo) as unknown as TraceRow;
    const { project, trace_id: traceId } = trace;
    const logged = new Set(this.#logged.all(project, traceId).map(({ span_id }) => span_id));
    const [first, end] = segmentRange(traceNo);
    let missing = needles;
    let last = first - 1;
    while (missing.length > 0) {
      const row = this.#nextSegment.get(last, end) as unknown as SegmentRow | undefined;
      if (row === undefined) return false;
      const { segment, header } = row;
      last = segment;
      const plain = plainBody(header, row.body, traceId);
      const body = Buffer.from(plain.buffer, plain.byteOffset, plain.byteLength);
      this.#bytesRead += body.length;
      for (const { id, offset, openLength } of decodeHeader(header, segment)) {
        this.#check();
        // Superseded by a later segment.
        if (trace.segments > 1 && this.#placeOf(traceNo, id) !== segment) continue;
        const open = body.subarray(offset, offset + openLength);
        const record = logged.has(id) ? this.#withContent(open, project, traceId, id) : open;
        missing = this.#missingIn(record, missing);
        if (missing.length === 0) break;
      }
    }
    return true;
  }

  /** A record with the content that was logged for it. */
  #withContent(open: Buffer, project: string, traceId: string, spanId: string): Buffer {
    const added = this.#scores.ofListed(project, traceId, spanId, false);
    if (!added.hasContent) return open;
    const record = Buffer.from(added.fill(open.toString()));
    this.#bytesRead += record.length;
    return record;
  }

  #placeOf(traceNo: number, spanId: string): number | undefined {
    return (this.#segmentOf.get(traceNo, spanId) as { segment: number } | undefined)?.segment;
  }

  #missingIn(record: Buffer, needles: readonly Buffer[]): readonly Buffer[] {
    try {
      writeRecordWords(record, this.#words);
      const words = this.#words.bytes.subarray(0, this.#words.length);
      return needles.filter((needle) => !words.includes(needle));
    } catch {
      // Reported when it was indexed.
      return needles;
    } finally {
      // Not by its length: one long text would keep its memory for as long as the server runs.
      this.#words.clear();
    }
  }
}

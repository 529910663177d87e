import { searchableTexts } from "@agate/spans/search";
import { groupedByContent, LOGGED_CONTENT } from "../logged-content.ts";
import type { KnownTexts } from "../search/known-texts.ts";
import { spacedWords } from "../search/words-text.ts";
import { decodeHeader } from "../segments/segment.ts";
import { NO_ADDITIONS, SpanAdditions } from "../span-additions.ts";
import { CopyRows } from "./copy-rows.ts";
import { tableOfDay } from "./day.ts";
import { unpack } from "./read-segments.ts";
import { contentOfSpans } from "./score-table.ts";
import type { SqlRunner, SqlTransaction } from "./span-database.ts";
import type { WordList } from "./word-lists.ts";
import { toWordLists } from "./word-lists.ts";

/** Segments of a trace that share the index: a text that several of them have is in the rows of one. */
export const SEGMENTS_PER_GROUP = 32;

/** The first segment of the group that a segment belongs to. */
export function groupOf(segment: number): number {
  return segment - (segment % SEGMENTS_PER_GROUP);
}

/** Characters of words that are held until they are written; more where one span has more. */
const MOST_HELD = 1_000_000;

export interface SegmentRow {
  readonly trace_no: number;
  readonly segment: number;
  readonly first_span: number;
  readonly header: Buffer<ArrayBuffer>;
  readonly body: Buffer<ArrayBuffer>;
}

/** Told of a span whose text cannot be indexed. */
export type OnUnindexable = (spanId: string, error: unknown) => void;

/** How the texts of segments are indexed. */
export interface TextRules {
  readonly day: number;
  /** The texts that are indexed already, by {@link keyOf}. */
  readonly known: KnownTexts<string>;
  /** Texts that some segments share are indexed once. */
  readonly keyOf: (row: SegmentRow) => string;
  /** Whether a span is indexed, by its number: not one that was replaced. */
  readonly isWanted: (traceNo: number, spanNo: number) => boolean;
  readonly onUnindexable: OnUnindexable;
}

/** Inserts the words of segments: of each those texts that are not known. */
export async function insertTexts(
  transaction: SqlTransaction,
  rows: readonly SegmentRow[],
  rules: TextRules,
): Promise<void> {
  const logged = await loggedSpans(transaction, [...new Set(rows.map(({ trace_no }) => trace_no))]);
  const documents = new Documents(transaction, rules);
  for (const row of rows) {
    const ofTrace = new Map(logged.get(row.trace_no)?.map((span) => [span.span_id, span]));
    const wanted = spansIn(row).filter(({ spanNo }) => rules.isWanted(row.trace_no, spanNo));
    for (const span of wanted) if (!ofTrace.has(span.id)) documents.add(row, span, NO_ADDITIONS);
    const withContent = wanted.flatMap((span) => {
      const content = ofTrace.get(span.id);
      return content === undefined ? [] : [{ ...span, content }];
    });
    for (const group of groupedByContent(withContent, ({ content }) => content.bytes)) {
      const added = await contentOf(
        transaction,
        group.map(({ content }) => content),
      );
      for (const span of group) documents.add(row, span, added(span.id));
      await documents.copy();
    }
    documents.finish(row);
  }
  await documents.copy();
}

/** A span for which content was logged. */
interface LoggedSpan {
  readonly project: string;
  readonly trace_id: string;
  readonly span_id: string;
  /** The length of its content. */
  readonly bytes: number;
}

/** The spans of traces that have logged content, by the number of the trace. */
async function loggedSpans(
  transaction: SqlRunner,
  traceNos: readonly number[],
): Promise<ReadonlyMap<number, readonly LoggedSpan[]>> {
  const rows = await transaction.query<LoggedSpan & { readonly trace_no: number }>(
    `SELECT t.trace_no, c.project, c.trace_id, c.span_id, sum(octet_length(c.record)) AS bytes
     FROM agate.traces t JOIN agate.scores c ON c.project = t.project AND c.trace_id = t.trace_id
     WHERE t.trace_no = ANY($1::bigint[]) AND c.name = '${LOGGED_CONTENT}'
     GROUP BY t.trace_no, c.project, c.trace_id, c.span_id`,
    [traceNos],
  );
  return Map.groupBy(rows, ({ trace_no }) => trace_no);
}

/** The logged content of some spans of one trace, by their ids. */
async function contentOf(
  transaction: SqlRunner,
  spans: readonly LoggedSpan[],
): Promise<(spanId: string) => SpanAdditions> {
  const [{ project, trace_id }] = spans as [LoggedSpan];
  const ids = spans.map(({ span_id }) => span_id);
  const rows = await contentOfSpans(transaction, project, trace_id, ids);
  const records = Map.groupBy(rows, ({ span_id }) => span_id);
  return (spanId) => new SpanAdditions((records.get(spanId) ?? []).map(({ record }) => record));
}

/** The words of segments, each segment's in rows of its own. */
class Documents {
  readonly #transaction: SqlTransaction;
  readonly #rules: TextRules;
  #texts = new CopyRows();
  #longTexts = new CopyRows();
  /** The words of each text of the present segment. */
  #words: string[] = [];
  #held = 0;

  constructor(transaction: SqlTransaction, rules: TextRules) {
    this.#transaction = transaction;
    this.#rules = rules;
  }

  add(row: SegmentRow, { id, open }: SegmentSpan, added: SpanAdditions): void {
    const { known, keyOf, onUnindexable } = this.#rules;
    try {
      const key = keyOf(row);
      for (const text of searchableTexts(JSON.parse(added.listed(open(), "null")))) {
        const words = known.add(key, text) ? spacedWords(text) : "";
        if (words === "") continue;
        this.#words.push(words);
        this.#held += words.length;
      }
      if (this.#held > MOST_HELD) this.finish(row);
    } catch (error) {
      onUnindexable(id, error);
    }
  }

  /** No more spans of the segment follow. */
  finish({ trace_no, segment, first_span }: SegmentRow): void {
    const write = (rows: CopyRows, list: WordList) =>
      rows.row(5).date(this.#rules.day).int8(first_span).int8(trace_no).int4(segment).text(list);
    const { whole, parts } = toWordLists(this.#words);
    this.#words = [];
    this.#held = 0;
    for (const list of whole) write(this.#texts, list);
    for (const list of parts) write(this.#longTexts, list);
  }

  /** Inserts what was finished since the last time. */
  async copy(): Promise<void> {
    const columns = "(day, span_no, trace_no, segment, word_list)";
    await this.#transaction.copy(`agate.texts ${columns}`, this.#texts);
    await this.#transaction.copy(`agate.long_texts ${columns}`, this.#longTexts);
    this.#texts = new CopyRows();
    this.#longTexts = new CopyRows();
  }
}

interface SegmentSpan {
  readonly id: string;
  readonly spanNo: number;
  open(): string;
}

/** The spans of a segment, each with its open record. */
function spansIn({ segment, first_span, header, body }: SegmentRow): SegmentSpan[] {
  const records = unpack(body);
  const entries = decodeHeader(unpack(header).toString(), segment);
  return entries.map(({ id, place, offset, openLength }) => ({
    id,
    spanNo: first_span + place,
    open: () => records.toString("utf8", offset, offset + openLength),
  }));
}

/** The numbers of a segment's spans. */
interface SpanNumbers {
  readonly first_span: number;
  readonly spans: number;
}

/** Deletes the words of segments. */
export async function deleteTexts(
  transaction: SqlRunner,
  day: number,
  segments: readonly SpanNumbers[],
): Promise<void> {
  for (const table of ["texts", "long_texts"] as const) {
    await transaction.query(
      `DELETE FROM ${tableOfDay(table, day)} x
       USING unnest($1::bigint[], $2::integer[]) AS n (first_span, spans)
       WHERE x.span_no >= n.first_span AND x.span_no < n.first_span + n.spans`,
      [segments.map(({ first_span }) => first_span), segments.map(({ spans }) => spans)],
    );
  }
}

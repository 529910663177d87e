import { groupedByContent, LOGGED_CONTENT } from "../logged-content.ts";
import { searchableWords } from "../search/search-text.ts";
import { UnindexableSpans } from "../search/unindexable-spans.ts";
import { decodeHeader } from "../segments/segment.ts";
import { NO_ADDITIONS, SpanAdditions } from "../span-additions.ts";
import type { StoreTrouble } from "../store-errors.ts";
import { StoreUnavailableError } from "../store-errors.ts";
import { CopyRows } from "./copy-rows.ts";
import { dateText, tableOfDay } from "./day.ts";
import { isDataError } from "./postgres-errors.ts";
import { unpack } from "./read-segments.ts";
import { contentOfSpans } from "./score-table.ts";
import { toSearchVectors } from "./search-vector.ts";
import type { SpanDatabase, SqlRunner, SqlTransaction } from "./span-database.ts";
import type { Place } from "./unindexed-places.ts";
import { parsePlaces } from "./unindexed-places.ts";

/** Rows of places that are indexed in one step. */
const ROWS_PER_STEP = 2;
/** Spans with logged content that are indexed again in one step. Writing to one of their traces waits for the step. */
const CONTENTS_PER_STEP = 200;
/** Segments whose texts are in memory at a time. */
const SEGMENTS_PER_READ = 100;

interface SegmentRow {
  readonly trace_no: number;
  readonly segment: number;
  readonly first_span: number;
  readonly header: Buffer<ArrayBuffer>;
  readonly body: Buffer<ArrayBuffer>;
}

/** Told of a span whose text cannot be indexed. */
type OnUnindexable = (spanId: string, error: unknown) => void;

/** What is indexed in one step. */
interface Taken {
  readonly places: readonly Place[];
  /** Those of their spans that are indexed, by {@link keyOf}. */
  readonly spans: ReadonlySet<string> | "all";
}

type IndexTaken = (transaction: SqlTransaction, taken: Taken) => Promise<void>;

/** Takes some of what is to be indexed; null where there is nothing. */
type Take = (transaction: SqlTransaction) => Promise<Taken | null>;

/**
 * Indexes the texts of some committed spans, or else those of spans for which content was logged since. Servers skip what another one has locked, and take it over if
 * that server dies. A segment that cannot be indexed is recorded in `agate.unindexable`, so that it does
 * not block the index.
 *
 * @param onTrouble Told when something was set aside.
 * @returns False when there was nothing to do.
 */
export async function indexSome(
  database: SpanDatabase,
  onTrouble: (trouble: StoreTrouble) => void,
): Promise<boolean> {
  return (
    (await indexStep(database, takeUnindexed, onTrouble)) ||
    (await indexStep(database, takeLogged, onTrouble))
  );
}

async function indexStep(
  database: SpanDatabase,
  take: Take,
  onTrouble: (trouble: StoreTrouble) => void,
): Promise<boolean> {
  try {
    return await indexTaken(database, take, indexTogether);
  } catch (error) {
    if (error instanceof StoreUnavailableError || !isDataError(error)) throw error;
  }
  let failures: SegmentFailure[] = [];
  const isDone = await indexTaken(database, take, async (transaction, taken) => {
    failures = await indexEach(transaction, taken);
  });
  const [first] = failures;
  if (first !== undefined) {
    const what = `Texts in ${failures.length} segments cannot be indexed, and searches do not find them: see agate.unindexable in the database.`;
    onTrouble({ what, error: first.error });
  }
  return isDone;
}

function indexTaken(database: SpanDatabase, take: Take, index: IndexTaken): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const taken = await take(transaction);
    if (taken === null) return false;
    await index(transaction, taken);
    return true;
  });
}

/** Segments that were committed. */
async function takeUnindexed(transaction: SqlTransaction): Promise<Taken | null> {
  const rows = await transaction.query<{ unindexed_no: number; places: string }>(
    `SELECT unindexed_no, places FROM agate.unindexed
     ORDER BY unindexed_no LIMIT $1 FOR UPDATE SKIP LOCKED`,
    [ROWS_PER_STEP],
  );
  if (rows.length === 0) return null;
  await transaction.query("DELETE FROM agate.unindexed WHERE unindexed_no = ANY($1::bigint[])", [
    rows.map(({ unindexed_no }) => unindexed_no),
  ]);
  const places = rows.flatMap((row) => parsePlaces(row.places));
  return { places: await placesOfLive(transaction, places, "FOR KEY SHARE"), spans: "all" };
}

/**
 * Spans for which content was logged. A span that is not there yet is indexed with its content
 * when it comes. The lock keeps out another server that is indexing the segment for the first time, so that no
 * words are inserted twice.
 */
async function takeLogged(transaction: SqlTransaction): Promise<Taken | null> {
  const logged = await transaction.query<LoggedName & { readonly unindexed_no: number }>(
    `SELECT unindexed_no, project, trace_id, span_id FROM agate.unindexed_contents
     ORDER BY unindexed_no LIMIT $1 FOR UPDATE SKIP LOCKED`,
    [CONTENTS_PER_STEP],
  );
  if (logged.length === 0) return null;
  await transaction.query(
    "DELETE FROM agate.unindexed_contents WHERE unindexed_no = ANY($1::bigint[])",
    [logged.map(({ unindexed_no }) => unindexed_no)],
  );
  const rows = await transaction.query<{
    readonly day: number;
    readonly trace_no: number;
    readonly segment: number;
    readonly span_id: string;
  }>(
    `SELECT p.day, p.trace_no, p.segment, p.span_id
     FROM unnest($1::text[], $2::text[], $3::text[]) AS n (project, trace_id, span_id)
     JOIN agate.traces t ON t.project = n.project AND t.trace_id = n.trace_id
     JOIN agate.spans p ON p.span_id = n.span_id AND p.day = t.day AND p.trace_no = t.trace_no`,
    [
      logged.map(({ project }) => project),
      logged.map(({ trace_id }) => trace_id),
      logged.map(({ span_id }) => span_id),
    ],
  );
  const places = new Map(
    rows.map(({ day, trace_no, segment }): [string, Place] => [
      `${trace_no} ${segment}`,
      [day, trace_no, segment],
    ]),
  );
  return {
    places: await placesOfLive(transaction, [...places.values()], "FOR UPDATE"),
    spans: new Set(rows.map(({ trace_no, span_id }) => keyOf(trace_no, span_id))),
  };
}

function keyOf(traceNo: number, spanId: string): string {
  return `${traceNo} ${spanId}`;
}

async function indexTogether(transaction: SqlTransaction, { places, spans }: Taken): Promise<void> {
  for (const [day, ofDay] of Map.groupBy(places, ([day]) => day)) {
    for (let at = 0; at < ofDay.length; at += SEGMENTS_PER_READ) {
      const some = ofDay.slice(at, at + SEGMENTS_PER_READ);
      await indexSegments(transaction, day, { places: some, spans }, failTogether);
    }
  }
}

interface SegmentFailure {
  readonly place: Place;
  readonly reason: string;
  readonly error: unknown;
}

/** Indexes what can be; slower by far. @returns What was set aside. */
async function indexEach(
  transaction: SqlTransaction,
  { places, spans }: Taken,
): Promise<SegmentFailure[]> {
  const failures: SegmentFailure[] = [];
  for (const place of places) {
    await transaction.query("SAVEPOINT segment");
    const unindexable = new UnindexableSpans();
    try {
      await indexSegments(transaction, place[0], { places: [place], spans }, (spanId, error) =>
        unindexable.add({ spanId }, error),
      );
      // Its other spans are indexed.
      unindexable.report(({ what, error }) => failures.push({ place, reason: what, error }));
    } catch (error) {
      if (!isDataError(error)) throw error;
      await transaction.query("ROLLBACK TO segment");
      failures.push({ place, reason: String(error), error });
    }
    await transaction.query("RELEASE segment");
  }
  await transaction.query(
    `INSERT INTO agate.unindexable (day, trace_no, segment, reason)
     SELECT * FROM unnest($1::date[], $2::bigint[], $3::integer[], $4::text[])
     ON CONFLICT (trace_no, segment) DO UPDATE SET reason = excluded.reason`,
    [
      failures.map(({ place: [day] }) => dateText(day)),
      failures.map(({ place: [, traceNo] }) => traceNo),
      failures.map(({ place: [, , segment] }) => segment),
      failures.map(({ reason }) => reason),
    ],
  );
  return failures;
}

/**
 * Those in traces that are there. The lock keeps the traces from being deleted until their texts are indexed.
 */
async function placesOfLive(
  transaction: SqlRunner,
  places: readonly Place[],
  lock: "FOR KEY SHARE" | "FOR UPDATE",
): Promise<readonly Place[]> {
  const rows = await transaction.query<{ trace_no: number }>(
    `SELECT trace_no FROM agate.traces WHERE trace_no = ANY($1::bigint[])
     ORDER BY trace_no ${lock}`,
    [[...new Set(places.map(([, traceNo]) => traceNo))]],
  );
  const live = new Set(rows.map(({ trace_no }) => trace_no));
  return places.filter(([, traceNo]) => live.has(traceNo));
}

/** A span for which content was logged. */
interface LoggedName {
  readonly project: string;
  readonly trace_id: string;
  readonly span_id: string;
}

interface LoggedSpan extends LoggedName {
  /** The length of its content. */
  readonly bytes: number;
}

/** The spans of traces that have logged content, by the number of the trace. */
async function loggedSpans(
  transaction: SqlRunner,
  places: readonly Place[],
): Promise<ReadonlyMap<number, readonly LoggedSpan[]>> {
  const rows = await transaction.query<LoggedSpan & { readonly trace_no: number }>(
    `SELECT t.trace_no, c.project, c.trace_id, c.span_id, sum(octet_length(c.record)) AS bytes
     FROM agate.traces t JOIN agate.scores c ON c.project = t.project AND c.trace_id = t.trace_id
     WHERE t.trace_no = ANY($1::bigint[]) AND c.name = '${LOGGED_CONTENT}'
     GROUP BY t.trace_no, c.project, c.trace_id, c.span_id`,
    [[...new Set(places.map(([, traceNo]) => traceNo))]],
  );
  return Map.groupBy(rows, ({ trace_no }) => trace_no);
}

async function indexSegments(
  transaction: SqlTransaction,
  day: number,
  { places, spans }: Taken,
  onUnindexable: OnUnindexable,
): Promise<void> {
  const logged = await loggedSpans(transaction, places);
  const rows = await transaction.query<SegmentRow>(
    `SELECT s.trace_no, s.segment, s.first_span, s.header, s.body
     FROM unnest($1::bigint[], $2::integer[]) AS n (trace_no, segment)
     JOIN ${tableOfDay("segments", day)} s
       ON s.trace_no = n.trace_no AND s.segment = n.segment`,
    [places.map(([, traceNo]) => traceNo), places.map(([, , segment]) => segment)],
  );
  const texts = new TextRows(day, onUnindexable);
  for (const row of rows) {
    const wanted = spansIn(row).filter(
      ({ id }) => spans === "all" || spans.has(keyOf(row.trace_no, id)),
    );
    const ofTrace = new Map(logged.get(row.trace_no)?.map((span) => [span.span_id, span]));
    for (const span of wanted) if (!ofTrace.has(span.id)) texts.add(span, NO_ADDITIONS);
    const withContent = wanted.flatMap((span) => {
      const content = ofTrace.get(span.id);
      return content === undefined ? [] : [{ ...span, content }];
    });
    if (withContent.length > 0) await indexContents(transaction, day, withContent, texts);
  }
  await texts.copyTo(transaction);
}

/** Indexes spans of one trace with their logged content. */
async function indexContents(
  transaction: SqlTransaction,
  day: number,
  spans: readonly (SegmentSpan & { readonly content: LoggedSpan })[],
  texts: TextRows,
): Promise<void> {
  await forgetTexts(
    transaction,
    day,
    spans.map(({ spanNo }) => spanNo),
  );
  for (const group of groupedByContent(spans, ({ content }) => content.bytes)) {
    const [{ content }] = group as [(typeof group)[0]];
    const rows = await contentOfSpans(
      transaction,
      content.project,
      content.trace_id,
      group.map(({ id }) => id),
    );
    const records = Map.groupBy(rows, ({ span_id }) => span_id);
    for (const span of group) {
      const own = records.get(span.id) ?? [];
      texts.add(span, new SpanAdditions(own.map(({ record }) => record)));
    }
    await texts.copyTo(transaction);
  }
}

/** The words of spans, to be inserted together. */
class TextRows {
  readonly #day: number;
  readonly #onUnindexable: OnUnindexable;
  #texts = new CopyRows();
  #longTexts = new CopyRows();

  constructor(day: number, onUnindexable: OnUnindexable) {
    this.#day = day;
    this.#onUnindexable = onUnindexable;
  }

  add({ id, spanNo, open }: SegmentSpan, added: SpanAdditions): void {
    try {
      const words = searchableWords(JSON.parse(added.listed(open(), "null")));
      const vectors = toSearchVectors(words);
      const into = vectors.length === 1 ? this.#texts : this.#longTexts;
      for (const vector of vectors) into.row(3).date(this.#day).int8(spanNo).bytes(vector);
    } catch (error) {
      this.#onUnindexable(id, error);
    }
  }

  /** Inserts what was added since the last time. */
  async copyTo(transaction: SqlTransaction): Promise<void> {
    await transaction.copy("agate.texts (day, span_no, words)", this.#texts);
    await transaction.copy("agate.long_texts (day, span_no, words)", this.#longTexts);
    this.#texts = new CopyRows();
    this.#longTexts = new CopyRows();
  }
}

/** Deletes the words of spans, which may have been indexed before their content was logged. */
async function forgetTexts(
  transaction: SqlTransaction,
  day: number,
  spanNos: readonly number[],
): Promise<void> {
  for (const table of ["texts", "long_texts"] as const) {
    await transaction.query(
      `DELETE FROM ${tableOfDay(table, day)} WHERE span_no = ANY($1::bigint[])`,
      [spanNos],
    );
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

/** For the first attempt, in which a failure sends the batch to {@link indexEach}. */
const failTogether: OnUnindexable = (_, error) => {
  throw error;
};

import { AFTER_LISTED_TOTAL } from "@agate/spans/tree";
import { searchableText } from "../search/search-text.ts";
import { UnindexableSpans } from "../search/unindexable-spans.ts";
import { wordsOf } from "../search/words-of.ts";
import { decodeHeader } from "../segments/segment.ts";
import type { StoreTrouble } from "../store-errors.ts";
import { StoreUnavailableError } from "../store-errors.ts";
import { CopyRows } from "./copy-rows.ts";
import { dateText, tableOfDay } from "./day.ts";
import { isDataError } from "./postgres-errors.ts";
import { unpack } from "./read-segments.ts";
import type { SearchVector } from "./search-vector.ts";
import { toSearchVectors } from "./search-vector.ts";
import type { SpanDatabase, SqlRunner, SqlTransaction } from "./span-database.ts";
import type { Place } from "./unindexed-places.ts";
import { parsePlaces } from "./unindexed-places.ts";

/** Rows of places that are indexed in one step. */
const ROWS_PER_STEP = 2;
/** Segments whose texts are in memory at a time. */
const SEGMENTS_PER_READ = 100;

interface SegmentRow {
  readonly segment: number;
  readonly first_span: number;
  readonly header: Buffer<ArrayBuffer>;
  readonly body: Buffer<ArrayBuffer>;
}

/** Told of a span whose text cannot be indexed. */
type OnUnindexable = (spanId: string, error: unknown) => void;

type IndexPlaces = (transaction: SqlTransaction, places: readonly Place[]) => Promise<void>;

/**
 * Indexes the texts of some committed spans. Servers skip what another one has locked, and take it over if
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
  try {
    return await indexRows(database, indexTogether);
  } catch (error) {
    if (error instanceof StoreUnavailableError || !isDataError(error)) throw error;
  }
  let failures: SegmentFailure[] = [];
  const isDone = await indexRows(database, async (transaction, places) => {
    failures = await indexEach(transaction, places);
  });
  const [first] = failures;
  if (first !== undefined) {
    const what = `Texts in ${failures.length} segments cannot be indexed, and searches do not find them: see agate.unindexable in the database.`;
    onTrouble({ what, error: first.error });
  }
  return isDone;
}

function indexRows(database: SpanDatabase, index: IndexPlaces): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const rows = await transaction.query<{ unindexed_no: number; places: string }>(
      `SELECT unindexed_no, places FROM agate.unindexed
       ORDER BY unindexed_no LIMIT $1 FOR UPDATE SKIP LOCKED`,
      [ROWS_PER_STEP],
    );
    if (rows.length === 0) return false;
    const places = rows.flatMap((row) => parsePlaces(row.places));
    const live = await holdTraces(transaction, places);
    await index(
      transaction,
      places.filter(([, traceNo]) => live.has(traceNo)),
    );
    await transaction.query("DELETE FROM agate.unindexed WHERE unindexed_no = ANY($1::bigint[])", [
      rows.map(({ unindexed_no }) => unindexed_no),
    ]);
    return true;
  });
}

async function indexTogether(transaction: SqlTransaction, places: readonly Place[]): Promise<void> {
  for (const [day, ofDay] of Map.groupBy(places, ([day]) => day)) {
    for (let at = 0; at < ofDay.length; at += SEGMENTS_PER_READ) {
      const some = ofDay.slice(at, at + SEGMENTS_PER_READ);
      await indexSegments(transaction, day, some, failTogether);
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
  places: readonly Place[],
): Promise<SegmentFailure[]> {
  const failures: SegmentFailure[] = [];
  for (const place of places) {
    await transaction.query("SAVEPOINT segment");
    const unindexable = new UnindexableSpans();
    try {
      await indexSegments(transaction, place[0], [place], (spanId, error) =>
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
 * Those of the traces that are there. The lock keeps them from being deleted until their texts are indexed.
 */
async function holdTraces(
  transaction: SqlRunner,
  places: readonly Place[],
): Promise<ReadonlySet<number>> {
  const rows = await transaction.query<{ trace_no: number }>(
    `SELECT trace_no FROM agate.traces WHERE trace_no = ANY($1::bigint[])
     ORDER BY trace_no FOR KEY SHARE`,
    [[...new Set(places.map(([, traceNo]) => traceNo))]],
  );
  return new Set(rows.map(({ trace_no }) => trace_no));
}

async function indexSegments(
  transaction: SqlTransaction,
  day: number,
  places: readonly Place[],
  onUnindexable: OnUnindexable,
): Promise<void> {
  const rows = await transaction.query<SegmentRow>(
    `SELECT s.segment, s.first_span, s.header, s.body
     FROM unnest($1::bigint[], $2::integer[]) AS n (trace_no, segment)
     JOIN ${tableOfDay("segments", day)} s
       ON s.trace_no = n.trace_no AND s.segment = n.segment`,
    [places.map(([, traceNo]) => traceNo), places.map(([, , segment]) => segment)],
  );
  const texts = new CopyRows();
  const longTexts = new CopyRows();
  for (const row of rows) {
    for (const { n, vectors } of vectorsOf(row, onUnindexable)) {
      const into = vectors.length === 1 ? texts : longTexts;
      for (const vector of vectors) {
        into
          .row(3)
          .date(day)
          .int8(row.first_span + n)
          .bytes(vector);
      }
    }
  }
  await transaction.copy("agate.texts (day, span_no, words)", texts);
  await transaction.copy("agate.long_texts (day, span_no, words)", longTexts);
}

/** The words of each span of a segment, by its place in the header. */
function* vectorsOf(
  { segment, header, body }: SegmentRow,
  onUnindexable: OnUnindexable,
): Generator<{ readonly n: number; readonly vectors: readonly SearchVector[] }, void, void> {
  const records = unpack(body);
  const entries = decodeHeader(unpack(header).toString(), segment);
  for (const { id, place: n, offset, openLength } of entries) {
    try {
      const open = records.toString("utf8", offset, offset + openLength);
      const text = searchableText(JSON.parse(`${open}null${AFTER_LISTED_TOTAL}`));
      yield { n, vectors: toSearchVectors(wordsOf(text)) };
    } catch (error) {
      onUnindexable(id, error);
    }
  }
}

/** For the first attempt, in which a failure sends the batch to {@link indexEach}. */
const failTogether: OnUnindexable = (_, error) => {
  throw error;
};

import { KnownTexts } from "../search/known-texts.ts";
import { UnindexableSpans } from "../search/unindexable-spans.ts";
import type { StoreTrouble } from "../store-errors.ts";
import { StoreUnavailableError } from "../store-errors.ts";
import { dateText, tableOfDay } from "./day.ts";
import { isSpan } from "./filter-sql.ts";
import { isDataError } from "./postgres-errors.ts";
import type { SegmentRow, TextRules } from "./segment-texts.ts";
import { deleteTexts, groupOf, insertTexts, SEGMENTS_PER_GROUP } from "./segment-texts.ts";
import type { SpanDatabase, SqlRunner, SqlTransaction } from "./span-database.ts";
import type { Place } from "./unindexed-places.ts";
import { parsePlaces } from "./unindexed-places.ts";

/** Rows of places that are indexed in one step. */
const ROWS_PER_STEP = 2;
/** Spans with logged content that are indexed again in one step. Writing to one of their traces waits for the step. */
const CONTENTS_PER_STEP = 200;
/** Segments whose texts are in memory at a time. */
const SEGMENTS_PER_READ = 100;

/** Segments that are to be indexed. */
interface Taken {
  readonly places: readonly Place[];
  /** Whether they may have been indexed before: what is there of them then goes. */
  readonly isAgain: boolean;
}

/** Takes some of what is to be indexed; null where there is nothing. */
type Take = (transaction: SqlTransaction) => Promise<Taken | null>;

/** What is indexed in one step, of traces that are locked. */
interface Step {
  readonly places: readonly Place[];
  readonly isWanted: TextRules["isWanted"];
  readonly keyOf: TextRules["keyOf"];
}

type IndexStep = (transaction: SqlTransaction, step: Step) => Promise<void>;

/**
 * Indexes the texts of committed spans. Servers skip what another one has locked, and take it over if that server
 * dies. A segment that cannot be indexed is recorded in `agate.unindexable`, so that it does not block the index.
 */
export class SpanIndexer {
  readonly #database: SpanDatabase;
  readonly #onTrouble: (trouble: StoreTrouble) => void;
  /** What this server has indexed. */
  readonly #known = new KnownTexts<string>();

  /** @param onTrouble Told when something was set aside. */
  constructor(database: SpanDatabase, onTrouble: (trouble: StoreTrouble) => void) {
    this.#database = database;
    this.#onTrouble = onTrouble;
  }

  /**
   * Indexes some segments, or else those of spans for which content was logged.
   *
   * @returns False when there was nothing to do.
   */
  async indexSome(): Promise<boolean> {
    return (await this.#index(takeNoted)) || (await this.#index(takeLogged));
  }

  async #index(take: Take): Promise<boolean> {
    try {
      return await this.#indexTaken(take, (transaction, step) =>
        indexTogether(transaction, step, this.#known),
      );
    } catch (error) {
      if (error instanceof StoreUnavailableError || !isDataError(error)) throw error;
    }
    let failures: SegmentFailure[] = [];
    const isDone = await this.#indexTaken(take, async (transaction, step) => {
      failures = await indexEach(transaction, step);
    });
    const [first] = failures;
    if (first !== undefined) {
      const what = `Texts in ${failures.length} segments cannot be indexed, and searches do not find them: see agate.unindexable in the database.`;
      this.#onTrouble({ what, error: first.error });
    }
    return isDone;
  }

  async #indexTaken(take: Take, index: IndexStep): Promise<boolean> {
    let isCommitted = true;
    const attempt = async (transaction: SqlTransaction): Promise<boolean> => {
      // What an attempt before this one has indexed is not there.
      if (!isCommitted) this.#known.forgetAll();
      isCommitted = false;
      const taken = await take(transaction);
      if (taken === null) return false;
      await index(transaction, await lock(transaction, taken));
      return true;
    };
    try {
      const hasIndexed = await this.#database.transaction(attempt);
      isCommitted = true;
      return hasIndexed;
    } finally {
      if (!isCommitted) this.#known.forgetAll();
    }
  }
}

/** Segments that were committed, or of which spans were replaced. */
async function takeNoted(transaction: SqlTransaction): Promise<Taken | null> {
  const rows = await transaction.query<{
    readonly unindexed_no: number;
    readonly places: string;
    readonly is_again: boolean;
  }>(
    `SELECT unindexed_no, places, is_again FROM agate.unindexed
     ORDER BY unindexed_no LIMIT $1 FOR UPDATE SKIP LOCKED`,
    [ROWS_PER_STEP],
  );
  const [first] = rows;
  if (first === undefined) return null;
  const taken = rows.filter(({ is_again }) => is_again === first.is_again);
  await transaction.query("DELETE FROM agate.unindexed WHERE unindexed_no = ANY($1::bigint[])", [
    taken.map(({ unindexed_no }) => unindexed_no),
  ]);
  return { places: taken.flatMap((row) => parsePlaces(row.places)), isAgain: first.is_again };
}

/**
 * Segments of spans for which content was logged. A span that is not there yet is indexed with its content when it
 * comes.
 */
async function takeLogged(transaction: SqlTransaction): Promise<Taken | null> {
  const logged = await transaction.query<{
    readonly unindexed_no: number;
    readonly project: string;
    readonly trace_id: string;
    readonly span_id: string;
  }>(
    `SELECT unindexed_no, project, trace_id, span_id FROM agate.unindexed_contents
     ORDER BY unindexed_no LIMIT $1 FOR UPDATE SKIP LOCKED`,
    [CONTENTS_PER_STEP],
  );
  if (logged.length === 0) return null;
  await transaction.query(
    "DELETE FROM agate.unindexed_contents WHERE unindexed_no = ANY($1::bigint[])",
    [logged.map(({ unindexed_no }) => unindexed_no)],
  );
  const rows = await transaction.query<SegmentName & { readonly day: number }>(
    `SELECT p.day, p.trace_no, p.segment
     FROM unnest($1::text[], $2::text[], $3::text[]) AS n (project, trace_id, span_id)
     JOIN agate.traces t ON t.project = n.project AND t.trace_id = n.trace_id
     JOIN agate.spans p ON ${isSpan("p", "n.span_id")} AND p.day = t.day AND p.trace_no = t.trace_no`,
    [
      logged.map(({ project }) => project),
      logged.map(({ trace_id }) => trace_id),
      logged.map(({ span_id }) => span_id),
    ],
  );
  const places = rows.map(({ day, trace_no, segment }): Place => [day, trace_no, segment]);
  return { places, isAgain: true };
}

interface SegmentName {
  readonly trace_no: number;
  readonly segment: number;
}

/**
 * Locks the traces, so that they are not deleted until their texts are indexed. To be indexed again, they are also
 * locked against other servers that index them, and against writers: nothing is inserted twice, or missed.
 */
async function lock(transaction: SqlRunner, { places, isAgain }: Taken): Promise<Step> {
  const traceNos = [...new Set(places.map(([, traceNo]) => traceNo))];
  let rows = await transaction.query<{ readonly trace_no: number; readonly indexed_again: number }>(
    `SELECT trace_no, indexed_again FROM agate.traces WHERE trace_no = ANY($1::bigint[])
     ORDER BY trace_no ${isAgain ? "FOR UPDATE" : "FOR KEY SHARE"}`,
    [traceNos],
  );
  if (isAgain) {
    // Servers that know texts of them forget these.
    rows = await transaction.query(
      `UPDATE agate.traces SET indexed_again = indexed_again + 1
       WHERE trace_no = ANY($1::bigint[]) RETURNING trace_no, indexed_again`,
      [rows.map(({ trace_no }) => trace_no)],
    );
  }
  const live = new Map(rows.map(({ trace_no, indexed_again }) => [trace_no, indexed_again]));
  const ofLive = places.filter(([, traceNo]) => live.has(traceNo));
  const all = isAgain ? await beginAgain(transaction, ofLive) : ofLive;
  // A segment may be indexed for the first time after others of its trace were indexed again: then too, those of its
  // spans that were replaced before that are left out.
  const isChanged = (traceNo: number) => (live.get(traceNo) ?? 0) > 0;
  const current = await currentSpans(
    transaction,
    all.filter(([, traceNo]) => isChanged(traceNo)),
  );
  return {
    places: all,
    keyOf: ({ trace_no, segment }) => `${trace_no} ${groupOf(segment)} ${live.get(trace_no)}`,
    isWanted: (traceNo, spanNo) => !isChanged(traceNo) || current.has(spanNo),
  };
}

interface GroupedSegment extends SegmentName {
  readonly first_span: number;
  readonly spans: number;
}

/** Deletes the words of segments, and of those that are indexed together with them. @returns All of these. */
async function beginAgain(
  transaction: SqlRunner,
  places: readonly Place[],
): Promise<readonly Place[]> {
  const all: Place[] = [];
  for (const [day, ofDay] of Map.groupBy(places, ([day]) => day)) {
    const groups = new Map(
      ofDay.map(([, no, segment]) => [
        `${no} ${groupOf(segment)}`,
        [no, groupOf(segment)] as const,
      ]),
    );
    const segments = await transaction.query<GroupedSegment>(
      `SELECT s.trace_no, s.segment, s.first_span, s.spans
       FROM unnest($1::bigint[], $2::integer[]) AS n (trace_no, segment)
       JOIN ${tableOfDay("segments", day)} s ON s.trace_no = n.trace_no
         AND s.segment >= n.segment AND s.segment < n.segment + ${SEGMENTS_PER_GROUP}
       ORDER BY s.trace_no, s.segment`,
      [[...groups.values()].map(([no]) => no), [...groups.values()].map(([, first]) => first)],
    );
    for (const { trace_no, segment } of segments) all.push([day, trace_no, segment]);
    await deleteTexts(transaction, day, segments);
  }
  return all;
}

/** The numbers of those spans of segments that were not replaced. */
async function currentSpans(
  transaction: SqlRunner,
  places: readonly Place[],
): Promise<ReadonlySet<number>> {
  const spanNos = new Set<number>();
  for (const [day, ofDay] of Map.groupBy(places, ([day]) => day)) {
    const rows = await transaction.query<{ readonly span_no: number }>(
      `SELECT p.span_no FROM unnest($1::bigint[], $2::integer[]) AS n (trace_no, segment)
       JOIN ${tableOfDay("spans", day)} p ON p.trace_no = n.trace_no AND p.segment = n.segment`,
      [ofDay.map(([, traceNo]) => traceNo), ofDay.map(([, , segment]) => segment)],
    );
    for (const { span_no } of rows) spanNos.add(span_no);
  }
  return spanNos;
}

async function indexTogether(
  transaction: SqlTransaction,
  { places, ...step }: Step,
  known: KnownTexts<string>,
): Promise<void> {
  const onUnindexable = (_: string, error: unknown) => {
    // The segments are indexed one by one instead.
    throw error;
  };
  for (const [day, ofDay] of Map.groupBy(places, ([day]) => day)) {
    for (let at = 0; at < ofDay.length; at += SEGMENTS_PER_READ) {
      const rows = await readSegments(transaction, day, ofDay.slice(at, at + SEGMENTS_PER_READ));
      await insertTexts(transaction, rows, { ...step, day, known, onUnindexable });
    }
  }
}

function readSegments(
  transaction: SqlRunner,
  day: number,
  places: readonly Place[],
): Promise<SegmentRow[]> {
  return transaction.query<SegmentRow>(
    `SELECT s.trace_no, s.segment, s.first_span, s.header, s.body
     FROM unnest($1::bigint[], $2::integer[]) AS n (trace_no, segment)
     JOIN ${tableOfDay("segments", day)} s
       ON s.trace_no = n.trace_no AND s.segment = n.segment`,
    [places.map(([, traceNo]) => traceNo), places.map(([, , segment]) => segment)],
  );
}

interface SegmentFailure {
  readonly place: Place;
  readonly reason: string;
  readonly error: unknown;
}

/** Indexes what can be, each segment by itself; slower by far. @returns What was set aside. */
async function indexEach(
  transaction: SqlTransaction,
  { places, ...step }: Step,
): Promise<SegmentFailure[]> {
  const failures: SegmentFailure[] = [];
  for (const place of places) {
    await transaction.query("SAVEPOINT segment");
    const unindexable = new UnindexableSpans();
    try {
      const rows = await readSegments(transaction, place[0], [place]);
      await insertTexts(transaction, rows, {
        ...step,
        day: place[0],
        // Of its own: a text that another segment has may be rolled back with it.
        known: new KnownTexts(),
        onUnindexable: (spanId, error) => unindexable.add({ spanId }, error),
      });
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

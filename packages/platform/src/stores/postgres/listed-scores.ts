import type { ScoreRow } from "../score-store.ts";
import { NO_ADDITIONS, SpanAdditions } from "../span-additions.ts";
import type { SqlRunner } from "./span-database.ts";

/**
 * Scores of records that follow in a list are read with those of the present one, up to so many bytes: a
 * statement for each record would be 1,000 of them for a page of an evaluation's traces.
 */
const AHEAD_BYTES = 1024 * 1024;

/** A record in a list of spans. */
export interface ListedPlace {
  readonly trace_id: string;
  readonly span_id: string;
}

interface SizedPlace extends ListedPlace {
  readonly bytes: number;
}

interface PlacedScore extends ScoreRow {
  readonly trace_id: string;
}

/** The scores of listed records, which are asked for in the order of the list. */
export class ListedScores {
  readonly #runner: SqlRunner;
  readonly #project: string;
  readonly #isTops: boolean;
  /** Those that have scores, in the order of the list. */
  readonly #scored: readonly SizedPlace[];
  readonly #placeOf: ReadonlyMap<string, number>;
  /** What was read and is still to be asked for. */
  readonly #held = new Map<string, readonly ScoreRow[]>();

  private constructor(
    runner: SqlRunner,
    project: string,
    isTops: boolean,
    scored: readonly SizedPlace[],
  ) {
    this.#runner = runner;
    this.#project = project;
    this.#isTops = isTops;
    this.#scored = scored;
    this.#placeOf = new Map(scored.map((place, index) => [keyOf(place), index]));
  }

  /** Of the tops of traces: with the scores of the whole trace. */
  static async ofTops(
    runner: SqlRunner,
    project: string,
    traceIds: readonly string[],
  ): Promise<ListedScores> {
    const rows = await runner.query<{ trace_id: string; bytes: number }>(
      `SELECT trace_id, sum(octet_length(record)) AS bytes FROM agate.scores
       WHERE project = $1 AND trace_id = ANY($2::text[]) GROUP BY trace_id`,
      [project, traceIds],
      "scored-traces",
    );
    const bytesOf = new Map(rows.map(({ trace_id, bytes }) => [trace_id, bytes]));
    const scored = traceIds.flatMap((trace_id) => {
      const bytes = bytesOf.get(trace_id);
      return bytes === undefined ? [] : [{ trace_id, span_id: "", bytes }];
    });
    return new ListedScores(runner, project, true, scored);
  }

  /** Of spans: with those scores that name them. */
  static async ofSpans(
    runner: SqlRunner,
    project: string,
    places: readonly ListedPlace[],
  ): Promise<ListedScores> {
    const rows = await runner.query<SizedPlace>(
      `SELECT trace_id, span_id, sum(octet_length(record)) AS bytes FROM agate.scores
       WHERE project = $1 AND trace_id = ANY($2::text[]) AND span_id = ANY($3::text[])
       GROUP BY trace_id, span_id`,
      [project, ...idsOf(places)],
      "scored-spans",
    );
    const bytesOf = new Map(rows.map((row) => [keyOf(row), row.bytes]));
    const scored = places.flatMap(({ trace_id, span_id }) => {
      const bytes = bytesOf.get(keyOf({ trace_id, span_id }));
      return bytes === undefined ? [] : [{ trace_id, span_id, bytes }];
    });
    return new ListedScores(runner, project, false, scored);
  }

  /** What a record is read with. */
  async of(traceId: string, spanId: string): Promise<SpanAdditions> {
    const key = keyOf({ trace_id: traceId, span_id: this.#isTops ? "" : spanId });
    const place = this.#placeOf.get(key);
    if (place === undefined) return NO_ADDITIONS;
    if (!this.#held.has(key)) await this.#read(this.#from(place), spanId);
    const rows = this.#held.get(key) ?? [];
    this.#held.delete(key);
    const own = this.#isTops
      ? rows.filter(({ span_id }) => span_id === spanId || span_id === "")
      : rows;
    return new SpanAdditions(own.map(({ record }) => record));
  }

  /** A place and those behind it whose scores have room beside its own. */
  #from(place: number): readonly SizedPlace[] {
    let bytes = 0;
    let end = place;
    do bytes += this.#scored[end++]?.bytes ?? 0;
    while (end < this.#scored.length && bytes + (this.#scored[end]?.bytes ?? 0) <= AHEAD_BYTES);
    return this.#scored.slice(place, end);
  }

  /** @param first The span that the first place is about. */
  async #read(places: readonly SizedPlace[], first: string): Promise<void> {
    const [traceIds, spanIds] = idsOf(places);
    const isLong = (places[0]?.bytes ?? 0) > AHEAD_BYTES;
    // Of the tops that follow, only the traces are known. A trace with much of it, such as content that was
    // logged for all of its spans, is read alone.
    const isWhole = this.#isTops && !isLong;
    const rows = await this.#runner.query<PlacedScore>(
      `SELECT trace_id, span_id, record FROM agate.scores
       WHERE project = $1 AND trace_id = ANY($2::text[]) ${isWhole ? "" : "AND span_id = ANY($3::text[])"}
       ORDER BY created, score_id`,
      isWhole
        ? [this.#project, traceIds]
        : [this.#project, traceIds, this.#isTops ? ["", first] : spanIds],
      isWhole ? "scores-of-traces" : "scores-of-spans",
    );
    const read = Map.groupBy(rows, ({ trace_id, span_id }) =>
      keyOf({ trace_id, span_id: this.#isTops ? "" : span_id }),
    );
    for (const place of places) this.#held.set(keyOf(place), read.get(keyOf(place)) ?? []);
  }
}

function keyOf({ trace_id, span_id }: ListedPlace): string {
  return `${trace_id} ${span_id}`;
}

function idsOf(places: readonly ListedPlace[]): [traceIds: string[], spanIds: string[]] {
  const traceIds = new Set(places.map(({ trace_id }) => trace_id));
  return [[...traceIds], places.map(({ span_id }) => span_id)];
}

import type { SqlRunner } from "./span-database.ts";

/** While ingest is saturated, indexing rests this many times as long as it works. */
const REST_FACTOR = 6;
/** Older commits say nothing about ingest now. A commit is noted with the time at which its transaction began. */
const RECENT_SECONDS = 2;
/** The last commits. Of two that are written at a time, one may hold the only batch there was. */
const COMMITS = 8;
/** From here on, indexing does not rest: searches would miss more and more. */
const LONGEST_BEHIND_SECONDS = 60;

/**
 * Makes room for ingest: indexing the words of a span takes PostgreSQL longer than storing it. The database tells
 * whether ingest of any server is saturated, so that servers without ingest make room, too. Each server rests for
 * itself.
 */
export class IndexRest {
  readonly #runner: SqlRunner;
  readonly #now: () => number;
  #until = Number.NEGATIVE_INFINITY;

  /** @param now In milliseconds; tests pass a clock of their own. */
  constructor(runner: SqlRunner, now = () => performance.now()) {
    this.#runner = runner;
    this.#now = now;
  }

  /** Records how long a step took that was just made. */
  worked(tookMs: number): void {
    this.#until = this.#now() + REST_FACTOR * tookMs;
  }

  /** Whether the next step should wait. False as soon as ingest lets up. */
  async isResting(): Promise<boolean> {
    return this.#now() < this.#until && (await isIngestSaturated(this.#runner));
  }
}

async function isIngestSaturated(runner: SqlRunner): Promise<boolean> {
  const [row] = await runner.query<{ is_saturated: boolean }>(
    `SELECT coalesce(bool_or(n.is_saturated), false) AND NOT EXISTS (
       SELECT FROM (SELECT noted FROM agate.unindexed ORDER BY unindexed_no LIMIT 1) AS oldest
       WHERE oldest.noted < now() - make_interval(secs => ${LONGEST_BEHIND_SECONDS})
     ) AS is_saturated
     FROM (SELECT is_saturated, noted FROM agate.unindexed ORDER BY unindexed_no DESC LIMIT ${COMMITS}) AS n
     WHERE n.noted > now() - make_interval(secs => ${RECENT_SECONDS})`,
    [],
    "is-ingest-saturated",
  );
  return row?.is_saturated ?? false;
}

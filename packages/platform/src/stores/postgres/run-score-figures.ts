import { LOGGED_CONTENT } from "../logged-content.ts";
import type { ScoreFiguresRequest, ScoreFiguresResult, ScoreGroupKey } from "../score-query.ts";
import { MOST_SCORE_LABELS, MOST_SCORE_NAMES, NO_SCORES_FOUND } from "../score-query.ts";
import type { LabelRow, ScoreCell, Shown } from "../summary/score-cells.ts";
import { groupColumns, groupPlace, NOTHING_SHOWN, scoreFiguresOf } from "../summary/score-cells.ts";
import { whereTraces } from "./filter-sql.ts";
import { planTraces } from "./plan-search.ts";
import { ONE_SNAPSHOT } from "./run-analytics.ts";
import type { SpanDatabase, SqlRunner, SqlValue } from "./span-database.ts";

/**
 * The kind of a score's source, which is in no column: it is rarely asked for. By its place in the text,
 * because PostgreSQL refuses to read JSON in which a text has a NUL. Quotes inside of texts are escaped,
 * and what a score's own metadata holds comes later.
 */
const SOURCE = `substring(c.record from '"source":\\{"kind":"([a-z_]+)"')`;

/** This many scores are looked up with their traces in some tens of milliseconds. */
const FEW_SCORES = 10_000;

// OFFSET 0 keeps the order of the tables. PostgreSQL would read all scores of all time for a short range, and
// without statistics all scores for every trace.
const TRACES_FIRST = `agate.traces t CROSS JOIN LATERAL (
  SELECT * FROM agate.scores s WHERE s.project = t.project AND s.trace_id = t.trace_id OFFSET 0) c`;
const SCORES_FIRST = `(SELECT * FROM agate.scores s WHERE s.project = $1 OFFSET 0) c CROSS JOIN LATERAL (
  SELECT * FROM agate.traces r WHERE r.project = c.project AND r.trace_id = c.trace_id OFFSET 0) t`;

async function hasFewScores(runner: SqlRunner, project: string): Promise<boolean> {
  const [found] = await runner.query<{ count: number }>(
    `SELECT count(*) AS count FROM (
       SELECT FROM agate.scores WHERE project = $1 LIMIT ${FEW_SCORES + 1}) AS few`,
    [project],
  );
  return (found?.count ?? 0) <= FEW_SCORES;
}

/** Adds scores up by name and time, and by a column of their traces where one is asked for. */
export function runScoreFigures(
  database: SpanDatabase,
  request: ScoreFiguresRequest,
  signal: AbortSignal,
): Promise<ScoreFiguresResult> {
  const run = (transaction: SqlRunner) => scoreFigures(transaction, request);
  return database.transaction(run, ONE_SNAPSHOT, signal);
}

async function scoreFigures(
  runner: SqlRunner,
  request: ScoreFiguresRequest,
): Promise<ScoreFiguresResult> {
  const { project, filter, from, to, interval, groups, source } = request;
  const search = await planTraces(runner, project, filter.text);
  if (search === undefined) return NO_SCORES_FOUND;
  const where = whereTraces(project, filter, search);
  const first = `${where.value(from)}::bigint`;
  where.add(`t.start >= ${first} AND t.start < ${where.value(to)}`);
  where.add(`c.name <> '${LOGGED_CONTENT}'`);
  if (source !== undefined) where.add(`${SOURCE} = ${where.value(source)}`);
  const tables = (await hasFewScores(runner, project)) ? SCORES_FIRST : TRACES_FIRST;
  const scope = (conditions: string) => `FROM ${tables} WHERE ${conditions}`;
  const names = await shownNames(runner, scope(where.text), where.values);
  if (names.items.length === 0) return NO_SCORES_FOUND;
  const shown =
    groups === null
      ? NOTHING_SHOWN
      : await largestGroups(runner, groups, scope(where.text), where.values);
  where.add(`c.name = ANY(${where.value(names.items)}::text[])`);
  const named = scope(where.text);
  const labels = await runner.query<LabelRow>(
    `SELECT name, label, count FROM (
       SELECT *, row_number() OVER (PARTITION BY name ORDER BY count DESC, label) AS rank FROM (
         SELECT c.name, c.label, count(*) AS count
         ${named} AND c.status = 'ok' AND c.label IS NOT NULL GROUP BY 1, 2) AS l) AS l
     WHERE rank <= ${MOST_SCORE_LABELS} ORDER BY name, rank`,
    where.values,
  );
  const step = `${where.value(interval)}::bigint`;
  const place =
    groups === null
      ? "NULL::int"
      : groupPlace(shown.items, groups.by, columnOf, (value) => where.value(value));
  // Added as decimals, which neither round nor overflow.
  const cells = await runner.query<Omit<ScoreCell, "sum"> & { readonly sum: string | null }>(
    `SELECT c.name, ${place} AS place, (t.start - ${first}) / ${step} AS bucket,
       count(*) FILTER (WHERE c.status = 'ok') AS ok, count(*) FILTER (WHERE c.status = 'skipped') AS skipped,
       count(*) FILTER (WHERE c.status = 'failed') AS failed, count(c.value) AS valued,
       sum(c.value::numeric)::text AS sum
     ${named} GROUP BY 1, 2, 3`,
    where.values,
  );
  return scoreFiguresOf(
    request,
    names,
    shown,
    cells.map((cell) => ({ ...cell, sum: cell.sum === null ? null : Number(cell.sum) })),
    labels,
  );
}

function columnOf(name: string): string {
  return name === "source" ? SOURCE : `t.${name}`;
}

async function shownNames(
  runner: SqlRunner,
  scope: string,
  values: readonly SqlValue[],
): Promise<Shown<string>> {
  const rows = await runner.query<{ name: string; names: number }>(
    `SELECT c.name, count(*) OVER () AS names ${scope}
     GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT ${MOST_SCORE_NAMES}`,
    values,
  );
  return {
    items: rows.map(({ name }) => name),
    leftOut: (rows[0]?.names ?? 0) - rows.length,
  };
}

async function largestGroups(
  runner: SqlRunner,
  { by, limit }: NonNullable<ScoreFiguresRequest["groups"]>,
  scope: string,
  values: readonly SqlValue[],
): Promise<Shown<ScoreGroupKey>> {
  const { key, revision } = groupColumns(by);
  const second = revision === null ? "NULL::bigint" : columnOf(revision);
  const rows = await runner.query<ScoreGroupKey & { readonly groups: number }>(
    `SELECT ${columnOf(key)} AS key, ${second} AS revision, count(*) OVER () AS groups ${scope}
     GROUP BY 1, 2 ORDER BY count(*) DESC, 1 NULLS LAST, 2 NULLS LAST LIMIT $${values.length + 1}`,
    [...values, limit],
  );
  return {
    items: rows.map(({ key: own, revision: number }) => ({ key: own, revision: number })),
    leftOut: (rows[0]?.groups ?? 0) - rows.length,
  };
}

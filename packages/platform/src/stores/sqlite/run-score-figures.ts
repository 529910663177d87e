import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { LOGGED_CONTENT } from "../logged-content.ts";
import type { ScoreFiguresRequest, ScoreFiguresResult, ScoreGroupKey } from "../score-query.ts";
import { MOST_SCORE_LABELS, MOST_SCORE_NAMES, NO_SCORES_FOUND } from "../score-query.ts";
import type { LabelRow, ScoreCell, Shown } from "../summary/score-cells.ts";
import { groupColumns, groupPlace, NOTHING_SHOWN, scoreFiguresOf } from "../summary/score-cells.ts";
import type { Sql } from "./sql.ts";

/** The kind of a score's source, which is in no column: it is rarely asked for. */
const SOURCE = "json_extract(c.record, '$.source.kind')";

/**
 * Adds scores up by name and time, and by a column of their traces where one is asked for. Runs in a transaction:
 * all statements must see the same.
 *
 * @param where Conditions on `traces t`.
 * @param areFew Whether the project has so few scores that they are read first, not the traces of the range.
 */
export function runScoreFigures(
  db: DatabaseSync,
  request: ScoreFiguresRequest,
  where: Sql,
  areFew: boolean,
): ScoreFiguresResult {
  const { project, from, to, interval, groups, source } = request;
  // CROSS JOIN keeps the order of the tables.
  const tables = areFew ? "scores c CROSS JOIN traces t" : "traces t CROSS JOIN scores c";
  const scope: Sql = {
    text: `FROM ${tables} ON c.project = t.project AND c.trace_id = t.trace_id
      WHERE ${where.text} AND t.start >= ? AND t.start < ? AND c.project = ?
      AND +c.name <> '${LOGGED_CONTENT}' ${source === undefined ? "" : `AND ${SOURCE} = ?`}`,
    values: [...where.values, from, to, project, ...(source === undefined ? [] : [source])],
  };
  const names = shownNames(db, scope);
  if (names.items.length === 0) return NO_SCORES_FOUND;
  const shown = groups === null ? NOTHING_SHOWN : largestGroups(db, groups, scope);
  const parameters: SQLInputValue[] = [];
  const value = (given: string | number) => {
    parameters.push(given);
    return "?";
  };
  const place = groups === null ? "NULL" : groupPlace(shown.items, groups.by, columnOf, value);
  // A plus, so that the scores of a trace are looked up by the trace and not by their names.
  const named = `${scope.text} AND +c.name IN (${names.items.map(() => "?").join()})`;
  const values = [...scope.values, ...names.items];
  const cells = db
    .prepare(
      `SELECT c.name AS name, ${place} AS place, (t.start - ${from}) / ${interval} AS bucket,
         sum(c.status = 'ok') AS ok, sum(c.status = 'skipped') AS skipped, sum(c.status = 'failed') AS failed,
         count(c.value) AS valued, sum(c.value) AS sum
       ${named} GROUP BY 1, 2, 3`,
    )
    .all(...parameters, ...values) as unknown as ScoreCell[];
  const labels = db
    .prepare(
      `SELECT name, label, count FROM (
         SELECT *, row_number() OVER (PARTITION BY name ORDER BY count DESC, label) AS rank FROM (
           SELECT c.name AS name, c.label AS label, count(*) AS count
           ${named} AND c.status = 'ok' AND c.label IS NOT NULL GROUP BY 1, 2))
       WHERE rank <= ${MOST_SCORE_LABELS} ORDER BY name, rank`,
    )
    .all(...values) as unknown as LabelRow[];
  return scoreFiguresOf(request, names, shown, cells, labels);
}

function columnOf(name: string): string {
  return name === "source" ? SOURCE : `t.${name}`;
}

function shownNames(db: DatabaseSync, { text, values }: Sql): Shown<string> {
  const rows = db
    .prepare(
      `SELECT c.name AS name, count(*) OVER () AS names ${text}
       GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT ${MOST_SCORE_NAMES}`,
    )
    .all(...values) as unknown as { name: string; names: number }[];
  return {
    items: rows.map(({ name }) => name),
    leftOut: (rows[0]?.names ?? 0) - rows.length,
  };
}

function largestGroups(
  db: DatabaseSync,
  { by, limit }: NonNullable<ScoreFiguresRequest["groups"]>,
  { text, values }: Sql,
): Shown<ScoreGroupKey> {
  const { key, revision } = groupColumns(by);
  const first = columnOf(key);
  const second = revision === null ? "NULL" : columnOf(revision);
  const rows = db
    .prepare(
      `SELECT ${first} AS key, ${second} AS revision, count(*) OVER () AS groups ${text}
       GROUP BY 1, 2 ORDER BY count(*) DESC, ${first} IS NULL, ${first}, ${second} IS NULL, ${second} LIMIT ?`,
    )
    .all(...values, limit) as unknown as (ScoreGroupKey & { groups: number })[];
  return {
    items: rows.map(({ key: own, revision: number }) => ({ key: own, revision: number })),
    leftOut: (rows[0]?.groups ?? 0) - rows.length,
  };
}

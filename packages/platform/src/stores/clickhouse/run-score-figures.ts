import { LOGGED_CONTENT } from "../logged-content.ts";
import type { ScoreFiguresRequest, ScoreFiguresResult, ScoreGroupKey } from "../score-query.ts";
import { MOST_SCORE_LABELS, MOST_SCORE_NAMES, NO_SCORES_FOUND } from "../score-query.ts";
import type { Shown } from "../summary/score-cells.ts";
import { groupColumns, groupPlace, NOTHING_SHOWN, scoreFiguresOf } from "../summary/score-cells.ts";
import type { ClickHouseSession, Parameters } from "./clickhouse-session.ts";
import { LONG_QUERY_SETTINGS } from "./clickhouse-session.ts";
import { tracesIn } from "./run-analytics.ts";

type CellRow = [
  name: string,
  place: number | null,
  bucket: number,
  ok: number,
  skipped: number,
  failed: number,
  valued: number,
  sum: number | null,
];

/** Scores with the traces that they are of. */
interface Scope {
  readonly table: string;
  readonly parameters: Parameters;
}

/**
 * Adds scores up by name and time, and by a column of their traces where one is asked for. A score that is put
 * between two of the statements may be in some of the figures only.
 */
export async function runScoreFigures(
  session: ClickHouseSession,
  request: ScoreFiguresRequest,
): Promise<ScoreFiguresResult> {
  const { interval, groups } = request;
  const scope = scoresIn(session, request);
  if (scope === undefined) return NO_SCORES_FOUND;
  const names = await shownNames(session, scope);
  if (names.items.length === 0) return NO_SCORES_FOUND;
  const shown = groups === null ? NOTHING_SHOWN : await largestGroups(session, groups.limit, scope);
  const parameters: Record<string, unknown> = { ...scope.parameters, interval, names: names.items };
  const value = (given: string | number) => {
    const name = `group${Object.keys(parameters).length}`;
    parameters[name] = given;
    return `{${name}:${typeof given === "number" ? "Int64" : "String"}}`;
  };
  const column = (name: string) => (name === "revision" ? "group_revision" : "group_key");
  const place = groups === null ? "NULL" : groupPlace(shown.items, groups.by, column, value);
  const named = `${scope.table} WHERE score_name IN {names:Array(String)}`;
  const [cells, labels] = await Promise.all([
    session.rows<CellRow>(
      `SELECT score_name, ${place} AS place, intDiv(start - {from:Int64}, {interval:Int64}) AS bucket,
         countIf(score_status = 'ok'), countIf(score_status = 'skipped'), countIf(score_status = 'failed'),
         count(score_value), sumKahan(score_value)
       FROM ${named} GROUP BY score_name, place, bucket`,
      parameters,
      LONG_QUERY_SETTINGS,
    ),
    session.rows<[string, string, number]>(
      `SELECT score_name, score_label, count() AS labelled
       FROM ${named} AND score_status = 'ok' AND score_label IS NOT NULL
       GROUP BY score_name, score_label ORDER BY score_name, labelled DESC, score_label
       LIMIT ${MOST_SCORE_LABELS} BY score_name`,
      parameters,
      LONG_QUERY_SETTINGS,
    ),
  ]);
  return scoreFiguresOf(
    request,
    names,
    shown,
    cells.map(([name, place, bucket, ok, skipped, failed, valued, sum]) => ({
      name,
      place,
      bucket,
      ok,
      skipped,
      failed,
      valued,
      sum,
    })),
    labels.map(([name, label, count]) => ({ name, label, count })),
  );
}

function scoresIn(session: ClickHouseSession, request: ScoreFiguresRequest): Scope | undefined {
  const { project, filter, from, to, groups, source } = request;
  const traces = tracesIn(session, project, filter, { from, to });
  if (traces === undefined) return undefined;
  const { key, revision } = groupColumns(groups?.by ?? "name");
  const second = revision ?? "CAST(NULL AS Nullable(Int64))";
  const isBySource = groups?.by === "source";
  // In no column: it is rarely asked for.
  const kind =
    isBySource || source !== undefined ? "JSONExtractString(record, 'source', 'kind')" : "''";
  // The last write of each score, of these traces only: scores are ordered by trace.
  const table = `(
    SELECT trace_id, any(name) AS score_name, argMax((value, label, status, ${kind}), version) AS judged,
      judged.1 AS score_value, judged.2 AS score_label, judged.3 AS score_status
      ${isBySource ? ", toNullable(judged.4) AS group_key" : ""}
    FROM ${session.table("scores")}
    WHERE project = {project:String} AND trace_id IN (SELECT trace_id FROM ${traces.traces})
      AND name <> '${LOGGED_CONTENT}'
    GROUP BY trace_id, score_id ${source === undefined ? "" : "HAVING judged.4 = {source:String}"}
  ) AS c INNER JOIN (
    SELECT trace_id, start, ${isBySource ? "" : `${key} AS group_key,`} ${second} AS group_revision FROM ${traces.traces}
  ) AS t USING trace_id`;
  const parameters = source === undefined ? traces.parameters : { ...traces.parameters, source };
  return { table, parameters };
}

async function shownNames(
  session: ClickHouseSession,
  { table, parameters }: Scope,
): Promise<Shown<string>> {
  const rows = await session.rows<[string, number]>(
    `SELECT score_name, count() OVER () FROM (
       SELECT score_name, count() AS scores FROM ${table} GROUP BY score_name
     ) ORDER BY scores DESC, score_name LIMIT ${MOST_SCORE_NAMES}`,
    parameters,
    LONG_QUERY_SETTINGS,
  );
  return { items: rows.map(([name]) => name), leftOut: (rows[0]?.[1] ?? 0) - rows.length };
}

async function largestGroups(
  session: ClickHouseSession,
  limit: number,
  { table, parameters }: Scope,
): Promise<Shown<ScoreGroupKey>> {
  const rows = await session.rows<[string | null, number | null, number]>(
    `SELECT group_key, group_revision, count() OVER () FROM (
       SELECT group_key, group_revision, count() AS scores FROM ${table} GROUP BY group_key, group_revision
     ) ORDER BY scores DESC, group_key NULLS LAST, group_revision NULLS LAST LIMIT {limit:UInt32}`,
    { ...parameters, limit },
    LONG_QUERY_SETTINGS,
  );
  return {
    items: rows.map(([key, revision]) => ({ key, revision })),
    leftOut: (rows[0]?.[2] ?? 0) - rows.length,
  };
}

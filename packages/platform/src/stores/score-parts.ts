import type { ScoreStatus } from "@agate/protocol";
import type { ScoreBatch, StoredScore } from "./score-store.ts";

/** A part of all scores that a store holds: some of one project, in the order of traces and scores. */
export interface ScorePart extends ScoreBatch {
  /** Where to go on after this part; only the same store understands it. */
  readonly position: string;
}

/** A part has at most this many scores, and ends with the one that reaches this many bytes of records. */
export const SCORE_PART_LIMITS = { scores: 500, bytes: 4 * 1024 * 1024 } as const;

/** How scores are ordered in an export, and told apart. */
export type ScoreKey = readonly [project: string, traceId: string, scoreId: string];

const BEFORE_ALL: ScoreKey = ["", "", ""];

/** The key behind which an export goes on. */
export function scoreKeyAt(position: string | null): ScoreKey {
  return position === null ? BEFORE_ALL : (JSON.parse(position) as ScoreKey);
}

/** A row of a table of scores. */
export interface StoredScoreRow {
  readonly project: string;
  readonly trace_id: string;
  readonly score_id: string;
  /** Empty: the top span of the trace. */
  readonly span_id: string;
  readonly name: string;
  readonly value: number | null;
  readonly label: string | null;
  readonly status: ScoreStatus;
  readonly created: number;
  readonly received: number;
  readonly record: string;
}

/**
 * The part that begins with the first of some rows; null without any.
 *
 * @param rows In the order of an export, within the limits of a part.
 */
export function scorePartOf(rows: readonly StoredScoreRow[]): ScorePart | null {
  const project = rows[0]?.project;
  if (project === undefined) return null;
  const own = rows.filter((row) => row.project === project);
  const last = own.at(-1) as StoredScoreRow;
  const key: ScoreKey = [project, last.trace_id, last.score_id];
  return { project, scores: own.map(scoreOf), position: JSON.stringify(key) };
}

function scoreOf(row: StoredScoreRow): StoredScore {
  return {
    id: row.score_id,
    traceId: row.trace_id,
    spanId: row.span_id === "" ? null : row.span_id,
    name: row.name,
    value: row.value,
    label: row.label,
    status: row.status,
    createdAt: row.created,
    receivedAt: row.received,
    record: row.record,
  };
}

/** Whether there is a judgement: `skipped` where it does not apply, `failed` where it could not be made. */
export const SCORE_STATUSES = ["ok", "skipped", "failed"] as const;

export type ScoreStatus = (typeof SCORE_STATUSES)[number];

/** Who or what has judged. */
export const SCORE_SOURCE_KINDS = ["code", "model", "human", "end_user"] as const;

export type ScoreSourceKind = (typeof SCORE_SOURCE_KINDS)[number];

export interface ScoreSource {
  kind: ScoreSourceKind;
  /** The name of the scorer, and the version of it. */
  evaluator: string | null;
  version: string | null;
  /** The person who has judged. */
  person: string | null;
}

/**
 * A judgement of one span. A score that is sent again (the same span, name, source, run, case, column and
 * trial) replaces the one before: its id is the same.
 */
export interface Score {
  id: string;
  trace_id: string;
  /** Null: the top span of the trace. */
  span_id: string | null;
  name: string;
  /** Null where the status is not `ok`, and where the judgement is only a label. */
  value: number | null;
  label: string | null;
  explanation: string | null;
  source: ScoreSource;
  status: ScoreStatus;
  /** Why it has failed, or was skipped. */
  error: string | null;
  /** RFC 3339 in UTC with six fraction digits. */
  created_at: string;
  run: string | null;
  case: string | null;
  column: string | null;
  trial: number | null;
  metadata: Record<string, unknown> | null;
}

import { createHash } from "node:crypto";
import type { Score } from "@agate/protocol";
import type { StoredScore } from "./score-store.ts";

/** A score before it has an id. */
export interface NewScore extends Omit<Score, "id" | "created_at"> {
  /** Microseconds since 1970. */
  readonly createdAt: number;
}

export interface ScoreWriting {
  readonly project: string;
  /** Microseconds since 1970. */
  readonly receivedAt: number;
  /** A text without what the project's rules hide. */
  readonly redact: (text: string) => string;
  /** What another product knows the score by; it then is one of its trace by this alone. */
  readonly key?: string | null;
}

/**
 * A score as stores keep it. Its id tells what is judged and by whom: a score that is sent again, with
 * another value perhaps, has the same id.
 */
export function toStoredScore(score: NewScore, writing: ScoreWriting): StoredScore {
  const { project, receivedAt, redact, key = null } = writing;
  const { trace_id, span_id, name, value, status, source, createdAt, run, column, trial } = score;
  const { kind, evaluator, version, person } = source;
  const judged = [project, trace_id, span_id, name, kind, evaluator, version, person];
  const id = createHash("sha256")
    .update(
      JSON.stringify(
        key === null ? [...judged, run, score.case, column, trial] : [project, trace_id, { key }],
      ),
    )
    .digest("hex")
    .slice(0, 32);
  const kept = (text: string | null) => text && redact(text);
  const record: Score = {
    id,
    trace_id,
    span_id,
    name,
    value,
    label: kept(score.label),
    explanation: kept(score.explanation),
    source: { kind, evaluator, version, person: kept(person) },
    status,
    error: kept(score.error),
    created_at: timeText(createdAt),
    run,
    case: score.case,
    column,
    trial,
    // Redaction keeps JSON as it is but for what it hides.
    metadata: score.metadata && JSON.parse(redact(JSON.stringify(score.metadata))),
  };
  const ids = { id, traceId: trace_id, spanId: span_id };
  const times = { createdAt, receivedAt };
  return {
    ...ids,
    name,
    value,
    label: record.label,
    status,
    ...times,
    record: JSON.stringify(record),
  };
}

/** RFC 3339 in UTC with six fraction digits, as the records of spans have it. */
function timeText(microseconds: number): string {
  const below = microseconds % 1000;
  const iso = new Date((microseconds - below) / 1000).toISOString();
  return `${iso.slice(0, -1)}${String(below).padStart(3, "0")}Z`;
}

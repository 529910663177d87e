import type { Score, ScoreSource, ScoreStatus } from "@agate/protocol";

/** A score as the model keeps it and as it is sent: all of a {@link Score} but its id. */
export interface ModelScore {
  readonly traceId: string;
  /** Null: the top span of the trace. */
  readonly spanId: string | null;
  readonly name: string;
  readonly value: number | null;
  readonly label: string | null;
  readonly explanation: string | null;
  readonly status: ScoreStatus;
  readonly error: string | null;
  readonly source: ScoreSource;
  /** With six fraction digits. */
  readonly createdAt: string;
  readonly run: string | null;
  readonly case: string | null;
  readonly column: string | null;
  readonly trial: number | null;
  readonly metadata: Record<string, unknown> | null;
}

/** What is judged and by whom: of two scores that share it, the one that is sent last counts. */
export function identityOf(score: ModelScore): string {
  const { traceId, spanId, name, source, run, case: row, column, trial } = score;
  const { kind, evaluator, version, person } = source;
  return JSON.stringify([
    ...[traceId, spanId, name, kind, evaluator, version, person],
    ...[run, row, column, trial],
  ]);
}

/** The score as the API takes it; what is null may be left out. */
export function scoreBody({ traceId, spanId, createdAt, ...rest }: ModelScore): object {
  return { ...rest, trace_id: traceId, span_id: spanId, created_at: createdAt };
}

/** The score as records show it. */
export function shownScore(score: ModelScore, id: string): Score {
  const { traceId, spanId, createdAt, ...rest } = score;
  return { ...rest, id, trace_id: traceId, span_id: spanId, created_at: createdAt };
}

const TEST = /^([^<>=:]+)(?:(<=|>=|<|>|=)(.+)|:(.+))$/;

/** Whether the condition of the parameter `score` holds for the scores of a trace or a span. */
export function matchesScores(scores: readonly ModelScore[], condition: string): boolean {
  const [, name, operator = "", bound, word] = TEST.exec(condition)!;
  const named = scores.filter((score) => score.name === name);
  if (word === "any") return named.length > 0;
  if (word === "none") return named.length === 0;
  if (word !== undefined) return named.some(({ status }) => status === word);
  return named.some(({ value }) => value !== null && holds(value, operator, Number(bound)));
}

function holds(value: number, operator: string, bound: number): boolean {
  if (operator.includes("=") && value === bound) return true;
  return operator.startsWith("<") ? value < bound : operator.startsWith(">") && value > bound;
}

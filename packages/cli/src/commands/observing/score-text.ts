import type { Score } from "@agate/protocol";
import { formatScore, UNKNOWN } from "@agate/protocol/format";

/**
 * The result of a score: its label, its value, or both. Without `ok` it is the status, never a number.
 *
 * @example scoreText(score) // "helpful yes (1)"
 */
export function scoreText({ name, status, label, value }: Score): string {
  if (status !== "ok") return `${name} ${status}`;
  if (value === null) return `${name} ${label ?? UNKNOWN}`;
  return `${name} ${label === null ? formatScore(value) : `${label} (${formatScore(value)})`}`;
}

/** The same with who has judged, and why. */
export function scoreInFull(score: Score): string {
  const { kind, evaluator, version, person } = score.source;
  const scorer = evaluator === null ? version : [evaluator, version].filter(Boolean).join("@");
  const source = [kind.replace("_", " "), scorer, person].filter(Boolean).join(", ");
  const why = score.explanation ?? score.error;
  return `${scoreText(score)} · ${source}${why === null ? "" : `: ${why}`}`;
}

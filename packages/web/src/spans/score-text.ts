import type { Score, ScoreSource, ScoreSourceKind } from "@agate/protocol";
import { formatScore } from "@agate/protocol/format";

const SOURCE_KINDS: Record<ScoreSourceKind, string> = {
  code: "Code",
  model: "Model",
  human: "Person",
  end_user: "End user",
};

/** @example sourceText(score.source) // "Model · judge@2" */
export function sourceText({ kind, evaluator, version, person }: ScoreSource): string {
  const scorer =
    evaluator === null ? version : `${evaluator}${version === null ? "" : `@${version}`}`;
  return [SOURCE_KINDS[kind] ?? kind, scorer, person].filter((part) => part !== null).join(" · ");
}

/**
 * The result of a score: its label, its value, or both. Without `ok` it is the status, never a number.
 *
 * @example scoreText(score) // "up (1)"
 */
export function scoreText({ status, label, value }: Pick<Score, "status" | "label" | "value">) {
  if (status !== "ok") return status === "skipped" ? "Skipped" : "Failed";
  return judgedText(label, value);
}

/** A label with its value; "–" without either. */
export function judgedText(label: string | null, value: number | null): string {
  if (value === null) return label ?? "–";
  return label === null ? formatScore(value) : `${label} (${formatScore(value)})`;
}

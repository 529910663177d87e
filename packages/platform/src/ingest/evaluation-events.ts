import { nearestSlug } from "@agate/protocol";
import type { Attributes, AttributeValue, OtlpEvent, OtlpSpan } from "@agate/spans";
import type { StoredScore } from "../stores/score-store.ts";
import { type NewScore, toStoredScore } from "../stores/to-stored-score.ts";

/** OpenTelemetry's event for the result of an evaluation. */
export const EVALUATION_EVENT = "gen_ai.evaluation.result";

/** Texts that are longer are cut. */
const LONGEST = { label: 100, explanation: 4_000, error: 1_000, name: 200 };

/** Where scores that come with spans are stored. */
export interface ScorePlace {
  readonly project: string;
  /** Microseconds since 1970. */
  readonly receivedAt: number;
}

/** The evaluation results among the events of spans: each judges the span that it is on. */
export function scoresOfEvents(spans: readonly OtlpSpan[], place: ScorePlace): StoredScore[] {
  const scores: StoredScore[] = [];
  for (const span of spans) {
    if (span.events.length === 0) continue;
    for (const event of span.events) {
      if (event.name !== EVALUATION_EVENT) continue;
      const score = scoreOfEvent(span, event, place);
      if (score !== null) scores.push(score);
    }
  }
  return scores;
}

/** An evaluation result whose texts are redacted; null where it says neither what it judges nor how. */
export function scoreOfEvent(
  span: Pick<OtlpSpan, "traceId" | "spanId">,
  event: OtlpEvent,
  place: ScorePlace,
): StoredScore | null {
  const score = scoreOf(span, event, place.receivedAt);
  return score && toStoredScore(score, { ...place, redact: (text) => text });
}

function scoreOf(
  { traceId, spanId }: Pick<OtlpSpan, "traceId" | "spanId">,
  { attributes, time }: OtlpEvent,
  now: number,
): NewScore | null {
  const name = nearestSlug(textOf(attributes, "gen_ai.evaluation.name", LONGEST.name) ?? "");
  if (name === undefined) return null;
  const given = finite(attributes.get("gen_ai.evaluation.score.value"));
  const label = textOf(attributes, "gen_ai.evaluation.score.label", LONGEST.label);
  const error = textOf(attributes, "error.type", LONGEST.error);
  const status = error === null ? "ok" : "failed";
  if (status === "ok" && given === null && label === null) return null;
  return {
    trace_id: traceId,
    span_id: spanId,
    name,
    value: status === "ok" ? given : null,
    label,
    explanation: textOf(attributes, "gen_ai.evaluation.explanation", LONGEST.explanation),
    source: {
      kind: "code",
      evaluator: textOf(attributes, "ag.score.evaluator", LONGEST.name),
      version: textOf(attributes, "ag.score.version", LONGEST.name),
      person: null,
    },
    status,
    error,
    createdAt: time.us === 0 ? now : time.us,
    run: null,
    case: null,
    column: null,
    trial: null,
    metadata: null,
  };
}

function textOf(attributes: Attributes, key: string, longest: number): string | null {
  const value = attributes.get(key);
  return typeof value === "string" && value !== "" ? value.slice(0, longest) : null;
}

function finite(value: AttributeValue | undefined): number | null {
  if (typeof value === "boolean") return Number(value);
  const number = typeof value === "bigint" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

import type { Score, ScoreSourceKind } from "@agate/protocol";
import type { StoredScore } from "../score-store.ts";
import { traceIdOf } from "./stored-span.fixture.ts";

const EPOCH = Date.UTC(2026, 10, 1) * 1000;

/** A score as the API would hand it over. `createdAt` counts microseconds from a fixed day; it arrived a second after 1970. */
export function storedScore(
  sketch: Partial<Omit<StoredScore, "record">> & {
    explanation?: string;
    kind?: ScoreSourceKind;
  } = {},
): StoredScore {
  const { explanation = null, kind = "code", ...given } = sketch;
  const score = {
    traceId: traceIdOf(1),
    spanId: null,
    name: "helpful",
    value: 1,
    label: null,
    receivedAt: 1_000_000,
    status: "ok",
    ...given,
    createdAt: EPOCH + (given.createdAt ?? 0),
  } as const;
  const id = given.id ?? [score.traceId, score.spanId ?? "top", score.name].join("-");
  const record: Score = {
    id,
    trace_id: score.traceId,
    span_id: score.spanId,
    name: score.name,
    value: score.value,
    label: score.label,
    explanation,
    source: { kind, evaluator: null, version: null, person: null },
    status: score.status,
    error: null,
    created_at: `${new Date(Math.floor(score.createdAt / 1000)).toISOString().slice(0, -1)}${String(score.createdAt % 1000).padStart(3, "0")}Z`,
    run: null,
    case: null,
    column: null,
    trial: null,
    metadata: null,
  };
  return { ...score, id, record: JSON.stringify(record) };
}

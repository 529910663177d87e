import { isRecord } from "@agate/protocol";
import { parseSpanId, parseTraceId } from "../../../traces/span-ids.ts";
import {
  type ForeignScore,
  LONGEST,
  metadataOf,
  nameOf,
  rejected,
  textOf,
  timeOf,
  WITHOUT_RUN,
} from "./foreign-score.ts";

/** Reads a score as Langfuse's API takes it: numbers are values, texts are labels. */
export function readLangfuseScore(given: unknown): ForeignScore {
  if (!isRecord(given)) return rejected("A score must be an object.");
  const { id, traceId, observationId, value, dataType, comment } = given;
  const name = nameOf(given.name);
  if (name === undefined)
    return rejected("name must be a text of at most 64 characters, with a letter or a digit.");
  if (typeof traceId !== "string") {
    return rejected(
      "traceId is missing: Agate scores traces and spans, not sessions or dataset runs.",
    );
  }
  const trace_id = parseTraceId(traceId);
  if (trace_id === undefined) return rejected("traceId is not the id of a trace.");
  const span_id = observationId == null ? null : parseSpanId(String(observationId));
  if (span_id === undefined) return rejected("observationId is not the id of a span.");
  const judgement = judgementOf(value, dataType);
  if (judgement === undefined) return rejected("value must be a number or a text.");
  const metadata = metadataOf(given.metadata);
  if (metadata === undefined) {
    return rejected(`metadata must have at most ${LONGEST.metadata} characters as JSON.`);
  }
  const isByPerson = given.source === "ANNOTATION";
  const score = {
    trace_id,
    span_id,
    name,
    value: judgement.value,
    label: textOf(judgement.label, LONGEST.label),
    explanation: textOf(comment, LONGEST.explanation) ?? explanationOf(judgement.label),
    source: {
      kind: isByPerson ? ("human" as const) : ("code" as const),
      evaluator: null,
      version: null,
      person: null,
    },
    status: "ok" as const,
    error: null,
    createdAt: timeOf(given.timestamp),
    ...WITHOUT_RUN,
    metadata,
  };
  return { kind: "score", score, key: typeof id === "string" && id !== "" ? id : null };
}

function judgementOf(value: unknown, dataType: unknown) {
  if (typeof value === "boolean") return { value: Number(value), label: value ? "yes" : "no" };
  if (typeof value === "string" && value !== "") return { value: null, label: value };
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  if (dataType !== "BOOLEAN") return { value, label: null };
  return { value, label: value === 0 ? "no" : "yes" };
}

/** A text that a label has no room for, such as a correction. */
function explanationOf(label: string | null): string | null {
  return label !== null && label.length > LONGEST.label ? textOf(label, LONGEST.explanation) : null;
}

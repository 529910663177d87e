import { isRecord, type ScoreSourceKind } from "@agate/protocol";
import { parseSpanId, parseTraceId } from "../../../traces/span-ids.ts";
import {
  type ForeignScore,
  LONGEST,
  metadataOf,
  nameOf,
  rejected,
  textOf,
  WITHOUT_RUN,
} from "./foreign-score.ts";

const KINDS: ReadonlyMap<unknown, ScoreSourceKind> = new Map([
  ["LLM", "model"],
  ["CODE", "code"],
  ["HUMAN", "human"],
]);

/** Reads an annotation as Phoenix's API takes it. Those of spans do not name the trace. */
export function readPhoenixAnnotation(given: unknown, of: "span" | "trace"): ForeignScore {
  if (!isRecord(given)) return rejected("An annotation must be an object.");
  const name = nameOf(given.name);
  if (name === undefined)
    return rejected("name must be a text of at most 64 characters, with a letter or a digit.");
  const id = given[`${of}_id`];
  const parsed =
    typeof id !== "string" ? undefined : of === "span" ? parseSpanId(id) : parseTraceId(id);
  if (parsed === undefined) return rejected(`${of}_id is not the id of a ${of}.`);
  const kind = KINDS.get(given.annotator_kind);
  if (kind === undefined) return rejected("annotator_kind must be LLM, CODE or HUMAN.");
  const result = isRecord(given.result) ? given.result : {};
  const value =
    typeof result.score === "number" && Number.isFinite(result.score) ? result.score : null;
  const explanation = textOf(result.explanation, LONGEST.explanation);
  const label = textOf(result.label, LONGEST.label);
  if (value === null && label === null && explanation === null) {
    return rejected("result must have a score, a label or an explanation.");
  }
  const metadata = metadataOf(given.metadata);
  if (metadata === undefined) {
    return rejected(`metadata must have at most ${LONGEST.metadata} characters as JSON.`);
  }
  const score = {
    trace_id: of === "trace" ? parsed : null,
    span_id: of === "span" ? parsed : null,
    name,
    value,
    // A score has a value or a label; an explanation alone is a note.
    label: label ?? (value === null ? "note" : null),
    explanation,
    source: { kind, evaluator: null, version: null, person: null },
    status: "ok" as const,
    error: null,
    createdAt: null,
    ...WITHOUT_RUN,
    metadata,
  };
  // Phoenix knows an annotation by its place, its name and the identifier.
  const identifier = typeof given.identifier === "string" ? given.identifier : "";
  return { kind: "score", score, key: JSON.stringify([parsed, name, identifier]) };
}

import { type EvaluationScore, isRecord, shownValue } from "@agate/protocol";
import { messageOf } from "../tracing/describe-thrown.ts";
import { overloadStatus } from "./overload-status.ts";

const SKIP = Symbol.for("agate.sdk.skip");

/** What `skip` returns. */
export interface Skip {
  readonly [SKIP]: true;
  readonly reason: string;
}

/** A score with its reasons. */
export interface ScoreObject {
  /** From 0 to 1, higher is better; `true` is 1. */
  readonly value: number | boolean;
  /** A word for the value. */
  readonly label?: string | undefined;
  readonly explanation?: string | undefined;
  /** Kept with the score, such as the samples of a judge. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** What a scorer may return. Anything else is a failed score. */
export type ScorerReturn = number | boolean | ScoreObject | Skip;

/** A score. Only one that is `ok` has a value: a failed judgement is never a 0. */
export type ScoreResult = EvaluationScore;

/**
 * Says that a scorer does not apply to a case. Decide it by inputs and expectation, not by the output:
 * a skip in one column alone counts against the candidate.
 *
 * @example
 * const cites = ({ expected, output }) =>
 *   expected.source === undefined ? skip("no source expected") : output.sources.includes(expected.source);
 */
export function skip(reason: string): Skip {
  return { [SKIP]: true, reason };
}

/** The score of what a scorer returned. Never throws. */
export function toScoreResult(returned: unknown): ScoreResult {
  try {
    return read(returned);
  } catch (thrown) {
    return failedScore(thrown);
  }
}

/** The score of a scorer that threw. */
export function failedScore(thrown: unknown): ScoreResult {
  const overload = overloadStatus(thrown);
  return { status: "failed", error: messageOf(thrown), ...(overload && { overload }) };
}

function read(returned: unknown): ScoreResult {
  if (!isRecord(returned)) return { status: "ok", ...readValue(returned) };
  if (SKIP in returned) return { status: "skipped", explanation: String(returned.reason) };
  const { value, label, explanation, metadata, ...others } = returned;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new TypeError(
      `The scorer returned an object with ${shownValue(unknown)}. It takes value, label, explanation and metadata.`,
    );
  }
  return {
    status: "ok",
    ...readValue(value),
    ...(label !== undefined && { label: readText("label", label) }),
    ...(explanation !== undefined && { explanation: readText("explanation", explanation) }),
    ...(metadata !== undefined && { metadata: readMetadata(metadata) }),
  };
}

function readValue(value: unknown): { readonly value: number; readonly label?: string } {
  if (typeof value === "boolean")
    return value ? { value: 1, label: "yes" } : { value: 0, label: "no" };
  if (typeof value === "number" && value >= 0 && value <= 1) return { value };
  throw new TypeError(
    `A score must be a number from 0 to 1, true or false (got ${shownValue(value)}).`,
  );
}

function readText(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  throw new TypeError(`The ${name} of a score must be a string (got ${shownValue(value)}).`);
}

function readMetadata(value: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  throw new TypeError(`The metadata of a score must be an object (got ${shownValue(value)}).`);
}

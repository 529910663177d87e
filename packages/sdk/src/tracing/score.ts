import { slugFault } from "@agate/protocol";
import { type Attributes, type Span, trace } from "@opentelemetry/api";
import { activeContext, agateSpanIn } from "./active-context.ts";
import { currentTelemetry } from "./default-telemetry.ts";

/** A judgement of the call that is running. */
export interface CallScore {
  /** Lower-case letters and digits, with single `-`, `_` or `.` between them: `helpful`. */
  readonly name: string;
  /** `true` and `false` are 1 and 0, with the labels `yes` and `no`. */
  readonly value?: number | boolean | undefined;
  readonly label?: string | undefined;
  readonly explanation?: string | undefined;
  /** The name and the version of what has judged. */
  readonly evaluator?: string | undefined;
  readonly version?: string | undefined;
}

/**
 * Judges the running call: the score is recorded with its span, as OpenTelemetry's
 * `gen_ai.evaluation.result`. Outside a span, nothing happens.
 *
 * @example ag.score({ name: "grounded", value: sources.length > 0 })
 */
export function score(given: CallScore, span?: Span): void {
  const active = activeContext();
  const target = span ?? agateSpanIn(active) ?? trace.getSpan(active);
  if (target === undefined) return;
  const fault = scoreFault(given);
  if (fault !== undefined) currentTelemetry().fault(new TypeError(fault));
  else target.addEvent("gen_ai.evaluation.result", attributesOf(given));
}

/** Why a score cannot be recorded; undefined where it can. */
function scoreFault({ name, value, label }: CallScore): string | undefined {
  const fault = typeof name === "string" ? slugFault(name) : "it is not a text.";
  if (fault !== undefined) return `${JSON.stringify(name)} is no name of a score: ${fault}`;
  if (value === undefined && label === undefined) {
    return `The score ${name} has neither a value nor a label.`;
  }
  if (value === undefined || typeof value === "boolean" || Number.isFinite(value)) return undefined;
  return `The value of the score ${name} is no finite number, true or false.`;
}

function attributesOf(given: CallScore): Attributes {
  const { name, value, explanation, evaluator, version } = given;
  const isYes = typeof value === "boolean" ? value : undefined;
  const label = given.label ?? (isYes === undefined ? undefined : isYes ? "yes" : "no");
  return {
    "gen_ai.evaluation.name": name,
    "gen_ai.evaluation.score.value": value === undefined ? undefined : Number(value),
    "gen_ai.evaluation.score.label": label,
    "gen_ai.evaluation.explanation": explanation,
    "ag.score.evaluator": evaluator,
    "ag.score.version": version,
  };
}

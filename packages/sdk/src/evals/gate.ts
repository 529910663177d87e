import { isRecord, shownValue } from "@agate/protocol";
import { unknownOption } from "../runtime/unknown-option.ts";

/** Bounds on one score. */
export interface ScoreGate {
  /** The least mean over the cases. */
  readonly min?: number | undefined;
  /** How much worse than the baseline the candidate may be, shown by an interval. */
  readonly notWorseBy?: number | undefined;
}

/** What a run must reach to pass: all of it. */
export interface Gate<Names extends string = string> {
  readonly scores?: { readonly [Name in Names]?: ScoreGate } | undefined;
  /** The highest mean cost of a call, in US dollars. */
  readonly cost?: { readonly mean: number } | undefined;
  /** Milliseconds within which 95 of 100 calls must end. */
  readonly latency?: { readonly p95: number } | undefined;
  /** The highest share of calls that may fail. */
  readonly errors?: { readonly share: number } | undefined;
}

/** The bounds of a gate beside those on scores, and the most that each may be. */
const CALL_GATES = {
  cost: { bound: "mean", most: Number.MAX_VALUE },
  latency: { bound: "p95", most: Number.MAX_VALUE },
  errors: { bound: "share", most: 1 },
} as const;

/** What is wrong with a gate; null where nothing is. */
export function gateFault(gate: unknown, scorers: readonly string[]): string | null {
  if (!isRecord(gate)) return `The gate must be an object (got ${shownValue(gate)}).`;
  const unknown = unknownOption("The gate", gate, {
    scores: true,
    cost: true,
    latency: true,
    errors: true,
  });
  if (unknown !== null) return unknown;
  for (const [name, { bound, most }] of Object.entries(CALL_GATES)) {
    const given = gate[name];
    if (given === undefined) continue;
    if (!isRecord(given)) return `The gate's ${name} must be { ${bound}: … }.`;
    const fault = boundFault(`The gate's ${name}`, given, { [bound]: most }, true);
    if (fault !== null) return fault;
  }
  return gate.scores === undefined ? null : scoresFault(gate.scores, scorers);
}

function scoresFault(scores: unknown, scorers: readonly string[]): string | null {
  if (!isRecord(scores)) return "The gate's scores must be an object by the names of scorers.";
  const known = Object.fromEntries(scorers.map((name) => [name, true] as const));
  const unknown = unknownOption("The gate's scores", scores, known);
  if (unknown !== null) return unknown.replace("no option", "no scorer");
  for (const [name, given] of Object.entries(scores)) {
    if (given === undefined) continue;
    const what = `The gate on ${shownValue(name)}`;
    if (!isRecord(given) || Object.values(given).every((bound) => bound === undefined)) {
      return `${what} must have min, notWorseBy or both.`;
    }
    const fault = boundFault(what, given, { min: 1, notWorseBy: 1 }, false);
    if (fault !== null) return fault;
  }
  return null;
}

function boundFault(
  what: string,
  given: Readonly<Record<string, unknown>>,
  bounds: Readonly<Record<string, number>>,
  areRequired: boolean,
): string | null {
  const known = Object.fromEntries(Object.keys(bounds).map((name) => [name, true] as const));
  const unknown = unknownOption(what, given, known);
  if (unknown !== null) return unknown;
  for (const [name, most] of Object.entries(bounds)) {
    const value = given[name];
    if (value === undefined && !areRequired) continue;
    if (typeof value === "number" && value >= 0 && value <= most) continue;
    const range = most === 1 ? "from 0 to 1" : "of 0 or more";
    return `${what}: ${name} must be a number ${range} (got ${shownValue(value)}).`;
  }
  return null;
}

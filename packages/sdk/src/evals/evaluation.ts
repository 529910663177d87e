import { isRecord, shownValue } from "@agate/protocol";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { AnyRoute } from "../app/app.ts";
import { DeclarationError } from "../config/declaration-error.ts";
import { type OptionNames, unknownOption } from "../runtime/unknown-option.ts";
import { type Gate, gateFault } from "./gate.ts";
import type { InputsOf, Scorer } from "./scorer-types.ts";
import { slugFault } from "./slug-fault.ts";

/** A case that is written in the evaluation itself. */
export interface TestCase<Inputs = unknown, Expected = unknown> {
  /** Else a hash of the inputs. */
  readonly id?: string | undefined;
  readonly inputs: Inputs;
  readonly expected?: Expected | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

type Schema = StandardSchemaV1 | undefined;
type Read<S extends Schema> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<S>
  : unknown;
type Written<S extends Schema> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferInput<S>
  : unknown;

/** How a route is evaluated. */
export interface EvaluationOptions<
  R extends AnyRoute = AnyRoute,
  Expected extends Schema = Schema,
  Names extends string = string,
> {
  /** The route that is called. */
  readonly route: R;
  /** A test set by name (`golden`, `golden@3`), a file (`./cases.jsonl`, `./cases.csv`), or the cases. */
  readonly testset: string | readonly TestCase<InputsOf<R>, Written<Expected>>[];
  /** Checks and types what cases expect; without it that is `unknown`. */
  readonly expected?: Expected;
  /** By the names of their scores. */
  readonly scorers: { readonly [Name in Names]: Scorer<R, Read<Expected>> };
  /** How often each case is called: 1 unless given. */
  readonly trials?: number | undefined;
  /** How many calls run at the same time: 8 unless given. */
  readonly concurrency?: number | undefined;
  /** Milliseconds that a scorer may take: 60,000 unless given. */
  readonly scorerTimeout?: number | undefined;
  /** What a run must reach to pass. */
  readonly gate?: Gate<NoInfer<Names>> | undefined;
}

/** A declared evaluation, as a runner reads it: checked, with its defaults. */
export interface Evaluation {
  readonly name: string;
  readonly route: AnyRoute;
  readonly testset: string | readonly TestCase[];
  readonly expected: StandardSchemaV1 | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: each scorer declares which outputs it takes.
  readonly scorers: Readonly<Record<string, Scorer<any, any>>>;
  readonly trials: number;
  readonly concurrency: number;
  readonly scorerTimeout: number;
  readonly gate: Gate | undefined;
}

const MOST_TRIALS = 100;
const MOST_CONCURRENCY = 1000;
/** An hour. */
const MOST_SCORER_MS = 3_600_000;
const DEFAULTS = { trials: 1, concurrency: 8, scorerTimeout: 60_000 };

/** The evaluations of this process by name: an eval file declares them by being imported. */
const declared = new Map<string, Evaluation>();

/**
 * Declares an evaluation in a `*.eval.ts` file: which route is called with which cases, how its outputs
 * are scored, and what a run must reach.
 *
 * @throws DeclarationError that says what to write.
 *
 * @example
 * export const tickets = evaluation("tickets", {
 *   route: classify,
 *   testset: "tickets",
 *   expected: z.enum(["billing", "other"]),
 *   scorers: { right: ({ output, expected }) => output.label === expected },
 *   gate: { scores: { right: { min: 0.9, notWorseBy: 0.02 } } },
 * });
 */
export function evaluation<
  R extends AnyRoute,
  Names extends string,
  Expected extends Schema = undefined,
>(name: string, options: EvaluationOptions<R, Expected, Names>): Evaluation {
  const fault = nameFault(name) ?? optionsFault(options);
  if (fault !== null) throw new DeclarationError(`The evaluation ${shownValue(name)}: ${fault}`);
  const { route, testset, expected, scorers, gate } = options;
  const checked: Evaluation = Object.freeze({
    name,
    route,
    testset: testset as Evaluation["testset"],
    expected,
    scorers: scorers as Evaluation["scorers"],
    trials: options.trials ?? DEFAULTS.trials,
    concurrency: options.concurrency ?? DEFAULTS.concurrency,
    scorerTimeout: options.scorerTimeout ?? DEFAULTS.scorerTimeout,
    gate: gate as Gate | undefined,
  });
  declared.set(name, checked);
  return checked;
}

/** The evaluations that the eval files imported so far have declared, for a runner. */
export function declaredEvaluations(): readonly Evaluation[] {
  return [...declared.values()];
}

function nameFault(name: string): string | null {
  const fault = slugFault(name);
  if (fault !== null) return fault;
  return declared.has(name) ? "another evaluation has this name. Choose a different one." : null;
}

const OPTIONS: OptionNames<EvaluationOptions> = {
  route: true,
  testset: true,
  expected: true,
  scorers: true,
  trials: true,
  concurrency: true,
  scorerTimeout: true,
  gate: true,
};

function optionsFault(options: unknown): string | null {
  if (!isRecord(options)) return "it needs options: { route, testset, scorers }.";
  const unknown = unknownOption("It", options, OPTIONS);
  if (unknown !== null) return unknown;
  const { route, expected, scorers, gate } = options;
  if (typeof route !== "function" || typeof (route as Partial<AnyRoute>).path !== "string") {
    return "route must be a route of your application: import it from the file that declares it.";
  }
  if (expected !== undefined && !isStandardSchema(expected)) {
    return "expected must be a schema of zod, Valibot, ArkType or the like.";
  }
  return (
    testsetFault(options.testset) ??
    scorersFault(scorers) ??
    wholeFault("trials", options.trials, MOST_TRIALS) ??
    wholeFault("concurrency", options.concurrency, MOST_CONCURRENCY) ??
    wholeFault("scorerTimeout", options.scorerTimeout, MOST_SCORER_MS) ??
    (gate === undefined ? null : gateFault(gate, Object.keys(scorers as object)))
  );
}

function testsetFault(testset: unknown): string | null {
  if (typeof testset === "string" && testset !== "") return null;
  if (!Array.isArray(testset)) {
    return `testset must be a name, a file or a list of cases (got ${shownValue(testset)}).`;
  }
  if (testset.length === 0) return "testset has no cases. Add one: { inputs: … }.";
  const bad = testset.findIndex((row) => !isRecord(row) || !("inputs" in row));
  return bad === -1 ? null : `testset[${bad}] must be a case: { inputs: …, expected?: … }.`;
}

function scorersFault(scorers: unknown): string | null {
  if (!isRecord(scorers) || Object.keys(scorers).length === 0) {
    return "scorers must have at least one: { right: ({ output, expected }) => … }.";
  }
  for (const [name, scorer] of Object.entries(scorers)) {
    const fault = slugFault(name);
    if (fault !== null) return `the scorer ${shownValue(name)}: ${fault}`;
    if (typeof scorer !== "function") {
      return `the scorer ${shownValue(name)} must be a function (got ${shownValue(scorer)}).`;
    }
  }
  return null;
}

function wholeFault(name: string, value: unknown, most: number): string | null {
  if (value === undefined) return null;
  if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most) return null;
  return `${name} must be a whole number from 1 to ${most} (got ${shownValue(value)}).`;
}

function isStandardSchema(value: unknown): boolean {
  const isObject = typeof value === "object" && value !== null;
  return (isObject || typeof value === "function") && "~standard" in (value as object);
}

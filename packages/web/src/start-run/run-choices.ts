import type { Environment, NewPlatformRun, RegistryVariant } from "@agate/protocol";
import { MOST_RUN_TRIALS } from "@agate/protocol";
import type { DeclaredEvaluation } from "@agate/protocol/evaluator";
import { ApiError } from "../api/api-error.ts";
import { parseNumber } from "../design/number-box.tsx";
import { comparingGates } from "./run-plan.ts";

/** The candidate unless another is chosen. */
const USUAL_VARIANT = "default";
/** Whose variables a run gets unless another environment is chosen. */
const USUAL_ENVIRONMENT = "development";
/** Begins the ref of an earlier run. */
export const RUN_REF = "run:";

/** What the user has chosen or typed so far; what is left out has a default. */
export interface RunChoices {
  readonly evaluation?: string | undefined;
  readonly candidate?: string | undefined;
  /** Empty for none. */
  readonly baseline?: string | undefined;
  /** Empty for the evaluation's own. */
  readonly testset?: string | undefined;
  /** As typed. */
  readonly trials?: string | undefined;
  /** As typed; empty for none. */
  readonly max_cost?: string | undefined;
  readonly environment?: string | undefined;
  readonly message?: string | undefined;
}

export type RunField = keyof RunChoices;

/** The choices of the whole form. */
export type RunDraft = Readonly<Record<Exclude<RunField, "evaluation">, string>>;

export interface KnownConfigs {
  readonly variants: readonly RegistryVariant[];
  readonly environments: readonly Environment[];
}

/** The choices with their defaults. */
export function runDraft(
  choices: RunChoices,
  evaluation: DeclaredEvaluation,
  known: KnownConfigs,
): RunDraft {
  const { variants, environments } = known;
  const names = environments.map(({ slug }) => slug);
  const usual = names.includes(USUAL_ENVIRONMENT) ? USUAL_ENVIRONMENT : names[0];
  const committed = variants.filter(({ latest_revision }) => latest_revision > 0);
  const variant = committed.find(({ slug }) => slug === USUAL_VARIANT) ?? committed[0];
  return {
    candidate: choices.candidate ?? variant?.slug ?? USUAL_VARIANT,
    baseline: choices.baseline ?? usualBaseline(evaluation, environments),
    testset: choices.testset ?? "",
    trials: choices.trials ?? String(evaluation.trials),
    max_cost: choices.max_cost ?? "",
    environment: choices.environment ?? usual ?? USUAL_ENVIRONMENT,
    message: choices.message ?? "",
  };
}

/** A gate that compares needs a baseline: what is live, by default. */
function usualBaseline(
  evaluation: DeclaredEvaluation,
  environments: readonly Environment[],
): string {
  if (comparingGates(evaluation.gate).length === 0) return "";
  const live = environments.filter(({ deployment }) => deployment !== null);
  const usual = live.find(({ is_default }) => is_default) ?? live[0];
  return usual === undefined ? "" : `env:${usual.slug}`;
}

/** What is wrong with a field, by field. */
export type RunProblems = Readonly<Partial<Record<RunField, string>>>;

export type CheckedDraft =
  | { readonly kind: "valid"; readonly start: NewPlatformRun }
  | { readonly kind: "invalid"; readonly problems: RunProblems };

/** The request of a draft, or what the page finds wrong in it. */
export function checkDraft(draft: RunDraft, id: string): CheckedDraft {
  const trials = parseNumber(draft.trials);
  const cost = draft.max_cost.trim() === "" ? null : parseNumber(draft.max_cost);
  const isTrials =
    trials !== undefined && Number.isInteger(trials) && trials >= 1 && trials <= MOST_RUN_TRIALS;
  const isCost = cost === null || (cost !== undefined && cost > 0);
  const isCandidate = draft.candidate !== RUN_REF;
  const isBaseline = draft.baseline !== RUN_REF;
  if (!isTrials || !isCost || !isCandidate || !isBaseline) {
    return {
      kind: "invalid",
      problems: {
        ...(!isCandidate && { candidate: "Choose a run." }),
        ...(!isTrials && { trials: `Must be a whole number from 1 to ${MOST_RUN_TRIALS}.` }),
        ...(!isCost && { max_cost: "Must be a number above 0." }),
        ...(!isBaseline && { baseline: "Choose a run." }),
      },
    };
  }
  const { candidate, baseline, environment, testset } = draft;
  const message = draft.message.trim();
  return {
    kind: "valid",
    start: {
      id,
      candidate,
      environment,
      trials,
      ...(baseline !== "" && { baseline }),
      ...(testset !== "" && { testset }),
      ...(cost !== null && { max_cost: cost }),
      ...(message !== "" && { message }),
    },
  };
}

const FIELDS: ReadonlySet<string | number> = new Set<RunField>([
  "evaluation",
  "candidate",
  "baseline",
  "testset",
  "trials",
  "max_cost",
  "environment",
  "message",
]);

/** What the platform found wrong, by field; empty where it rejects the request as a whole. */
export function rejectedFields(error: Error | null): RunProblems {
  if (!(error instanceof ApiError)) return {};
  const problems = error.detail.map(({ loc, msg }) => {
    const field = loc.find((part) => FIELDS.has(part));
    return field === undefined ? null : ([field, msg] as const);
  });
  // A problem that has no field would not be shown beside those that have one.
  return problems.includes(null)
    ? {}
    : Object.fromEntries(problems.flatMap((each) => (each === null ? [] : [each])));
}

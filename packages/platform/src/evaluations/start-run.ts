import {
  MOST_RUN_CASES,
  MOST_RUN_ITEMS,
  type NewPlatformRun,
  type Run,
  shownValue,
} from "@agate/protocol";
import type { DeclaredEvaluation } from "@agate/protocol/evaluator";
import type { ApplicationRef, Registry } from "../registry/registry.ts";
import type { RegistryOutcome } from "../registry/registry-outcome.ts";
import { done, refused } from "../registry/registry-outcome.ts";
import type { EvaluatedBuild, Evaluators } from "./evaluators.ts";
import { pinScorers } from "./pin-scorers.ts";
import { type ResolvedColumn, resolveColumn } from "./resolve-column.ts";
import { pinCases } from "./run-cases.ts";

export interface StartRunParts {
  readonly registry: Registry;
  readonly evaluators: Evaluators;
}

const DEFAULT_ENVIRONMENT = "development";

/**
 * Creates a run that the platform carries out. Columns, cases and scorers are pinned here: a deploy, a
 * commit or a changed test set changes nothing in it afterwards.
 */
export async function startRun(
  parts: StartRunParts,
  ref: ApplicationRef,
  name: string,
  asked: NewPlatformRun,
  by: string,
): Promise<RegistryOutcome<Run>> {
  const { registry } = parts;
  const found = await registry.applications.get(ref);
  if (found.kind === "refused") return found;
  const { id: applicationId, slug } = found.value;
  const request = { application: applicationId, evaluation: name, ...asked };
  if (asked.id !== undefined) {
    const earlier = await registry.runs.earlier({ project: ref.project, run: asked.id }, request);
    if (earlier !== undefined) return earlier;
  }
  const application = { project: ref.project, application: { id: applicationId, slug } };
  const scoring = await scoringCode(parts, ref, application, name, asked);
  if (scoring.kind === "refused") return scoring;
  const { code, evaluation, candidate } = scoring.value;
  const environment = await registry.environments.get(
    ref,
    asked.environment ?? DEFAULT_ENVIRONMENT,
  );
  if (environment.kind === "refused") return environment;
  const baseline = asked.baseline
    ? await resolveColumn({ registry, ref, slug, code }, { name: "baseline", ref: asked.baseline })
    : null;
  if (baseline?.kind === "refused") return baseline;
  const scorers = await pinScorers(registry, ref, evaluation, asked.scorers_revision);
  if (scorers.kind === "refused") return scorers;
  const pinned = await pinCases(parts, code, evaluation, asked.testset ?? evaluation.testset);
  if (pinned.kind === "refused") return pinned;
  const columns = [candidate, ...(baseline === null ? [] : [baseline.value])];
  const trials = asked.trials ?? evaluation.trials;
  const tooLarge = sizeProblem(pinned.value.count, trials * columns.length);
  if (tooLarge !== undefined) return tooLarge;
  return registry.runs.create(
    ref.project,
    {
      id: asked.id ?? null,
      application: slug,
      evaluation: evaluation.name,
      runner: "platform",
      testset: pinned.value.testset,
      scorers: scorers.value.scorers.map(({ name: scorer, version, kind }) => ({
        name: scorer,
        version,
        kind,
      })),
      scorers_revision: scorers.value.revision,
      trials,
      columns: columns.map(({ build, ...column }) => ({ ...column, build: build?.id ?? null })),
      gate: evaluation.gate ?? {},
      commit: await commitOf(registry, ref, candidate.build ?? code.build),
      message: asked.message ?? "",
      seed: null,
      plan: {
        cases: pinned.value.count,
        concurrency: asked.concurrency ?? evaluation.concurrency,
        max_cost: asked.max_cost ?? null,
        environment: environment.value.slug,
        environment_id: environment.value.id,
        build: code.build && { id: code.build.id, number: code.build.number },
      },
      asked: request,
    },
    by,
  );
}

interface ScoringCode {
  readonly code: EvaluatedBuild;
  readonly evaluation: DeclaredEvaluation;
  readonly candidate: ResolvedColumn;
}

/**
 * The code whose scorers judge all columns: the build that was asked for, else the candidate's where it
 * has the evaluation, else the newest with eval files.
 */
async function scoringCode(
  { registry, evaluators }: StartRunParts,
  ref: ApplicationRef,
  application: Pick<EvaluatedBuild, "project" | "application">,
  name: string,
  { build, candidate: column = "default" }: NewPlatformRun,
): Promise<RegistryOutcome<ScoringCode>> {
  const chosen = await chosenCode({ registry, evaluators }, ref, application, build);
  if (chosen.kind === "refused") return chosen;
  const { slug } = application.application;
  const candidate = await resolveColumn(
    { registry, ref, slug, code: chosen.value },
    { name: "candidate", ref: column },
  );
  if (candidate.kind === "refused") return candidate;
  const own = candidate.value.build;
  if (build === undefined && own !== null && own.id !== chosen.value?.build?.id) {
    const code = { ...application, build: own };
    const described = await evaluators.describe(code);
    const evaluation =
      described.kind === "described" && described.evaluations.find((each) => each.name === name);
    if (evaluation) return done({ code, evaluation, candidate: candidate.value });
  }
  if (chosen.value === undefined) {
    const msg =
      "No build of this application has eval files. Write one (quality.eval.ts), then deploy with agate deploy.";
    return refused({ type: "evaluations_missing", loc: ["path", "evaluation"], msg });
  }
  const code = chosen.value;
  const evaluation = await declaredIn(evaluators, code, name);
  return evaluation.kind === "refused"
    ? evaluation
    : done({ code, evaluation: evaluation.value, candidate: candidate.value });
}

async function chosenCode(
  { registry, evaluators }: StartRunParts,
  ref: ApplicationRef,
  application: Pick<EvaluatedBuild, "project" | "application">,
  build: number | undefined,
): Promise<RegistryOutcome<EvaluatedBuild | undefined>> {
  if (build === undefined) return done(await evaluators.newest(application));
  const found = await registry.builds.get(ref, String(build));
  if (found.kind === "refused") {
    return refused({ ...found.problems[0], loc: ["body", "build"] });
  }
  const { id, number, kind, status } = found.value;
  if (kind !== "hosted" || status === "starting" || status === "refused") {
    const msg = `Build ${number} can't be run here: it ${kind !== "hosted" ? "runs elsewhere" : `is ${status}`}.`;
    return refused({ type: "run_invalid", loc: ["body", "build"], msg });
  }
  return done({ ...application, build: { id, number } });
}

async function declaredIn(
  evaluators: Evaluators,
  code: EvaluatedBuild,
  name: string,
): Promise<RegistryOutcome<DeclaredEvaluation>> {
  const described = await evaluators.describe(code);
  const what = code.build === null ? "The project" : `Build ${code.build.number}`;
  if (described.kind === "failed") {
    const loc = ["path", "evaluation"];
    if (described.cause === "no-room") {
      return refused({ type: "no_room", loc, msg: described.reason });
    }
    const msg = [
      `The eval files of ${code.build === null ? "the project" : `build ${code.build.number}`} can't be read: ${described.reason}`,
      ...described.log,
    ].join("\n");
    return refused({ type: "build_unusable", loc, msg });
  }
  const evaluation = described.evaluations.find((each) => each.name === name);
  if (evaluation !== undefined) return done(evaluation);
  const names = described.evaluations.map((each) => each.name);
  const others =
    names.length === 0
      ? `${what} declares none: deploy one that does.`
      : `${what} declares ${names.join(", ")}.`;
  const msg = `No evaluation ${shownValue(name)}. ${others}`;
  return refused({ type: "evaluation_not_found", loc: ["path", "evaluation"], msg });
}

function sizeProblem(cases: number, perCase: number): RegistryOutcome<never> | undefined {
  const items = cases * perCase;
  if (cases > MOST_RUN_CASES) {
    const msg = `A run has at most ${MOST_RUN_CASES} cases (this would be ${cases}).`;
    return refused({ type: "run_invalid", loc: ["body", "testset"], msg });
  }
  if (items <= MOST_RUN_ITEMS) return undefined;
  const msg = `A run has at most ${MOST_RUN_ITEMS} calls (${cases} cases × ${perCase} would be ${items}). Use fewer trials or cases.`;
  return refused({ type: "run_invalid", loc: ["body", "trials"], msg });
}

async function commitOf(
  { builds }: Registry,
  ref: ApplicationRef,
  build: { readonly id: string } | null,
): Promise<string | null> {
  if (build === null) return null;
  const found = await builds.get(ref, build.id);
  return found.kind === "done" ? found.value.commit : null;
}

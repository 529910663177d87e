import type { Run, RunColumn } from "@agate/protocol";
import { BASELINE_COLUMN } from "@agate/protocol";
import type { RunPreset } from "../start-run/start-run-dialog.tsx";

/** The form's choices for a run like this one; null for a run that the platform cannot start. */
export function sameAgain(run: Run): RunPreset | null {
  const { plan } = run;
  const [candidate, ...others] = run.columns;
  if (run.runner !== "platform" || candidate === undefined) return null;
  const baseline = others.find(({ name }) => name === BASELINE_COLUMN);
  const { kind, name, revision } = run.testset;
  const isSet = kind === "testset" && name !== null && revision !== null;
  return {
    application: run.application,
    evaluation: run.evaluation,
    candidate: sourceOf(candidate),
    baseline: baseline === undefined ? "" : sourceOf(baseline),
    ...(isSet && { testset: `${name}@${revision}` }),
    trials: String(run.trials),
    max_cost: plan?.max_cost ? String(plan.max_cost) : "",
    environment: plan?.environment,
    message: run.message,
  };
}

/** A variant with the revision that was called; an environment or a run as it was asked for. */
function sourceOf({ ref, variant, revision }: RunColumn): string {
  const isPinned = variant !== null && revision !== null && !/^(?:env|run):/.test(ref);
  return isPinned ? `${variant}@${revision}` : ref;
}

import type { ScorerConfigs } from "@agate/protocol";
import {
  configureScorers,
  type DeclaredEvaluation,
  type ScorerIdentity,
} from "@agate/protocol/evaluator";
import type { ApplicationRef, Registry } from "../registry/registry.ts";
import type { RegistryOutcome } from "../registry/registry-outcome.ts";
import { done, refused } from "../registry/registry-outcome.ts";

/** Scorers with the configurations of a revision. */
export interface PinnedScorers {
  /** Null: the code's own defaults. */
  readonly revision: number | null;
  readonly configs: ScorerConfigs;
  /** With the versions that follow from it. */
  readonly scorers: readonly ScorerIdentity[];
}

const LOC = ["body", "scorers_revision"];

/**
 * Pins the scorers of an evaluation to a revision of their configurations.
 *
 * @param wanted Undefined: the newest, where any scorer can be configured.
 */
export async function pinScorers(
  { scorers: revisions }: Pick<Registry, "scorers">,
  ref: ApplicationRef,
  { name, scorers }: Pick<DeclaredEvaluation, "name" | "scorers">,
  wanted: number | undefined,
): Promise<RegistryOutcome<PinnedScorers>> {
  const defaults = done({ revision: null, configs: {}, scorers });
  const isConfigurable = scorers.some(({ config }) => config !== undefined);
  if (wanted === undefined && !isConfigurable) return defaults;
  const found = await revisions.get(ref, wanted ?? null);
  if (found.kind === "refused") {
    return wanted === undefined ? defaults : refused({ ...found.problems[0], loc: LOC });
  }
  const { revision, configs } = found.value;
  const configured = configureScorers(scorers, configs);
  if (configured.faults.length === 0) {
    return done({ revision, configs, scorers: configured.scorers });
  }
  const msg = [
    `Revision ${revision} of the scorers' configurations does not fit the evaluation ${name}. Commit another one, or name an earlier one.`,
    ...configured.faults,
  ].join("\n");
  return refused({ type: "run_invalid", loc: LOC, msg });
}

import type { ScorersRevision } from "@agate/protocol";
import { configureScorers, type DeclaredEvaluation } from "@agate/protocol/evaluator";
import { apiPath } from "../api-client/api-client.ts";
import { ApiFailure } from "../api-client/api-failure.ts";
import { EvalFailure } from "./eval-failure.ts";
import type { PinnedScorers } from "./kept-run.ts";
import type { EvalPlatform } from "./report-run.ts";

export interface ScorersPlace {
  readonly platform: EvalPlatform | undefined;
  /** What `--scorers` says. */
  readonly wanted: number | undefined;
  /** What the run that is resumed has; undefined for a new one. */
  readonly pinned: number | null | undefined;
  readonly note: (sentence: string) => void;
}

const DEFAULTS: PinnedScorers = { revision: null, configs: {} };

/**
 * Pins an evaluation to a revision of the scorers' configurations: the one that is asked for, else the
 * newest. Its scorers have the versions that follow from it.
 *
 * @throws EvalFailure where there is no such revision, or a value of it does not fit.
 */
export async function pinScorers(
  evaluation: DeclaredEvaluation,
  { platform, wanted, pinned, note }: ScorersPlace,
): Promise<{ readonly evaluation: DeclaredEvaluation; readonly scorers: PinnedScorers }> {
  if (platform === undefined) {
    if (wanted !== undefined) {
      throw new EvalFailure("--scorers is a revision of a platform. Set AGATE_BASE_URL.");
    }
    return { evaluation, scorers: DEFAULTS };
  }
  const configurable = evaluation.scorers.some(({ config }) => config !== undefined);
  const revision = pinned === undefined ? (wanted ?? "latest") : pinned;
  if (revision === null || (!configurable && wanted === undefined)) {
    return { evaluation, scorers: DEFAULTS };
  }
  const found = await readRevision(platform, evaluation.application, revision);
  if (found === undefined) return { evaluation, scorers: DEFAULTS };
  const { scorers, faults, ignored } = configureScorers(evaluation.scorers, found.configs);
  if (faults.length > 0) {
    throw new EvalFailure(
      `Revision ${found.revision} of the scorers' configurations does not fit the evaluation ${evaluation.name}. Nothing was called. Commit another one with agate scorers commit, or pass --scorers for an earlier one.`,
      faults,
    );
  }
  for (const field of ignored) {
    note(`scorers@${found.revision} sets ${field}, which this code does not have. It is ignored.`);
  }
  if (wanted === undefined && pinned === undefined) {
    note(`${evaluation.name}: scorers have the configurations of scorers@${found.revision}.`);
  }
  const { configs } = found;
  return {
    evaluation: { ...evaluation, scorers },
    scorers: { revision: found.revision, configs },
  };
}

/** Undefined where the latest is asked for, and none is committed. */
async function readRevision(
  { api, describe }: EvalPlatform,
  application: string,
  revision: number | "latest",
): Promise<ScorersRevision | undefined> {
  try {
    const path = apiPath`/registry/applications/${application}/scorers/${String(revision)}`;
    return (await api.get<ScorersRevision>(path)).value;
  } catch (error) {
    const isMissing =
      error instanceof ApiFailure && error.why.kind === "refused" && error.why.status === 404;
    if (!isMissing) throw error;
    if (revision === "latest") return undefined;
    throw new EvalFailure(`--scorers ${revision}: ${describe(error)}`);
  }
}

import { setTimeout as delay } from "node:timers/promises";
import type { Run, RunColumn } from "@agate/protocol";
import type { CheckFault, DeclaredEvaluation } from "@agate/protocol/evaluator";
import type { Registry } from "../registry/registry.ts";
import { done } from "../registry/registry-outcome.ts";
import { stopReason } from "../registry/runs/cost-stop.ts";
import type { RunRef } from "../registry/runs/run-registry.ts";
import { CostCeiling } from "./cost-ceiling.ts";
import { createPerformer, type PerformedColumn } from "./create-performer.ts";
import { registeredOutputs } from "./earlier-outputs.ts";
import type { EvaluatedBuild, Evaluators } from "./evaluators.ts";
import { pinScorers } from "./pin-scorers.ts";
import type { ResultsPlace } from "./record-results.ts";
import { STORED } from "./resolve-column.ts";
import { pinCases } from "./run-cases.ts";
import { LEASE_MS, RunExchange } from "./run-exchange.ts";
import { runItems } from "./run-items.ts";
import { EvaluatorFailed, NoRoomHere, RunProcesses } from "./run-processes.ts";
import { ScoreWriter } from "./score-writer.ts";

export interface CarryOutParts extends ResultsPlace {
  readonly registry: Pick<Registry, "runs" | "testSets" | "applications" | "scorers">;
  readonly evaluators: Evaluators;
  readonly onStoreUnavailable: (reason: string) => void;
}

/** The part of one server in a run. */
export interface RunPart {
  readonly ref: RunRef;
  /** The token of this server's leases. */
  readonly worker: string;
  /** Aborted when the run has ended, or the server shuts down: running calls are broken off. */
  readonly signal: AbortSignal;
  /** To be called when the run was found to have ended. */
  readonly onEnded: () => void;
}

/** What became of a server's part in a run. */
export type PartEnd =
  /** The run has ended, or others finish it. */
  | { readonly kind: "done" }
  /** This server has no room for its processes now: it is left to others, until later. */
  | { readonly kind: "postponed"; readonly reason: string };

/** Why a run cannot be carried out. The message becomes the run's reason. */
class RunFailed extends Error {
  override readonly name = "RunFailed";
}

/** Faults of cases that a reason lists. */
const MOST_FAULTS = 10;

const wait = (milliseconds: number, signal?: AbortSignal) =>
  delay(milliseconds, undefined, signal && { signal }).catch(() => {});

/**
 * Carries a run out, together with the other servers: loads its cases, calls and scores the items that
 * this server leases, and ends it. What a server that was killed has left undone, another does.
 *
 * @throws Error where the registry or the store cannot be used: the run is to be taken up again.
 */
export async function carryOutRun(parts: CarryOutParts, part: RunPart): Promise<PartEnd> {
  const { runs } = parts.registry;
  const { ref, signal } = part;
  try {
    await carryOut(parts, part);
  } catch (error) {
    // What was broken off is not the run's fault.
    if (signal.aborted) return { kind: "done" };
    if (error instanceof NoRoomHere) return { kind: "postponed", reason: error.message };
    if (!(error instanceof RunFailed || error instanceof EvaluatorFailed)) throw error;
    await runs.end(ref, { status: "failed", reason: error.message });
  }
  return { kind: "done" };
}

async function carryOut(parts: CarryOutParts, part: RunPart): Promise<void> {
  const { registry } = parts;
  const { ref, worker, signal } = part;
  // The other servers see that it is being worked on.
  const most = { id: worker, most: 1 };
  const joined = await registry.runs.lease(ref, { count: 0, ms: LEASE_MS, worker: most });
  if (joined.kind === "refused") return part.onEnded();
  const { run } = joined.value;
  if (run.plan === null) return;
  const code = await scoringCode(registry, ref, run);
  const evaluation = await declaredEvaluation(parts.evaluators, code, run);
  const environment = run.plan.environment_id ?? run.plan.environment;
  const application = { project: code.project, application: code.application };
  await using processes = new RunProcesses({
    evaluators: parts.evaluators,
    application,
    environment,
    run: ref.run,
    signal,
  });
  // Before the processes end, which may take seconds: another server takes the items at once.
  await using _leases = { [Symbol.asyncDispose]: () => registry.runs.release(ref, worker) };
  await processes.start(buildsOf(run));
  if (run.cases < run.plan.cases)
    await loadCases(parts, part, { code, run, evaluation, processes });
  const { end } = await callItems(parts, part, { run, evaluation, processes });
  if (signal.aborted) return;
  switch (end?.kind) {
    case "complete":
      await registry.runs.end(ref, { status: "finished" });
      return;
    case "ceiling":
      await registry.runs.end(ref, { status: "stopped", reason: stopReason(end.stop) });
      return;
    default:
      return;
  }
}

async function scoringCode(
  { applications }: Pick<Registry, "applications">,
  { project }: RunRef,
  { application, plan }: Run,
): Promise<EvaluatedBuild> {
  const found = await applications.get({ project, application });
  if (found.kind === "refused") throw new RunFailed(found.problems[0].msg);
  const { id, slug } = found.value;
  return { project, application: { id, slug }, build: plan?.build ?? null };
}

async function declaredEvaluation(
  evaluators: Evaluators,
  code: EvaluatedBuild,
  { id, evaluation: name, scorers, scorers_revision }: Run,
): Promise<DeclaredEvaluation> {
  const described = await evaluators.describe(code, id);
  if (described.kind === "failed") {
    if (described.cause === "no-room") throw new NoRoomHere(described.reason);
    throw new RunFailed(
      [`The eval files can't be read: ${described.reason}`, ...described.log].join("\n"),
    );
  }
  const evaluation = described.evaluations.find((each) => each.name === name);
  if (evaluation === undefined)
    throw new RunFailed(`The eval files declare no evaluation ${name}.`);
  // Of `agate dev`, which was restarted: a run is judged by one version of each scorer.
  const isSame = scorers.every(({ name: scorer, version }) =>
    evaluation.scorers.some((each) => each.name === scorer && each.version === version),
  );
  if (code.build === null && scorers_revision === null && !isSame) {
    throw new RunFailed("The eval files have changed since the run began. Start another run.");
  }
  return evaluation;
}

/** The scorers' build first; each once. */
function buildsOf({ plan, columns }: Run): readonly RunColumn["build"][] {
  const called = columns.filter(({ ref }) => !isStored(ref)).map(({ build }) => build);
  const all = [plan?.build ?? null, ...called];
  return [...new Map(all.map((build) => [build?.id, build])).values()];
}

function isStored(ref: string): boolean {
  return ref.startsWith(STORED);
}

interface PreparedRun {
  readonly run: Run;
  readonly evaluation: DeclaredEvaluation;
  readonly processes: RunProcesses;
}

/**
 * Checks the cases and adds them to the run. Several servers may do so at once, and one may go on where
 * another was killed: the first case of an id stays.
 */
async function loadCases(
  parts: CarryOutParts,
  { ref, signal }: RunPart,
  { code, run, evaluation, processes }: PreparedRun & { readonly code: EvaluatedBuild },
): Promise<void> {
  const { kind, name, revision } = run.testset;
  const testset = kind === "testset" ? `${name}@${revision}` : (name ?? evaluation.testset);
  const pinned = await pinCases(parts, code, evaluation, testset);
  if (pinned.kind === "refused") throw new RunFailed(pinned.problems[0].msg);
  const loaded = new Set<string>();
  for await (const batch of pinned.value.batches()) {
    signal.throwIfAborted();
    const faults = await processes.use(code.build, (client) =>
      client.check(evaluation.name, batch),
    );
    if (faults.length > 0) throw new RunFailed(faultsReason(faults));
    const added = await parts.registry.runs.addCases(ref, batch);
    // It was ended meanwhile, which is noticed when items are leased.
    if (added.kind === "refused" && added.problems[0].type === "run_ended") return;
    if (added.kind === "refused") throw new RunFailed(added.problems[0].msg);
    for (const { id } of batch) loaded.add(id);
  }
  const expected = run.plan?.cases ?? 0;
  if (loaded.size === expected) return;
  throw new RunFailed(
    `The test set had ${expected} cases when the run was started, and has ${loaded.size} now. Start another run.`,
  );
}

function faultsReason(faults: readonly CheckFault[]): string {
  const shown = faults
    .slice(0, MOST_FAULTS)
    .map(({ id, path, msg }) => `case ${id}, ${path.join(".")}: ${msg}`);
  const rest = faults.length - shown.length;
  return [
    "Cases do not fit the evaluation. Nothing was called.",
    ...shown,
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ].join("\n");
}

async function callItems(
  parts: CarryOutParts,
  { ref, worker, signal, onEnded }: RunPart,
  { run, evaluation, processes }: PreparedRun,
): Promise<RunExchange> {
  const concurrency = run.plan?.concurrency ?? 1;
  const scorers = run.plan?.build ?? null;
  const { project } = ref;
  const application = { project, application: run.application };
  const wanted = run.scorers_revision ?? undefined;
  const pinned = wanted
    ? await pinScorers(parts.registry, application, evaluation, wanted)
    : done({ configs: {}, scorers: evaluation.scorers });
  if (pinned.kind === "refused") throw new RunFailed(pinned.problems[0].msg);
  const columns = await Promise.all(
    run.columns.map(async (column) => [
      column.name,
      await performedColumn(parts, ref, { run, evaluation, processes }, column),
    ]),
  );
  const performer = createPerformer({
    scorer: {
      score: (name, given) => processes.use(scorers, (client) => client.score(name, given)),
    },
    // Of the versions that the run is pinned to.
    evaluation: { ...evaluation, scorers: pinned.value.scorers },
    configs: pinned.value.configs,
    run: run.id,
    columns: Object.fromEntries(columns),
  });
  const scores = new ScoreWriter({ ...parts, ref, wait });
  const exchange = new RunExchange({
    ...parts,
    ref,
    worker,
    concurrency,
    scores,
    onEnded,
    signal,
    wait,
  });
  try {
    await runItems(exchange, {
      performer,
      concurrency,
      scorers: evaluation.scorers.map(({ name }) => name),
      // The registry stops leases at the ceiling: it knows what all servers have spent.
      ceiling: new CostCeiling(undefined),
      onResult: (result) => exchange.add(result),
      signal,
      random: Math.random,
      wait,
    });
  } finally {
    await exchange.close();
  }
  return exchange;
}

async function performedColumn(
  { registry }: CarryOutParts,
  { project }: RunRef,
  { run, evaluation, processes }: PreparedRun,
  { ref, build, variant, variant_id, revision }: RunColumn,
): Promise<PerformedColumn> {
  if (isStored(ref)) {
    const earlier = { project, run: ref.slice(STORED.length) };
    return { kind: "stored", ref, outputs: await registeredOutputs(registry.runs, earlier) };
  }
  const target =
    variant === null
      ? ({ by: "code" } as const)
      : ({
          by: "variant",
          slug: variant,
          id: variant_id,
          revision: revision ?? undefined,
        } as const);
  return {
    kind: "called",
    ref,
    hasTraces: true,
    call: ({ case: row, trial }) => {
      const item = { run: run.id, case: row.id, trial, column: ref };
      return processes.use(build, (client) =>
        client.call(evaluation.route, row.inputs, item, target),
      );
    },
  };
}

import type { DeployResult, DeployStep } from "@agate/protocol";
import type { LeaseToken } from "../../registry/deploy-leases.ts";
import type { PinnedChange } from "../../registry/deployment-change.ts";
import type { Deployments } from "../../registry/registry.ts";
import { secondsSince } from "../builds/modules-store.ts";
import type { DeployProgress } from "../deployer.ts";
import type { Drain } from "../processes/draining-processes.ts";
import type { StartedBuild } from "../processes/started-build.ts";
import type { EnvironmentHost, StartableBuild } from "./host.ts";
import { type BuildLocation, type Refusal, refuse, refusedByRegistry } from "./refusal.ts";

export interface ActivationContext {
  readonly deployments: Deployments;
  readonly host: EnvironmentHost;
  readonly signal: AbortSignal;
  readonly leases: readonly LeaseToken[];
}

/** A build whose files and packages are there, to be made live. */
export interface Candidate {
  readonly build: StartableBuild;
  readonly change: PinnedChange;
  /** Where the request names the build. */
  readonly loc: BuildLocation;
}

/** A build that receives the environment's requests. */
export interface ActivatedBuild {
  readonly kind: "activated";
  readonly result: DeployResult;
  /** The requests of the previous build. */
  readonly drain: Drain;
}

/**
 * Starts and checks a build, and switches requests to it. If any step refuses it, what was live before
 * keeps serving. The environment is locked.
 */
export async function activateBuild(
  context: ActivationContext,
  candidate: Candidate,
  progress: DeployProgress,
): Promise<ActivatedBuild | Refusal> {
  const { host, signal } = context;
  const { build, loc } = candidate;
  const startDone = beginStep(progress, "start");
  const started = await host.start(build, signal);
  if (started.kind === "failed") {
    const type = started.cause === "no-room" ? "no_room" : "build_unusable";
    const msg = type === "no_room" ? started.reason : `The build cannot be used. ${started.reason}`;
    return refuse(type, loc, msg, started.log);
  }
  startDone();
  let outcome: ActivatedBuild | Refusal | undefined;
  try {
    outcome = await checkAndSwitch(context, candidate, started, progress);
    return outcome;
  } finally {
    if (outcome?.kind !== "activated") await started.stop(0);
  }
}

async function checkAndSwitch(
  { deployments, host, signal, leases }: ActivationContext,
  { build, change, loc }: Candidate,
  started: StartedBuild,
  progress: DeployProgress,
): Promise<ActivatedBuild | Refusal> {
  const { project, application } = host.environment;
  // By id: the application may be renamed during the deploy.
  const ref = { project, application: application.id };
  const { openapi } = started;
  const checked = beginStep(progress, "check");
  const check = await deployments.check(ref, change, openapi);
  if (check.kind === "refused") return refusedByRegistry(check, loc);
  const { routes } = check.value;
  checked(routes.length === 1 ? "1 route" : `${routes.length} routes`);

  const switched = beginStep(progress, "switch");
  signal.throwIfAborted();
  // The registry first: after a crash between the two, it decides which build is started.
  const live = await deployments.apply(ref, change, { openapi, leases });
  if (live.kind === "refused") return refusedByRegistry(live, loc);
  const { since, ...activated } = live.value;
  const drain = host.switchTo({ ...build, since }, started);
  switched();
  const { id, slug } = host.environment.application;
  const result = { application: { id, slug }, ...activated, missing_variables: [] };
  return { kind: "activated", result, drain };
}

/** Reports that a step has begun. @returns reports that it is done; without a detail, with its duration. */
export function beginStep(progress: DeployProgress, step: DeployStep): (detail?: string) => void {
  const started = performance.now();
  progress.begun(step, "");
  return (detail = secondsSince(started)) => progress.done(step, detail);
}

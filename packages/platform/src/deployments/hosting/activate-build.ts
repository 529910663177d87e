import type { DeployResult, DeployStep } from "@agate/protocol";
import type { Builds, DeployLockToken, DeployTarget } from "../../registry/registry.ts";
import { secondsSince } from "../builds/modules-store.ts";
import type { DeployProgress } from "../deployer.ts";
import type { Drain } from "../processes/draining-processes.ts";
import type { StartedBuild } from "../processes/started-build.ts";
import type { BuildRunner } from "./build-runner.ts";
import type { ApplicationHost, StartableBuild } from "./host.ts";
import { type BuildLocation, type Refusal, refuse, refusedByRegistry } from "./refusal.ts";

export interface ActivationContext {
  readonly builds: Builds;
  readonly runner: Pick<BuildRunner, "install">;
  readonly host: ApplicationHost;
  readonly signal: AbortSignal;
  readonly token: DeployLockToken;
}

/** A stored build to activate. */
export interface Candidate {
  readonly build: StartableBuild;
  readonly needsPackages: boolean;
  readonly target: DeployTarget | null;
  /** Where the request names the build. */
  readonly loc: BuildLocation;
}

/** A build that receives the application's requests. */
export interface ActivatedBuild {
  readonly kind: "activated";
  readonly result: DeployResult;
  /** The requests of the previous build. */
  readonly drain: Drain;
}

/**
 * Installs, starts and checks a build, and switches requests to it. If any step refuses it, the
 * previous build keeps serving.
 */
export async function activateBuild(
  context: ActivationContext,
  candidate: Candidate,
  progress: DeployProgress,
): Promise<ActivatedBuild | Refusal> {
  const { runner, host, signal } = context;
  const { build, loc } = candidate;
  const installed = await installPackages(runner, candidate, progress);
  if (installed !== undefined) return installed;

  const started = beginStep(progress, "start");
  const process = await host.start(build, signal);
  if (process.kind === "failed") {
    if (process.cause === "no-room") return refuse("no_room", loc, process.reason);
    const msg = `The build cannot be used. ${process.reason}`;
    return refuse("build_unusable", loc, msg, process.log);
  }
  started();
  let outcome: ActivatedBuild | Refusal | undefined;
  try {
    outcome = await checkAndSwitch(context, candidate, process, progress);
    return outcome;
  } finally {
    if (outcome?.kind !== "activated") await process.stop(0);
  }
}

async function installPackages(
  runner: Pick<BuildRunner, "install">,
  { build, needsPackages, loc }: Candidate,
  progress: DeployProgress,
): Promise<Refusal | undefined> {
  const installed = beginStep(progress, "install");
  if (!needsPackages) {
    installed("nothing to install");
    return undefined;
  }
  const install = await runner.install(build);
  if (install.kind === "failed") {
    const msg = `The packages of the build could not be installed: ${install.reason}`;
    return refuse("install_failed", loc, msg, install.log);
  }
  installed(install.detail);
  return undefined;
}

async function checkAndSwitch(
  { builds, host, signal, token }: ActivationContext,
  { build, target, loc }: Candidate,
  process: StartedBuild,
  progress: DeployProgress,
): Promise<ActivatedBuild | Refusal> {
  const { project, id } = host.application;
  // By id: the application may be renamed during the deploy.
  const ref = { project, application: id };
  const checked = beginStep(progress, "check");
  const check = await builds.check(ref, process.openapi, target);
  if (check.kind === "refused") return refusedByRegistry(check, loc);
  const { routes } = check.value;
  checked(routes.length === 1 ? "1 route" : `${routes.length} routes`);

  const switched = beginStep(progress, "switch");
  signal.throwIfAborted();
  // The registry first: after a crash between the two, it decides which build is started.
  const live = await builds.activate(ref, build.id, process.openapi, target, token);
  if (live.kind === "refused") return refusedByRegistry(live, loc);
  const { since, ...activated } = live.value;
  const drain = host.switchTo({ ...build, since }, process);
  switched();
  const { slug } = host.application;
  return { kind: "activated", result: { application: { id, slug }, ...activated }, drain };
}

/** Reports that a step has begun. @returns reports that it is done; without a detail, with its duration. */
export function beginStep(progress: DeployProgress, step: DeployStep): (detail?: string) => void {
  const started = performance.now();
  progress.begun(step, "");
  return (detail = secondsSince(started)) => progress.done(step, detail);
}

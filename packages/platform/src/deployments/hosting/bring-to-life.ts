import type { DeployResult } from "@agate/protocol";
import type { Builds, DeployTarget, TurnToken } from "../../registry/registry.ts";
import { beginStep } from "../builds/begin-step.ts";
import type { BuildLocation, Refusal } from "../builds/deploy-problem.ts";
import { refuse, refusedByRegistry } from "../builds/deploy-problem.ts";
import type { DeployProgress } from "../deployer.ts";
import type { ApplicationHost, StartableBuild } from "./application-host.ts";

export interface LifeParts {
  readonly builds: Builds;
  readonly host: ApplicationHost;
  readonly signal: AbortSignal;
  readonly turn: TurnToken;
}

/** A stored build that is to serve. */
export interface Candidate {
  readonly build: StartableBuild;
  readonly needsPackages: boolean;
  readonly target: DeployTarget | null;
  /** Where the request names it. */
  readonly loc: BuildLocation;
}

/** A build that serves. */
export interface Brought {
  readonly kind: "brought";
  readonly result: DeployResult;
  /** Resolves when the build that served before has ended, with how many requests it broke off. */
  readonly drained: Promise<number>;
}

/**
 * Installs, starts and checks a build, and lets it serve. Whatever refuses it, the build that served
 * before still does.
 */
export async function bringToLife(
  parts: LifeParts,
  candidate: Candidate,
  progress: DeployProgress,
): Promise<Brought | Refusal> {
  const { builds, host, signal, turn } = parts;
  const { build, target, loc } = candidate;
  const { project, id } = host.application;
  // By its id: it may be renamed meanwhile.
  const ref = { project, application: id };

  const installed = beginStep(progress, "install");
  if (candidate.needsPackages) {
    const install = await host.install(build);
    if (install.kind === "failed") {
      const msg = `The packages of the build could not be installed: ${install.reason}`;
      return refuse("install_failed", loc, msg, install.log);
    }
    installed(install.detail);
  } else {
    installed("nothing to install");
  }

  const started = beginStep(progress, "start");
  const process = await host.start(build, signal);
  if (process.kind === "failed") {
    const msg = `The build cannot be used. ${process.reason}`;
    return refuse("build_unusable", loc, msg, process.log);
  }
  started();
  try {
    const checked = beginStep(progress, "check");
    const check = await builds.check(ref, process.openapi, target);
    if (check.kind === "refused") return await turnedAway(refusedByRegistry(check, loc));
    const { routes } = check.value;
    checked(routes.length === 1 ? "1 route" : `${routes.length} routes`);

    const switched = beginStep(progress, "switch");
    signal.throwIfAborted();
    // The registry first: it says which build serves after a crash in between.
    const live = await builds.activate(ref, build.id, process.openapi, target, turn);
    if (live.kind === "refused") return await turnedAway(refusedByRegistry(live, loc));
    const { since, ...activated } = live.value;
    const drained = host.switchTo({ ...build, since }, process);
    switched();
    const { slug } = host.application;
    return { kind: "brought", result: { application: { id, slug }, ...activated }, drained };
  } catch (error) {
    await process.stop(0);
    throw error;
  }

  async function turnedAway(refusal: Refusal): Promise<Refusal> {
    if (process.kind === "running") await process.stop(0);
    return refusal;
  }
}

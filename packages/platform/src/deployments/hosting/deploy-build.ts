import { createHash } from "node:crypto";
import type { Build } from "@agate/protocol";
import type { LeaseToken } from "../../registry/deploy-leases.ts";
import type { PinnedChange } from "../../registry/deployment-change.ts";
import { newId } from "../../registry/names.ts";
import type { ApplicationRef, Registry } from "../../registry/registry.ts";
import type { BuildArchives } from "../../stores/registry/shared-builds.ts";
import type { BuildStore, UnpackedBuild } from "../builds/build-store.ts";
import { diskReason } from "../builds/disk-reason.ts";
import type { DeployOutcome, DeployProgress, DeployRequest } from "../deployer.ts";
import type { BuildLogs } from "../processes/build-log.ts";
import type { Candidate } from "./activate-build.ts";
import { activateBuild, beginStep } from "./activate-build.ts";
import { type BuildRunner, damagedReason } from "./build-runner.ts";
import type { EnvironmentHosts } from "./host.ts";
import type { DeployLock, HeldBuild } from "./lock.ts";
import type { BuildLocation, Refusal, RefusalRecords } from "./refusal.ts";
import { refusalText, refuse, refusedByRegistry } from "./refusal.ts";
import type { Sweeper } from "./sweep.ts";

export interface DeployOptions {
  readonly registry: Registry;
  readonly store: BuildStore;
  readonly logs: BuildLogs;
  readonly runner: Pick<BuildRunner, "install">;
  readonly hosts: EnvironmentHosts;
  readonly sweeper: Sweeper;
  readonly refusals: RefusalRecords;
  readonly deployLock: Pick<DeployLock, "run" | "hold">;
  /** Where other replicas find the files of builds; null without other replicas. */
  readonly archives: Pick<BuildArchives, "keep" | "keepOnly" | "remove"> | null;
  /** Fires when the platform stops. */
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}

export type Deployed = Extract<DeployOutcome, { readonly kind: "deployed" }>;

const STOPPED = "The platform was stopped before the build could serve.";
const FAILED = "The platform failed to deploy the build. Its log has the details.";

/** Installs and starts builds in environments, and makes them live there, or refuses them. */
export class BuildDeploys {
  readonly #options: DeployOptions;

  constructor(options: DeployOptions) {
    this.#options = options;
  }

  /** Starts a build that was just uploaded. If it is refused, its files are deleted. */
  async deployNew(
    request: DeployRequest,
    ref: ApplicationRef,
    unpacked: UnpackedBuild,
    change: PinnedChange,
    progress: DeployProgress,
  ): Promise<Deployed | Refusal> {
    const { registry, store, archives, refusals, deployLock, signal, onError } = this.#options;
    signal.throwIfAborted();
    const { by, message, archive, commit } = request;
    const { manifest, manifestHash } = unpacked;
    const { sdk_version: sdkVersion, allow = [] } = manifest;
    const id = newId("bld");
    await using held = await deployLock.hold(id);
    const { byteLength: size } = archive;
    const archiveHash = hashOf(archive);
    const begun = await registry.builds.begin(ref, {
      ...{ id, by, message, size, sdkVersion, allow, manifestHash, archiveHash, commit },
      hasEvals: manifest.evals !== undefined,
    });
    if (begun.kind === "refused") return refusedByRegistry(begun);
    const build = begun.value;
    const undo = async (reason: string): Promise<void> => {
      // First: on a full disk, deleting the files makes room for the record.
      await store.remove(id);
      await refusals.record(id, signal.aborted ? STOPPED : reason);
      if (archives !== null) await this.#removeArchive(ref, id).catch(onError);
    };
    try {
      await unpacked.keep(id);
      await archives?.keep(id, archive);
      const candidate = candidateOf(ref, { ...change, build }, build, ["body"]);
      const needsPackages = manifest.install !== null;
      const outcome = await this.#installAndActivate(candidate, needsPackages, held, progress);
      if (outcome.kind === "refused") {
        this.#logRefusal(change, build, outcome);
        await undo(refusalText(outcome));
      }
      return outcome;
    } catch (error) {
      // A build that is live keeps its files, also if a later step failed.
      if (!(await this.#hasServed(ref, id))) await undo(diskReason(error) ?? FAILED);
      throw error;
    }
  }

  async #hasServed(ref: ApplicationRef, buildId: string): Promise<boolean> {
    const found = await this.#options.registry.builds.get(ref, buildId).catch(() => undefined);
    if (found?.kind !== "done") return false;
    return found.value.status === "live" || found.value.status === "retired";
  }

  /** Starts a build that has served before, with the same checks. */
  async deployKnown(
    ref: ApplicationRef,
    change: PinnedChange,
    loc: BuildLocation,
    progress: DeployProgress,
  ): Promise<Deployed | Refusal> {
    const { store, sweeper, deployLock } = this.#options;
    const { build } = change;
    if (build === null) throw new Error("A change that starts a build has one.");
    using _ = sweeper.hold(build.id);
    await using held = await deployLock.hold(build.id);
    const damaged = await store.repair(build.id, build.manifest_sha256);
    if (damaged !== undefined) return refuse("build_unusable", loc, damagedReason(damaged));
    const manifest = await store.manifestOf(build.id);
    if (manifest === undefined) return refuse("build_unusable", loc, missingFiles(build));
    const candidate = candidateOf(ref, change, build, loc);
    return this.#installAndActivate(candidate, manifest.install !== null, held, progress);
  }

  /** Installs without the environment's lock: npm must not keep another change waiting. */
  async #installAndActivate(
    candidate: Candidate,
    needsPackages: boolean,
    held: HeldBuild,
    progress: DeployProgress,
  ): Promise<Deployed | Refusal> {
    const { deployLock, sweeper } = this.#options;
    const failure = await this.#install(candidate, needsPackages, progress);
    if (failure !== undefined) return failure;
    const { environment } = candidate.change;
    const outcome = await deployLock.run(environment.id, async (lease) => {
      const leases = [lease, held.lease].filter((each) => each !== null);
      const activated = await this.#activate(candidate, leases, progress);
      await this.#sweepArchives(environment.application.id, lease).catch(this.#options.onError);
      return activated;
    });
    sweeper.sweepSoon();
    return outcome;
  }

  async #install(
    { build, loc }: Candidate,
    needsPackages: boolean,
    progress: DeployProgress,
  ): Promise<Refusal | undefined> {
    const installed = beginStep(progress, "install");
    if (!needsPackages) {
      installed("nothing to install");
      return undefined;
    }
    const install = await this.#options.runner.install(build);
    if (install.kind === "failed") {
      const msg = `The packages of the build could not be installed: ${install.reason}`;
      return refuse("install_failed", loc, msg, install.log);
    }
    installed(install.detail);
    return undefined;
  }

  async #activate(
    candidate: Candidate,
    leases: readonly LeaseToken[],
    progress: DeployProgress,
  ): Promise<Deployed | Refusal> {
    const { registry, hosts, logs, signal, onError } = this.#options;
    const { build, change } = candidate;
    const { id, slug: environment, application } = change.environment;
    const host = hosts.ensure(change.environment);
    try {
      const context = { deployments: registry.deployments, host, signal, leases };
      const activated = await activateBuild(context, candidate, progress);
      if (activated.kind === "refused") return activated;
      const log = (line: string) =>
        logs.of(application.id).add({ build: build.number, environment, stream: "platform", line });
      log(`Deployed by ${change.by}${change.message === "" ? "." : `: ${change.message}`}`);
      const { requests, ended } = activated.drain;
      // In the background: calls may take ten minutes.
      const drained = beginStep(progress, "drain");
      drained(requests === 0 ? "nothing running" : `${requests} running, which may finish`);
      ended
        .then((cutOff) => {
          if (cutOff > 0) log(`${cutOff} requests to the build before were cut off.`);
        })
        .catch(onError);
      return { kind: "deployed", result: activated.result };
    } finally {
      if (host.live === undefined) await hosts.release(id);
    }
  }

  /** Other replicas may need it, unless it was refused for good. */
  async #removeArchive(ref: ApplicationRef, buildId: string): Promise<void> {
    const { archives, registry } = this.#options;
    const build = await registry.builds.get(ref, buildId);
    if (build.kind === "done" && build.value.status === "refused") await archives?.remove(buildId);
  }

  /** Only with the lock: otherwise it could delete the archive of a build that is being activated. */
  async #sweepArchives(applicationId: string, lease: LeaseToken | null): Promise<void> {
    const { archives, registry } = this.#options;
    if (archives === null || lease === null) return;
    await archives.keepOnly(applicationId, await registry.builds.kept(applicationId), lease);
  }

  #logRefusal({ environment }: PinnedChange, { number: build }: Build, refusal: Refusal): void {
    const log = this.#options.logs.of(environment.application.id);
    const add = (line: string) =>
      log.add({ build, environment: environment.slug, stream: "platform", line });
    add(`Refused. ${refusalText(refusal)}`);
    // The build's own output is in the log already; npm's is not.
    if (refusal.problems[0].type === "install_failed") refusal.log.forEach(add);
  }
}

function candidateOf(
  { application: applicationId }: ApplicationRef,
  change: PinnedChange,
  { id, number, allow, manifest_sha256 }: Build,
  loc: BuildLocation,
): Candidate {
  return { build: { id, number, allow, manifest_sha256, applicationId }, change, loc };
}

export function hashOf(archive: Uint8Array): string {
  return createHash("sha256").update(archive).digest("hex");
}

function missingFiles({ number, status }: Build): string {
  return status === "refused"
    ? `Build ${number} was refused when it was deployed, and its files were not kept.`
    : `The files of build ${number} are no longer kept: only those of the newest builds, and of each environment's last ones, are. Deploy it again.`;
}

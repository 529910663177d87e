import { createHash } from "node:crypto";
import type { Application, Build } from "@agate/protocol";
import { looksLikeId } from "@agate/protocol";
import type { LeaseToken } from "../../registry/deploy-leases.ts";
import type { ChangeRequest, PinnedChange } from "../../registry/deployment-change.ts";
import { newId, slugProblem } from "../../registry/names.ts";
import type { ApplicationRef, Registry } from "../../registry/registry.ts";
import { refused } from "../../registry/registry-outcome.ts";
import type { VariablesChange } from "../../registry/variables-change.ts";
import type { BuildArchives } from "../../stores/registry/shared-builds.ts";
import type { BuildStore, UnpackedBuild } from "../builds/build-store.ts";
import { diskReason } from "../builds/disk-reason.ts";
import type {
  Deployer,
  DeployOutcome,
  DeployProgress,
  DeployRequest,
  TakeDownOutcome,
  Undeployed,
  VariablesOutcome,
} from "../deployer.ts";
import type { BuildLogs } from "../processes/build-log.ts";
import type { Candidate } from "./activate-build.ts";
import { activateBuild, beginStep } from "./activate-build.ts";
import { type BuildRunner, damagedReason } from "./build-runner.ts";
import { changeVariables } from "./change-variables.ts";
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

type Interrupted = Extract<Undeployed, { readonly kind: "unavailable" | "stopping" }>;
type Deployed = Extract<DeployOutcome, { readonly kind: "deployed" }>;

const STOPPED = "The platform was stopped before the build could serve.";
const FAILED = "The platform failed to deploy the build. Its log has the details.";

/** Changes what is live in environments: a new build, an earlier one, another revision, or nothing. */
export class DeployOperations
  implements Pick<Deployer, "deploy" | "change" | "takeDown" | "changeVariables">
{
  readonly #options: DeployOptions;

  constructor(options: DeployOptions) {
    this.#options = options;
  }

  deploy(request: DeployRequest, progress: DeployProgress): Promise<DeployOutcome> {
    return this.#attempt(async () => {
      const { registry, store } = this.#options;
      const invalidName = await this.#invalidName(request);
      if (invalidName !== undefined) return invalidName;
      const unpackDone = beginStep(progress, "unpack");
      const unpacked = await store.unpack(request.archive);
      if (unpacked.kind === "invalid") {
        return refuse("archive_invalid", ["body"], `This is not a build. ${unpacked.reason}`);
      }
      await using _ = unpacked;
      const { project } = request;
      const application = await registry.applications.ensure(project, request.application);
      if (application.kind === "refused") return refusedByRegistry(application);
      const count = unpacked.manifest.files.length;
      unpackDone(count === 1 ? "1 file" : `${count} files`);
      const ref = { project, application: application.value.id };
      const pinned = await registry.deployments.pin(ref, uploadRequest(request));
      if (pinned.kind === "refused") return refusedByRegistry(pinned);
      const change = { ...pinned.value, restarts: true };
      const known = await this.#knownBuild(ref, request.archive);
      // Awaited here: returning disposes of the unpacked files unless the deploy has kept them.
      return await (known === undefined
        ? this.#deployNew(request, ref, unpacked, change, progress)
        : this.#deployKnown(ref, { ...change, build: known }, ["body"], progress));
    });
  }

  change(
    ref: ApplicationRef,
    request: ChangeRequest,
    progress: DeployProgress,
  ): Promise<DeployOutcome> {
    return this.#attempt(async () => {
      const { registry } = this.#options;
      const application = await registry.applications.get(ref);
      if (application.kind === "refused") return refusedByRegistry(application);
      const byId = { project: ref.project, application: application.value.id };
      const pinned = await registry.deployments.pin(byId, request);
      if (pinned.kind === "refused") return refusedByRegistry(pinned);
      const change = pinned.value;
      const missing = await this.#missingVariables(byId, change);
      const outcome =
        change.build?.kind === "hosted" && !this.#isServing(change)
          ? await this.#deployKnown(byId, change, PATH_LOC, progress)
          : await this.#apply(application.value, byId, change, progress);
      return withMissingVariables(outcome, change, missing);
    });
  }

  /** Names that the source of a promotion has and its target lacks. */
  async #missingVariables(
    ref: ApplicationRef,
    { origin, environment }: PinnedChange,
  ): Promise<readonly string[]> {
    if (origin.kind !== "promotion") return [];
    const environments = { from: origin.from.id, to: environment.id };
    const lacking = await this.#options.registry.variables.lacking(ref, environments);
    // One of the two was deleted just now: the promotion itself is refused for that.
    return lacking.kind === "refused" ? [] : lacking.value;
  }

  takeDown(ref: ApplicationRef, environment: string): Promise<TakeDownOutcome> {
    const { registry, hosts, deployLock } = this.#options;
    return this.#attempt(async () => {
      const found = await registry.environments.get(ref, environment);
      if (found.kind === "refused") return refusedByRegistry(found);
      const { id } = found.value;
      return deployLock.run(id, async (lease) => {
        const ended = await registry.deployments.takeDown(ref, id, lease);
        if (ended.kind === "refused") return refusedByRegistry(ended);
        await hosts.release(id);
        return { kind: "taken-down" } as const;
      });
    });
  }

  changeVariables(
    ref: ApplicationRef,
    environment: string,
    change: VariablesChange,
    by: string,
  ): Promise<VariablesOutcome> {
    const { registry, hosts, deployLock, signal } = this.#options;
    return this.#attempt(async () => {
      const found = await registry.environments.get(ref, environment);
      if (found.kind === "refused") return refusedByRegistry(found);
      const { id } = found.value;
      return deployLock.run(id, (lease) => {
        const context = { variables: registry.variables, host: hosts.get(id), lease, signal };
        return changeVariables(context, { ref, environment: id, change, by });
      });
    });
  }

  /** Refuses a name that no application has or can get, before anything is unpacked. */
  async #invalidName({ project, application }: DeployRequest): Promise<Refusal | undefined> {
    const found = await this.#options.registry.applications.get({ project, application });
    if (found.kind === "done") return undefined;
    if (looksLikeId(application)) return refusedByRegistry(found);
    const fault = slugProblem(application, ["path", "app"]);
    return fault && refusedByRegistry(refused(fault));
  }

  async #attempt<Outcome extends { readonly kind: string }>(
    work: () => Promise<Outcome>,
  ): Promise<Outcome | Interrupted> {
    const { signal } = this.#options;
    if (signal.aborted) return { kind: "stopping" };
    try {
      const outcome = await work();
      // Stopping makes npm and builds fail: that is no fault of theirs.
      return outcome.kind === "refused" && signal.aborted ? { kind: "stopping" } : outcome;
    } catch (error) {
      const reason = diskReason(error);
      if (reason !== undefined) return { kind: "unavailable", reason };
      if (signal.aborted && error === signal.reason) return { kind: "stopping" };
      throw error;
    }
  }

  /** The build of an archive that was deployed before, if its files are still there, and whole. */
  async #knownBuild(ref: ApplicationRef, archive: Uint8Array): Promise<Build | undefined> {
    const { registry, store } = this.#options;
    const known = await registry.builds.findByArchive(ref, hashOf(archive));
    if (known === undefined) return undefined;
    const damaged = await store.repair(known.id, known.manifest_sha256);
    if (damaged !== undefined) return undefined;
    return (await store.manifestOf(known.id)) === undefined ? undefined : known;
  }

  /** Whether a change starts nothing: its build runs in the environment already. */
  #isServing({ environment, build, restarts }: PinnedChange): boolean {
    return !restarts && this.#options.hosts.get(environment.id)?.live?.id === build?.id;
  }

  /** Starts a build that was just uploaded. If it is refused, its files are deleted. */
  async #deployNew(
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
    const record = { id, by, message, size, sdkVersion, allow, manifestHash, archiveHash, commit };
    const begun = await registry.builds.begin(ref, record);
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
  async #deployKnown(
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

  /** A change that starts nothing here: of the configuration alone, or to a workflow that runs elsewhere. */
  async #apply(
    { id, slug }: Application,
    ref: ApplicationRef,
    change: PinnedChange,
    progress: DeployProgress,
  ): Promise<Deployed | Refusal> {
    const { registry, hosts, deployLock } = this.#options;
    const { environment } = change;
    return deployLock.run(environment.id, async (lease) => {
      const checked = beginStep(progress, "check");
      const leases = lease === null ? [] : [lease];
      const applied = await registry.deployments.apply(ref, change, { leases });
      if (applied.kind === "refused") return refusedByRegistry(applied, PATH_LOC);
      checked();
      const { since: _, ...activated } = applied.value;
      if (activated.build.kind === "external") await hosts.release(environment.id);
      const application = { id, slug };
      const result = { application, ...activated, missing_variables: [] };
      return { kind: "deployed", result } as const;
    });
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

const PATH_LOC = ["path", "build"] as const;

function uploadRequest(request: DeployRequest): ChangeRequest {
  const { environment, config, accepts, by, message } = request;
  const environmentLoc = ["query", "environment"];
  const what = { kind: "deploy", build: null, config, configIn: "query" } as const;
  return { ...what, environment, environmentLoc, accepts, by, message };
}

/** Tells what a promotion's target lacks: of a build that does not start, it is the likely cause. */
function withMissingVariables(
  outcome: Deployed | Refusal,
  { origin, environment }: PinnedChange,
  missing: readonly string[],
): Deployed | Refusal {
  if (missing.length === 0 || origin.kind !== "promotion") return outcome;
  if (outcome.kind === "deployed") {
    return { ...outcome, result: { ...outcome.result, missing_variables: missing } };
  }
  const [first, ...others] = outcome.problems;
  if (first.type !== "build_unusable") return outcome;
  const msg = `${first.msg} ${environment.slug} lacks variables that ${origin.from.slug} has: ${missing.join(", ")}.`;
  return { ...outcome, problems: [{ ...first, msg }, ...others] };
}

function candidateOf(
  { application: applicationId }: ApplicationRef,
  change: PinnedChange,
  { id, number, allow, manifest_sha256 }: Build,
  loc: BuildLocation,
): Candidate {
  return { build: { id, number, allow, manifest_sha256, applicationId }, change, loc };
}

function hashOf(archive: Uint8Array): string {
  return createHash("sha256").update(archive).digest("hex");
}

function missingFiles({ number, status }: Build): string {
  return status === "refused"
    ? `Build ${number} was refused when it was deployed, and its files were not kept.`
    : `The files of build ${number} are no longer kept: only those of the newest builds, and of each environment's last ones, are. Deploy it again.`;
}

import type { Application, Build } from "@agate/protocol";
import { looksLikeId } from "@agate/protocol";
import { slugProblem } from "../../registry/names.ts";
import type { ApplicationRef, DeployLockToken, Registry } from "../../registry/registry.ts";
import { refused } from "../../registry/registry-outcome.ts";
import type { BuildArchives } from "../../stores/registry/shared-builds.ts";
import type { BuildStore, UnpackedBuild } from "../builds/build-store.ts";
import { diskReason } from "../builds/disk-reason.ts";
import type {
  Deployer,
  DeployOutcome,
  DeployProgress,
  DeployRequest,
  RetireOutcome,
  Undeployed,
} from "../deployer.ts";
import type { BuildLogs } from "../processes/build-log.ts";
import type { ActivatedBuild, Candidate } from "./activate-build.ts";
import { activateBuild, beginStep } from "./activate-build.ts";
import { type BuildRunner, damagedReason } from "./build-runner.ts";
import type { ApplicationHosts } from "./host.ts";
import type { DeployLock } from "./lock.ts";
import type { Refusal, RefusalRecords } from "./refusal.ts";
import { refusalText, refuse, refusedByRegistry } from "./refusal.ts";
import type { Sweeper } from "./sweep.ts";
import { KEPT_BUILDS, keptBuilds } from "./sweep.ts";

export interface DeployOptions {
  readonly registry: Registry;
  readonly store: BuildStore;
  readonly logs: BuildLogs;
  readonly runner: Pick<BuildRunner, "install">;
  readonly hosts: ApplicationHosts;
  readonly sweeper: Sweeper;
  readonly refusals: RefusalRecords;
  readonly deployLock: Pick<DeployLock, "run">;
  /** Where other replicas find the files of builds; null without other replicas. */
  readonly archives: Pick<BuildArchives, "keep" | "keepOnly"> | null;
  /** Fires when the platform stops. */
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}

type Interrupted = Extract<Undeployed, { readonly kind: "unavailable" | "stopping" }>;

const STOPPED = "The platform was stopped before the build could serve.";
const FAILED = "The platform failed to deploy the build. Its log has the details.";

/** Changes which build is live: deploys a new one, reactivates an earlier one, or retires it. */
export class DeployOperations implements Pick<Deployer, "deploy" | "activate" | "retire"> {
  readonly #options: DeployOptions;

  constructor(options: DeployOptions) {
    this.#options = options;
  }

  deploy(request: DeployRequest, progress: DeployProgress): Promise<DeployOutcome> {
    return this.#attempt(async () => {
      const invalidName = await this.#invalidName(request);
      if (invalidName !== undefined) return invalidName;
      const unpackDone = beginStep(progress, "unpack");
      const unpacked = await this.#options.store.unpack(request.archive);
      if (unpacked.kind === "invalid") {
        return refuse("archive_invalid", ["body"], `This is not a build. ${unpacked.reason}`);
      }
      await using _ = unpacked;
      const { project } = request;
      const application = await this.#options.registry.applications.ensure(
        project,
        request.application,
      );
      if (application.kind === "refused") return refusedByRegistry(application);
      const count = unpacked.manifest.files.length;
      unpackDone(count === 1 ? "1 file" : `${count} files`);
      // Awaited here: returning disposes of the unpacked files unless the deploy has kept them.
      return await this.#runLocked(progress, project, application.value.id, (token) =>
        this.#deployNew(request, application.value, unpacked, progress, token),
      );
    });
  }

  activate(
    ref: ApplicationRef,
    build: string,
    authorship: { readonly by: string; readonly message: string },
    progress: DeployProgress,
  ): Promise<DeployOutcome> {
    return this.#attempt(async () => {
      const application = await this.#options.registry.applications.get(ref);
      if (application.kind === "refused") return refusedByRegistry(application);
      return this.#runLocked(progress, ref.project, application.value.id, (token) =>
        this.#reactivate(ref.project, application.value, build, authorship, progress, token),
      );
    });
  }

  retire(ref: ApplicationRef): Promise<RetireOutcome> {
    const { registry, hosts, deployLock } = this.#options;
    return this.#attempt(async () => {
      const application = await registry.applications.get(ref);
      if (application.kind === "refused") return refusedByRegistry(application);
      const { id } = application.value;
      return deployLock.run(id, async (token) => {
        const retired = await registry.builds.retire(
          { project: ref.project, application: id },
          token,
        );
        if (retired.kind === "refused") return refusedByRegistry(retired);
        await hosts.release(id);
        return { kind: "retired" } as const;
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

  /** Activates a build while holding the application's lock. The previous build drains afterwards. */
  async #runLocked(
    progress: DeployProgress,
    project: string,
    applicationId: string,
    activate: (token: DeployLockToken) => Promise<ActivatedBuild | Refusal>,
  ): Promise<DeployOutcome> {
    const activated = await this.#options.deployLock.run(applicationId, async (token) => {
      const outcome = await activate(token);
      await this.#sweepArchives(project, applicationId, token).catch(this.#options.onError);
      return outcome;
    });
    this.#options.sweeper.sweepSoon();
    if (activated.kind === "refused") return activated;
    const { requests } = activated.drain;
    // In the background: calls may take ten minutes.
    beginStep(
      progress,
      "drain",
    )(requests === 0 ? "nothing running" : `${requests} running, which may finish`);
    return { kind: "deployed", result: activated.result };
  }

  /** Only with the lock: otherwise it could delete the archive of a build that is being activated. */
  async #sweepArchives(
    project: string,
    application: string,
    token: DeployLockToken,
  ): Promise<void> {
    const { archives, registry } = this.#options;
    if (archives === null || token === null) return;
    const ref = { project, application };
    const found = await registry.applications.get(ref);
    if (found.kind === "refused") return;
    await archives.keepOnly(application, await keptBuilds(registry, ref, found.value.build), token);
  }

  /** Starts a build that was just uploaded. If it is refused, its files are deleted. */
  async #deployNew(
    request: DeployRequest,
    { id }: Application,
    unpacked: UnpackedBuild,
    progress: DeployProgress,
    token: DeployLockToken,
  ): Promise<ActivatedBuild | Refusal> {
    const { registry, store, archives, logs, refusals, signal } = this.#options;
    signal.throwIfAborted();
    const { project, by, message, target, archive } = request;
    const { sdk_version: sdkVersion, install, allow = [] } = unpacked.manifest;
    const { manifestHash } = unpacked;
    const begun = await registry.builds.begin(
      { project, application: id },
      { by, message, size: archive.byteLength, sdkVersion, allow, manifestHash },
      token,
    );
    if (begun.kind === "refused") return refusedByRegistry(begun);
    const build = begun.value;
    const undo = async (reason: string): Promise<void> => {
      // First: on a full disk, deleting the files makes room for the record.
      await store.remove(build.id);
      await refusals.record(build.id, signal.aborted ? STOPPED : reason);
    };
    try {
      await unpacked.keep(build.id);
      await archives?.keep(build.id, archive);
      const activated = await this.#activate(
        project,
        id,
        {
          build: { ...build, applicationId: id },
          needsPackages: install !== null,
          target,
          loc: ["body"],
        },
        progress,
        token,
      );
      if (activated.kind === "refused") {
        logs.of(id).add(build.number, "platform", `Refused. ${refusalText(activated)}`);
        // The build's own output is in the log already; npm's is not.
        if (activated.problems[0].type === "install_failed") {
          for (const line of activated.log) logs.of(id).add(build.number, "platform", line);
        }
        await undo(refusalText(activated));
      }
      return activated;
    } catch (error) {
      await undo(diskReason(error) ?? FAILED);
      throw error;
    }
  }

  /** Starts an earlier build again, with the same checks. */
  async #reactivate(
    project: string,
    { id }: Application,
    name: string,
    { by, message }: { readonly by: string; readonly message: string },
    progress: DeployProgress,
    token: DeployLockToken,
  ): Promise<ActivatedBuild | Refusal> {
    const { registry, store, logs, sweeper } = this.#options;
    const found = await registry.builds.get({ project, application: id }, name);
    if (found.kind === "refused") return refusedByRegistry(found);
    const build = found.value;
    using _ = sweeper.hold(build.id);
    const damaged = await store.repair(build.id, build.manifest_sha256);
    if (damaged !== undefined) return refuse("build_unusable", PATH_LOC, damagedReason(damaged));
    const manifest = await store.manifestOf(build.id);
    if (manifest === undefined) return refuse("build_unusable", PATH_LOC, missingFiles(build));
    const needsPackages = manifest.install !== null;
    const startable = { ...build, applicationId: id };
    const candidate = { build: startable, needsPackages, target: null, loc: PATH_LOC };
    const activated = await this.#activate(project, id, candidate, progress, token);
    if (activated.kind === "activated") {
      const why = message === "" ? "." : `: ${message}`;
      logs.of(id).add(build.number, "platform", `Activated by ${by}${why}`);
    }
    return activated;
  }

  async #activate(
    project: string,
    id: string,
    candidate: Candidate,
    progress: DeployProgress,
    token: DeployLockToken,
  ): Promise<ActivatedBuild | Refusal> {
    const { registry, runner, hosts, signal } = this.#options;
    const application = await registry.applications.get({ project, application: id });
    if (application.kind === "refused") return refusedByRegistry(application);
    const host = hosts.ensure({ project, id, slug: application.value.slug });
    try {
      const context = { builds: registry.builds, runner, host, signal, token };
      return await activateBuild(context, candidate, progress);
    } finally {
      if (host.live === undefined) await hosts.release(id);
    }
  }
}

const PATH_LOC = ["path", "build"] as const;

function missingFiles({ number, status }: Build): string {
  return status === "refused"
    ? `Build ${number} was refused when it was deployed, and its files were not kept.`
    : `The files of build ${number} are no longer kept: only the last ${KEPT_BUILDS} builds keep theirs. Deploy it again.`;
}

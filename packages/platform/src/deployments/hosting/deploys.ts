import type { Application, Build } from "@agate/protocol";
import { looksLikeId } from "@agate/protocol";
import type { ApplicationRef, Registry, TurnToken } from "../../registry/registry.ts";
import { refused } from "../../registry/registry-outcome.ts";
import { slugProblem } from "../../registry/slug.ts";
import type { BuildArchives } from "../../stores/registry/shared-builds.ts";
import { beginStep } from "../builds/begin-step.ts";
import type { BuildStore, UnpackedBuild } from "../builds/build-store.ts";
import type { Refusal } from "../builds/deploy-problem.ts";
import { refusalText, refuse, refusedByRegistry } from "../builds/deploy-problem.ts";
import { diskReason } from "../builds/disk-reason.ts";
import { KEPT_BUILDS, keptBuilds } from "../builds/kept-builds.ts";
import type { RefusalRecords } from "../builds/refusal-records.ts";
import type {
  Deployer,
  DeployOutcome,
  DeployProgress,
  DeployRequest,
  RetireOutcome,
  Undeployed,
} from "../deployer.ts";
import type { Brought, Candidate } from "./bring-to-life.ts";
import { bringToLife } from "./bring-to-life.ts";
import type { BuildLogs } from "./build-logs.ts";
import { damagedReason } from "./build-runner.ts";
import type { Hosting } from "./hosting.ts";
import type { Sweeper } from "./sweeper.ts";
import type { Turns } from "./turns.ts";

export interface DeploysParts {
  readonly registry: Registry;
  readonly store: BuildStore;
  readonly logs: BuildLogs;
  readonly hosting: Hosting;
  readonly sweeper: Sweeper;
  readonly refusals: RefusalRecords;
  readonly turns: Pick<Turns, "change">;
  /** Where other replicas find the files of builds; null for a platform alone. */
  readonly archives: Pick<BuildArchives, "keep" | "keepOnly"> | null;
  /** Fires when the platform stops. */
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}

type Interrupted = Extract<Undeployed, { readonly kind: "unavailable" | "stopping" }>;

const STOPPED = "The platform was stopped before the build could serve.";
const FAILED = "The platform failed to deploy the build. Its log has the details.";

/** Everything that changes which build serves an application: one change at a time for each. */
export class Deploys implements Pick<Deployer, "deploy" | "activate" | "retire"> {
  readonly #parts: DeploysParts;

  constructor(parts: DeploysParts) {
    this.#parts = parts;
  }

  deploy(request: DeployRequest, progress: DeployProgress): Promise<DeployOutcome> {
    return this.#attempt(async () => {
      const unnameable = await this.#unnameable(request);
      if (unnameable !== undefined) return unnameable;
      const unpackedTold = beginStep(progress, "unpack");
      const unpacked = await this.#parts.store.unpack(request.archive);
      if (unpacked.kind === "invalid") {
        return refuse("archive_invalid", ["body"], `This is not a build. ${unpacked.reason}`);
      }
      await using _ = unpacked;
      const { project } = request;
      const application = await this.#parts.registry.applications.ensure(
        project,
        request.application,
      );
      if (application.kind === "refused") return refusedByRegistry(application);
      const count = unpacked.manifest.files.length;
      unpackedTold(count === 1 ? "1 file" : `${count} files`);
      // Waited for in here: what was unpacked is removed, where it was not kept, when this returns.
      return await this.#finish(progress, project, application.value.id, (turn) =>
        this.#bringNew(request, application.value, unpacked, progress, turn),
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
      const application = await this.#parts.registry.applications.get(ref);
      if (application.kind === "refused") return refusedByRegistry(application);
      return this.#finish(progress, ref.project, application.value.id, (turn) =>
        this.#bringBack(ref.project, application.value, build, authorship, progress, turn),
      );
    });
  }

  retire(ref: ApplicationRef): Promise<RetireOutcome> {
    const { registry, hosting, turns } = this.#parts;
    return this.#attempt(async () => {
      const application = await registry.applications.get(ref);
      if (application.kind === "refused") return refusedByRegistry(application);
      const { id } = application.value;
      return turns.change(id, async (turn) => {
        const retired = await registry.builds.retire(
          { project: ref.project, application: id },
          turn,
        );
        if (retired.kind === "refused") return refusedByRegistry(retired);
        await hosting.release(id);
        return { kind: "retired" } as const;
      });
    });
  }

  /** Why an application of this name is neither there nor can be made; before anything is unpacked. */
  async #unnameable({ project, application }: DeployRequest): Promise<Refusal | undefined> {
    const found = await this.#parts.registry.applications.get({ project, application });
    if (found.kind === "done") return undefined;
    if (looksLikeId(application)) return refusedByRegistry(found);
    const fault = slugProblem(application, ["path", "app"]);
    return fault && refusedByRegistry(refused(fault));
  }

  async #attempt<Outcome extends { readonly kind: string }>(
    work: () => Promise<Outcome>,
  ): Promise<Outcome | Interrupted> {
    const { signal } = this.#parts;
    if (signal.aborted) return { kind: "stopping" };
    try {
      const outcome = await work();
      // Stopping makes npm and builds fail: that says nothing about them.
      return outcome.kind === "refused" && signal.aborted ? { kind: "stopping" } : outcome;
    } catch (error) {
      const reason = diskReason(error);
      if (reason !== undefined) return { kind: "unavailable", reason };
      if (signal.aborted && error === signal.reason) return { kind: "stopping" };
      throw error;
    }
  }

  /** In the application's turn; the build that served before is waited for after it. */
  async #finish(
    progress: DeployProgress,
    project: string,
    applicationId: string,
    bring: (turn: TurnToken) => Promise<Brought | Refusal>,
  ): Promise<DeployOutcome> {
    const brought = await this.#parts.turns.change(applicationId, async (turn) => {
      const outcome = await bring(turn);
      await this.#sweepArchives(project, applicationId, turn).catch(this.#parts.onError);
      return outcome;
    });
    this.#parts.sweeper.sweepSoon();
    if (brought.kind === "refused") return brought;
    const drained = beginStep(progress, "drain");
    const brokenOff = await brought.drained;
    drained(brokenOff === 0 ? undefined : `${brokenOff} requests broken off`);
    return { kind: "deployed", result: brought.result };
  }

  /** In the application's turn: nobody must be activating a build whose archive goes. */
  async #sweepArchives(project: string, application: string, turn: TurnToken): Promise<void> {
    const { archives, registry } = this.#parts;
    if (archives === null || turn === null) return;
    const ref = { project, application };
    const found = await registry.applications.get(ref);
    if (found.kind === "refused") return;
    await archives.keepOnly(application, await keptBuilds(registry, ref, found.value.build), turn);
  }

  async #bringNew(
    request: DeployRequest,
    { id }: Application,
    unpacked: UnpackedBuild,
    progress: DeployProgress,
    turn: TurnToken,
  ): Promise<Brought | Refusal> {
    const { registry, store, archives, logs, refusals, signal } = this.#parts;
    signal.throwIfAborted();
    const { project, by, message, target, archive } = request;
    const { sdk_version: sdkVersion, install, allow = [] } = unpacked.manifest;
    const { manifestHash } = unpacked;
    const begun = await registry.builds.begin(
      { project, application: id },
      { by, message, size: archive.byteLength, sdkVersion, allow, manifestHash },
      turn,
    );
    if (begun.kind === "refused") return refusedByRegistry(begun);
    const build = begun.value;
    const undo = async (reason: string): Promise<void> => {
      // First: on a full disk it may make the room that the record takes.
      await store.remove(build.id);
      await refusals.record(build.id, signal.aborted ? STOPPED : reason);
    };
    try {
      await unpacked.keep(build.id);
      await archives?.keep(build.id, archive);
      const brought = await this.#bring(
        project,
        id,
        {
          build: { ...build, applicationId: id },
          needsPackages: install !== null,
          target,
          loc: ["body"],
        },
        progress,
        turn,
      );
      if (brought.kind === "refused") {
        logs.of(id).add(build.number, "platform", `Refused. ${refusalText(brought)}`);
        // What the build itself printed is there already.
        if (brought.problems[0].type === "install_failed") {
          for (const line of brought.log) logs.of(id).add(build.number, "platform", line);
        }
        await undo(refusalText(brought));
      }
      return brought;
    } catch (error) {
      await undo(diskReason(error) ?? FAILED);
      throw error;
    }
  }

  async #bringBack(
    project: string,
    { id }: Application,
    name: string,
    { by, message }: { readonly by: string; readonly message: string },
    progress: DeployProgress,
    turn: TurnToken,
  ): Promise<Brought | Refusal> {
    const { registry, store, logs, sweeper } = this.#parts;
    const found = await registry.builds.get({ project, application: id }, name);
    if (found.kind === "refused") return refusedByRegistry(found);
    const build = found.value;
    using _ = sweeper.hold(build.id);
    const damaged = await store.repair(build.id, build.manifest_sha256);
    if (damaged !== undefined) return refuse("build_unusable", LOC, damagedReason(damaged));
    const manifest = await store.manifestOf(build.id);
    if (manifest === undefined) return refuse("build_unusable", LOC, filesAreGone(build));
    const needsPackages = manifest.install !== null;
    const startable = { ...build, applicationId: id };
    const candidate = { build: startable, needsPackages, target: null, loc: LOC };
    const brought = await this.#bring(project, id, candidate, progress, turn);
    if (brought.kind === "brought") {
      const why = message === "" ? "." : `: ${message}`;
      logs.of(id).add(build.number, "platform", `Activated by ${by}${why}`);
    }
    return brought;
  }

  async #bring(
    project: string,
    id: string,
    candidate: Candidate,
    progress: DeployProgress,
    turn: TurnToken,
  ): Promise<Brought | Refusal> {
    const { registry, hosting, signal } = this.#parts;
    const application = await registry.applications.get({ project, application: id });
    if (application.kind === "refused") return refusedByRegistry(application);
    const host = hosting.host({ project, id, slug: application.value.slug });
    try {
      const parts = { builds: registry.builds, host, signal, turn };
      return await bringToLife(parts, candidate, progress);
    } finally {
      if (host.live === undefined) await hosting.release(id);
    }
  }
}

const LOC = ["path", "build"] as const;

function filesAreGone({ number, status }: Build): string {
  return status === "refused"
    ? `Build ${number} was refused when it was deployed, and its files were not kept.`
    : `The files of build ${number} are not kept any more: only those of the last ${KEPT_BUILDS} builds are. Deploy it again.`;
}

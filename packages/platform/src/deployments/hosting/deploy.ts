import type { Application, Build } from "@agate/protocol";
import { looksLikeId } from "@agate/protocol";
import type { ChangeRequest, PinnedChange } from "../../registry/deployment-change.ts";
import { slugProblem } from "../../registry/names.ts";
import type { ApplicationRef } from "../../registry/registry.ts";
import { refused } from "../../registry/registry-outcome.ts";
import type { VariablesChange } from "../../registry/variables-change.ts";
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
import { beginStep } from "./activate-build.ts";
import { changeVariables } from "./change-variables.ts";
import { BuildDeploys, type Deployed, type DeployOptions, hashOf } from "./deploy-build.ts";
import type { Refusal } from "./refusal.ts";
import { refuse, refusedByRegistry } from "./refusal.ts";

type Interrupted = Extract<Undeployed, { readonly kind: "unavailable" | "stopping" }>;

/** Changes what is live in environments: a new build, an earlier one, another revision, or nothing. */
export class DeployOperations
  implements Pick<Deployer, "deploy" | "change" | "takeDown" | "changeVariables">
{
  readonly #options: DeployOptions;
  readonly #starting: BuildDeploys;

  constructor(options: DeployOptions) {
    this.#options = options;
    this.#starting = new BuildDeploys(options);
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
        ? this.#starting.deployNew(request, ref, unpacked, change, progress)
        : this.#starting.deployKnown(ref, { ...change, build: known }, ["body"], progress));
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
          ? await this.#starting.deployKnown(byId, change, PATH_LOC, progress)
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

import type { Builds } from "../../registry/registry.ts";
import type { RegistryProblem, RegistryRefusal } from "../../registry/registry-outcome.ts";
import { diskReason } from "../builds/disk-reason.ts";
import type { DeployProblem, DeployProblemType, Undeployed } from "../deployer.ts";

export type Refusal = Extract<Undeployed, { readonly kind: "refused" }>;

/** Where the request names the build: an uploaded archive is its body, an earlier build is in its path. */
export type BuildLocation = readonly ["body"] | readonly ["path", "build"];

/** Refuses a deploy for one reason. `log`: the last output of the build, or of npm. */
export function refuse(
  type: DeployProblemType,
  loc: BuildLocation,
  msg: string,
  log: readonly string[] = [],
): Refusal {
  return { kind: "refused", problems: [{ type, loc, msg }], log };
}

/** A deploy that the registry refused. */
export function refusedByRegistry(
  { problems: [first, ...others] }: RegistryRefusal,
  loc: BuildLocation = ["body"],
): Refusal {
  const toDeployProblem = (problem: RegistryProblem): DeployProblem => {
    if (problem.type === "build_unusable") return { ...problem, loc };
    if (problem.type !== "schema_invalid") return problem;
    // The client has sent a build, not a schema: an invalid schema is a fault of the build.
    const msg = `The /openapi.json of the build does not describe a workflow: ${problem.msg}`;
    return { type: "build_unusable", loc, msg };
  };
  return {
    kind: "refused",
    problems: [toDeployProblem(first), ...others.map(toDeployProblem)],
    log: [],
  };
}

/** A refusal as the build's record keeps it, without the output, which the application's log has. */
export function refusalText({ problems }: Refusal): string {
  return problems.map(({ msg }) => msg).join("\n");
}

const AGAIN_MS = 5_000;

/**
 * Writes down which builds were refused. A full disk may have refused both the build and the record
 * of it: what cannot be written now is written later, at the latest when the platform starts again.
 */
export class RefusalRecords {
  readonly #builds: Pick<Builds, "refuse">;
  readonly #onError: (error: unknown) => void;
  readonly #unwritten = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(builds: Pick<Builds, "refuse">, onError: (error: unknown) => void) {
    this.#builds = builds;
    this.#onError = onError;
  }

  async record(buildId: string, reason: string): Promise<void> {
    this.#unwritten.set(buildId, reason);
    await this.#write();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  async #write(): Promise<void> {
    this.#timer = undefined;
    for (const [buildId, reason] of this.#unwritten) {
      try {
        await this.#builds.refuse(buildId, reason);
        this.#unwritten.delete(buildId);
      } catch (error) {
        if (diskReason(error) === undefined) throw error;
        this.#timer ??= setTimeout(() => this.#write().catch(this.#onError), AGAIN_MS).unref();
        return;
      }
    }
  }
}

import type { RegistryProblem, RegistryRefusal } from "../../registry/registry-outcome.ts";
import type { DeployProblem, DeployProblemType, Undeployed } from "../deployer.ts";

export type Refusal = Extract<Undeployed, { readonly kind: "refused" }>;

/** Where the build stands in the request: an archive is its body, an earlier build is in its path. */
export type BuildLocation = readonly ["body"] | readonly ["path", "build"];

/** A deploy refused for one reason of its own. `log`: what the build, or npm, printed last. */
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
  // That a document is none of a workflow is, to whoever deploys, a fault of the build.
  const told = (problem: RegistryProblem): DeployProblem => {
    if (problem.type === "build_unusable") return { ...problem, loc };
    if (problem.type !== "schema_invalid") return problem;
    const msg = `What the build answers as its /openapi.json is not a workflow's: ${problem.msg}`;
    return { type: "build_unusable", loc, msg };
  };
  return { kind: "refused", problems: [told(first), ...others.map(told)], log: [] };
}

/** A refusal as the build's record keeps it. What was printed is in the application's log. */
export function refusalText({ problems }: Refusal): string {
  return problems.map(({ msg }) => msg).join("\n");
}

import type { RouteSchema } from "@agate/protocol";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import type { FoundTarget } from "./deploy-target.ts";
import { findTarget } from "./deploy-target.ts";
import type { DeployTarget } from "./registry.ts";
import type { RegistryOutcome } from "./registry-outcome.ts";
import { done, refusalOf } from "./registry-outcome.ts";
import { readSchema } from "./schema/application-schema.ts";
import { liveMisfits, revisionMisfits } from "./schema/fit-schema.ts";

/** What a build that goes live brings with it, found to be fine. */
export interface ActivationPlan {
  readonly routes: readonly RouteSchema[];
  readonly target: FoundTarget | null;
}

/**
 * Whether everything that is live together with a build fits the routes of the document that it
 * answers as its `/openapi.json`.
 */
export async function planActivation(
  db: RegistryDatabase,
  applicationId: string,
  openapi: unknown,
  target: DeployTarget | null,
): Promise<RegistryOutcome<ActivationPlan>> {
  const read = readSchema(openapi);
  if (read.kind === "refused") return read;
  const routes = read.value;
  const found = target && (await findTarget(db, applicationId, target));
  if (found?.kind === "refused") return found;
  const plan = { routes, target: found?.value ?? null };
  const refusal = refusalOf([
    ...targetMisfits(plan),
    ...(await liveMisfits(db, applicationId, routes, plan.target?.environment.id)),
  ]);
  return refusal ?? done(plan);
}

function targetMisfits({ routes, target }: ActivationPlan) {
  if (target?.what.kind !== "revision") return [];
  const { slug } = target.environment;
  return revisionMisfits(slug, target.what.revision, routes, ["query", "variant"]);
}

import type { RouteParams, RouteSchema } from "@agate/protocol";
import { pathText } from "@agate/protocol";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import type { Misfit } from "../params/check-params.ts";
import { findMisfits } from "../params/check-params.ts";
import { selectLiveRevisions } from "../queries/find-deployment.ts";
import type { FoundRevision } from "../queries/find-revision.ts";
import type { RegistryProblem } from "../registry-outcome.ts";

/** What of the configurations that are live in an application a schema does not take. */
export async function liveMisfits(
  db: RegistryDatabase,
  applicationId: string,
  routes: readonly RouteSchema[],
  /** What is live here is about to be replaced. */
  exceptEnvironmentId?: string,
): Promise<RegistryProblem[]> {
  const rows = await selectLiveRevisions(db, applicationId).execute();
  return rows
    .filter((row) => row.environment_id !== exceptEnvironmentId)
    .flatMap(({ environment, variant_slug: slug, revision, params }) =>
      misfitsIn(params, routes).map((misfit) => ({
        type: "config_invalid",
        // The fault lies between the two, in no one place of the request.
        loc: [],
        msg: `${environment} runs ${slug}@${revision}, whose ${described(misfit)}`,
      })),
    );
}

/** What of a revision that is about to become live in an environment a schema does not take. */
export function revisionMisfits(
  environment: string,
  { variant: { slug, revision }, params }: FoundRevision,
  routes: readonly RouteSchema[],
  loc: RegistryProblem["loc"],
): RegistryProblem[] {
  return misfitsIn(params, routes).map((misfit) => ({
    type: "config_invalid",
    loc,
    msg: `${environment} would run ${slug}@${revision}, whose ${described(misfit)}`,
  }));
}

function misfitsIn(params: string, routes: readonly RouteSchema[]): Misfit[] {
  return findMisfits(JSON.parse(params) as RouteParams, routes);
}

function described({ route, path, ...fault }: Misfit): string {
  const field = `${route}.${pathText(path)}`;
  return fault.kind === "refused"
    ? `${field} is ${fault.given}: takes ${fault.takes}.`
    : `${field} is missing: it has no default.`;
}

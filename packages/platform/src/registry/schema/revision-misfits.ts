import type { RouteParams, RouteSchema } from "@agate/protocol";
import { pathText } from "@agate/protocol";
import type { RegistryOutcome, RegistryProblem } from "../registry-outcome.ts";
import { done, refused } from "../registry-outcome.ts";
import type { FoundRevision } from "../variant-rows.ts";
import type { Misfit } from "./check-params.ts";
import { findMisfits } from "./check-params.ts";
import { readOpenapiSchema } from "./read-openapi-schema.ts";

/** The routes of a workflow's document. */
export function readSchema(openapi: unknown): RegistryOutcome<readonly RouteSchema[]> {
  const reading = readOpenapiSchema(openapi);
  return reading.kind === "routes"
    ? done(reading.routes)
    : refused({ type: "schema_invalid", loc: ["body"], msg: reading.reason });
}

/** The values of a revision, about to be deployed to an environment, that a schema does not accept. */
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
    ? `${field} is ${fault.given}, and must be ${fault.allowed}.`
    : `${field} is missing: it has no default.`;
}

import type { ApplicationSchema, RouteParams, RouteSchema } from "@agate/protocol";
import { pathText, shownValue } from "@agate/protocol";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import { selectLiveRevisions } from "../environment-rows.ts";
import type { Applications } from "../registry.ts";
import type { RegistryContext } from "../registry-context.ts";
import { findApplication, inApplication, routesOf } from "../registry-context.ts";
import type { RegistryOutcome, RegistryProblem } from "../registry-outcome.ts";
import { done, refusalOf, refused } from "../registry-outcome.ts";
import type { FoundRevision } from "../variant-rows.ts";
import type { Misfit } from "./check-params.ts";
import { findMisfits } from "./check-params.ts";
import { readOpenapiSchema } from "./read-openapi-schema.ts";

export function createApplicationSchema(
  context: RegistryContext,
): Pick<Applications, "schema" | "putSchema" | "checkSchema"> {
  const { db, now } = context;
  return {
    async schema(ref) {
      const found = await findApplication(db, ref);
      if (found.kind === "refused") return found;
      const routes = routesOf(found.value);
      const { slug, schema_updated_at: updatedAt } = found.value;
      if (routes === null || updatedAt === null) {
        const msg = `${shownValue(slug)} has no routes registered yet. Deploy a workflow, or put its /openapi.json here.`;
        return refused({ type: "schema_not_found", loc: ["path", "app"], msg });
      }
      return done({ routes, updated_at: updatedAt });
    },

    putSchema: (ref, openapi, { force = false } = {}) =>
      inApplication(context, ref, async (tx, { id }) => {
        const read = readSchema(openapi);
        if (read.kind === "refused") return read;
        const refusal = force ? undefined : refusalOf(await liveMisfits(tx, id, read.value));
        return refusal ?? done(await storeSchema(tx, id, read.value, now()));
      }),

    async checkSchema(ref, openapi) {
      const found = await findApplication(db, ref);
      if (found.kind === "refused") return found;
      const read = readSchema(openapi);
      if (read.kind === "refused") return read;
      const refusal = refusalOf(await liveMisfits(db, found.value.id, read.value));
      return refusal ?? done({ routes: read.value, updated_at: now() });
    },
  };
}

/** The routes of a workflow's document. */
export function readSchema(openapi: unknown): RegistryOutcome<readonly RouteSchema[]> {
  const reading = readOpenapiSchema(openapi);
  return reading.kind === "routes"
    ? done(reading.routes)
    : refused({ type: "schema_invalid", loc: ["body"], msg: reading.reason });
}

/** The application is locked. */
export async function storeSchema(
  tx: RegistryDatabase,
  applicationId: string,
  routes: readonly RouteSchema[],
  at: string,
): Promise<ApplicationSchema> {
  await tx
    .updateTable("applications")
    .set({ schema: JSON.stringify(routes), schema_updated_at: at })
    .where("id", "=", applicationId)
    .execute();
  return { routes, updated_at: at };
}

/** The values of an application's live configurations that a schema does not accept. */
export async function liveMisfits(
  db: RegistryDatabase,
  applicationId: string,
  routes: readonly RouteSchema[],
  /** Its live configuration is about to be replaced. */
  exceptEnvironmentId?: string,
): Promise<RegistryProblem[]> {
  const rows = await selectLiveRevisions(db, applicationId).execute();
  return rows
    .filter((row) => row.environment_id !== exceptEnvironmentId)
    .flatMap(({ environment, variant_slug: slug, revision, params }) =>
      misfitsIn(params, routes).map((misfit) => ({
        type: "config_invalid",
        // The conflict is with a live configuration, not with a field of the request.
        loc: [],
        msg: `${environment} runs ${slug}@${revision}, whose ${described(misfit)}`,
      })),
    );
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

import type { ApplicationSchema, RouteSchema } from "@agate/protocol";
import { shownValue } from "@agate/protocol";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import { findApplication, routesOf } from "../queries/find-application.ts";
import type { Applications } from "../registry.ts";
import type { RegistryContext } from "../registry-context.ts";
import { inApplication } from "../registry-context.ts";
import type { RegistryOutcome } from "../registry-outcome.ts";
import { done, refusalOf, refused } from "../registry-outcome.ts";
import { liveMisfits } from "./fit-schema.ts";
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
        const msg = `No workflow has told its routes to ${shownValue(slug)} yet. Deploy one, or put its /openapi.json here.`;
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

import { createHash } from "node:crypto";
import { shownValue } from "@agate/protocol";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import type { BuildRow } from "./build-rows.ts";
import {
  buildDocument,
  findLiveBuild,
  findRepresentativeBuild,
  insertBuild,
  routesOfBuild,
} from "./build-rows.ts";
import type { HostedEnvironment, PinnedChange } from "./deployment-change.ts";
import { applyPlan } from "./deployments.ts";
import type { EnvironmentRow } from "./environment-rows.ts";
import { findDefaultEnvironment, findEnvironment, hostedEnvironment } from "./environment-rows.ts";
import { newId } from "./names.ts";
import { planChange } from "./plan-change.ts";
import type { Applications, PutSchemaOptions } from "./registry.ts";
import type { ApplicationRow, RegistryContext } from "./registry-context.ts";
import { announcing, findApplication, storableText } from "./registry-context.ts";
import type { RegistryOutcome, RegistryProblem } from "./registry-outcome.ts";
import { done, refused } from "./registry-outcome.ts";
import { readSchema } from "./schema/revision-misfits.ts";

const ENVIRONMENT_LOC = ["query", "environment"];

/** The schemas of an application's environments: of what runs here, and of workflows that run elsewhere. */
export function createApplicationSchema(
  context: RegistryContext,
): Pick<Applications, "schema" | "putSchema"> {
  const { db, now } = context;
  return {
    async schema(ref, environment = null) {
      const found = await findApplication(db, ref);
      if (found.kind === "refused") return found;
      const build = await findSchemaBuild(db, found.value.id, environment);
      if (build.kind === "refused") return build;
      const routes = build.value && routesOfBuild(build.value);
      if (build.value === undefined || !routes) {
        const msg = `${shownValue(environment ?? found.value.slug)} has no routes registered yet. Deploy a workflow, or put its /openapi.json here.`;
        return refused({ type: "schema_not_found", loc: ["path", "app"], msg });
      }
      const { live_since: liveSince, created_at: createdAt } = build.value;
      return done({ routes, updated_at: liveSince ?? createdAt });
    },

    putSchema: (ref, openapi, options) =>
      announcing(["config", "builds"], context, ref, async (tx, application) => {
        const { by, isDevelopment = false } = options;
        const environment = await environmentOf(tx, application, options);
        if (environment.kind === "refused") return environment;
        const read = readSchema(openapi);
        if (read.kind === "refused") return read;
        const schema = JSON.stringify(read.value);
        const at = now();
        const live = await findLiveBuild(tx, environment.value.id);
        if (live?.kind === "hosted" && !isDevelopment) {
          return refused(stillHosted(environment.value.slug, live.number));
        }
        if (live?.kind !== "external" || live.schema !== schema) {
          const build = await ensureExternal(tx, application.id, schema, { by, at });
          const hosted = hostedEnvironment(application, environment.value);
          const change = registration(hosted, build, options);
          const plan = await planChange(tx, application.id, change, openapi);
          if (plan.kind === "refused") return plan;
          await applyPlan(tx, plan.value, change, at, { isSparse: isDevelopment });
        }
        return done({ routes: read.value, updated_at: at });
      }),
  };
}

/** Whose routes an application's configurations are checked against: of an environment, where one is named. */
export async function findSchemaBuild(
  db: RegistryDatabase,
  applicationId: string,
  environment: string | null,
  loc: RegistryProblem["loc"] = ENVIRONMENT_LOC,
): Promise<RegistryOutcome<BuildRow | undefined>> {
  if (environment === null) return done(await findRepresentativeBuild(db, applicationId));
  const found = await findEnvironment(db, applicationId, environment, loc);
  return found.kind === "refused" ? found : done(await findLiveBuild(db, found.value.id));
}

async function environmentOf(
  tx: RegistryDatabase,
  { id, slug }: ApplicationRow,
  { environment: name }: PutSchemaOptions,
): Promise<RegistryOutcome<EnvironmentRow>> {
  if (name !== null) return findEnvironment(tx, id, name, ENVIRONMENT_LOC);
  const byDefault = await findDefaultEnvironment(tx, id);
  if (byDefault !== undefined) return done(byDefault);
  const msg = `${shownValue(slug)} has no environment. Create one first.`;
  return refused({ type: "environment_not_found", loc: ENVIRONMENT_LOC, msg });
}

function stillHosted(environment: string, build: number): RegistryProblem {
  const msg = `${environment} runs build ${build} on this platform. Take that down first, or deploy the workflow.`;
  return { type: "still_live", loc: ENVIRONMENT_LOC, msg };
}

/** The build that stands for a workflow that runs elsewhere, known by its schema. The application is locked. */
async function ensureExternal(
  tx: RegistryDatabase,
  applicationId: string,
  schema: string,
  { by, at }: { readonly by: string; readonly at: string },
): Promise<BuildRow> {
  const hash = createHash("sha256").update(schema).digest("hex");
  const known = await tx
    .selectFrom("builds")
    .selectAll()
    .where("application_id", "=", applicationId)
    .where("kind", "=", "external")
    .where("archive_hash", "=", hash)
    .executeTakeFirst();
  if (known !== undefined) return known;
  return insertBuild(tx, applicationId, {
    id: newId("bld"),
    status: "retired",
    created_by: storableText(by),
    created_at: at,
    routes: null,
    size: 0,
    sdk_version: "",
    message: "",
    refusal: null,
    live_since: null,
    allow: null,
    manifest_hash: null,
    schema: null,
    archive_hash: hash,
    git_commit: null,
    kind: "external",
    has_evals: null,
    evaluations: null,
  });
}

function registration(
  environment: HostedEnvironment,
  build: BuildRow,
  { by, isDevelopment = false }: PutSchemaOptions,
): PinnedChange {
  return {
    environment,
    build: buildDocument(build, new Map()),
    config: null,
    origin: { kind: "deploy" },
    restarts: false,
    accepts: isDevelopment ? "anything" : "compatible",
    loc: [],
    by,
    message: "Runs elsewhere",
  };
}

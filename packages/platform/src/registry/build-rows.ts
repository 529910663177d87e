import type { Build, BuildPermission, RouteSchema } from "@agate/protocol";
import { shownValue } from "@agate/protocol";
import type { Selectable } from "kysely";
import type { RegistryDatabase, RegistryTables } from "../stores/registry/registry-tables.ts";
import { findDefaultEnvironment, selectLive } from "./environment-rows.ts";
import { nameOf } from "./names.ts";
import type { RegistryOutcome, RegistryProblem } from "./registry-outcome.ts";
import { done, refused } from "./registry-outcome.ts";

export type BuildRow = Selectable<RegistryTables["builds"]>;

// Nine digits are less than 32 bits.
const NUMBER = /^[1-9]\d{0,8}$/;

/** By its number or its id. */
export async function findBuild(
  db: RegistryDatabase,
  applicationId: string,
  build: string,
  loc: RegistryProblem["loc"] = ["path", "build"],
): Promise<RegistryOutcome<BuildRow>> {
  const query = db.selectFrom("builds").selectAll().where("application_id", "=", applicationId);
  const row = await (NUMBER.test(build)
    ? query.where("number", "=", Number(build))
    : query.where("id", "=", nameOf(build).value)
  ).executeTakeFirst();
  if (row !== undefined) return done(row);
  const msg = `There is no build ${shownValue(build)}. Use a number from the list of builds.`;
  return refused({ type: "build_not_found", loc, msg });
}

/** Adds a build with the next number. The application is locked. */
export async function insertBuild(
  tx: RegistryDatabase,
  applicationId: string,
  build: Omit<BuildRow, "application_id" | "number">,
): Promise<BuildRow> {
  const { latest } = await tx
    .selectFrom("builds")
    .select(({ fn }) => fn.max("number").as("latest"))
    .where("application_id", "=", applicationId)
    .executeTakeFirstOrThrow();
  const number = (latest ?? 0) + 1;
  const row = { application_id: applicationId, number, ...build };
  await tx.insertInto("builds").values(row).execute();
  return row;
}

/** Where each build of an application is live: the slugs of environments, by the ids of builds. */
export type LivePlaces = ReadonlyMap<string, readonly string[]>;

export async function findLivePlaces(
  db: RegistryDatabase,
  applicationId: string,
): Promise<LivePlaces> {
  const places = new Map<string, string[]>();
  for (const { build_id: id, environment } of await selectLive(db, applicationId).execute()) {
    if (id !== null) places.set(id, [...(places.get(id) ?? []), environment]);
  }
  return places;
}

export function buildDocument(row: BuildRow, places: LivePlaces): Build {
  const environments = places.get(row.id) ?? [];
  return {
    id: row.id,
    number: row.number,
    kind: row.kind,
    status: environments.length > 0 ? "live" : statusElsewhere(row),
    environments,
    created_by: row.created_by,
    created_at: row.created_at,
    routes: row.routes === null ? null : (JSON.parse(row.routes) as string[]),
    size: row.size,
    sdk_version: row.sdk_version,
    message: row.message,
    commit: row.git_commit,
    allow: row.allow === null ? null : (JSON.parse(row.allow) as BuildPermission[]),
    archive_sha256: row.archive_hash,
    manifest_sha256: row.manifest_hash,
    refusal: row.refusal,
  };
}

/** Of a build that is live nowhere: the row's own `live` is for servers of earlier releases. */
function statusElsewhere({ status }: BuildRow): Build["status"] {
  if (status === "preparing") return "starting";
  return status === "live" ? "retired" : status;
}

/** The routes of a build; null until it has answered. */
export function routesOfBuild({ schema }: Pick<BuildRow, "schema">): readonly RouteSchema[] | null {
  return schema === null ? null : (JSON.parse(schema) as RouteSchema[]);
}

/** The build that is live in an environment. */
export function findLiveBuild(
  db: RegistryDatabase,
  environmentId: string,
): Promise<BuildRow | undefined> {
  return db
    .selectFrom("deployments")
    .innerJoin("builds", "builds.id", "deployments.build_id")
    .selectAll("builds")
    .where("deployments.environment_id", "=", environmentId)
    .where("deployments.ended_at", "is", null)
    .executeTakeFirst();
}

/**
 * The build that an application is known by where no environment is named: the default environment's;
 * without one the newest that is live anywhere, and then the newest that has ever answered.
 */
export async function findRepresentativeBuild(
  db: RegistryDatabase,
  applicationId: string,
): Promise<BuildRow | undefined> {
  const environment = await findDefaultEnvironment(db, applicationId);
  const own = environment && (await findLiveBuild(db, environment.id));
  if (own !== undefined) return own;
  const live = await db
    .selectFrom("deployments")
    .innerJoin("builds", "builds.id", "deployments.build_id")
    .selectAll("builds")
    .where("deployments.application_id", "=", applicationId)
    .where("deployments.ended_at", "is", null)
    .orderBy("deployments.number", "desc")
    .limit(1)
    .executeTakeFirst();
  if (live !== undefined) return live;
  return db
    .selectFrom("builds")
    .selectAll()
    .where("application_id", "=", applicationId)
    .where("schema", "is not", null)
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst();
}

/**
 * Writes what servers of earlier releases read, so that they run beside this one during an upgrade: one
 * live build and one schema for the whole application. Called by every change of what is live, with the
 * application locked.
 */
export async function mirrorLiveBuild(
  tx: RegistryDatabase,
  applicationId: string,
  at: string,
): Promise<void> {
  const build = await findRepresentativeBuild(tx, applicationId);
  const isLive =
    build?.kind === "hosted" && (await findLivePlaces(tx, applicationId)).has(build.id);
  const liveId = isLive ? build.id : "";
  await tx
    .updateTable("builds")
    .set({ status: "retired" })
    .where("application_id", "=", applicationId)
    .where("status", "=", "live")
    .where("id", "!=", liveId)
    .execute();
  await tx
    .updateTable("builds")
    .set({ status: "live", live_since: at })
    .where("id", "=", liveId)
    .where("status", "!=", "live")
    .execute();
  if (build === undefined) return;
  await tx
    .updateTable("applications")
    .set({ schema: build.schema, schema_updated_at: at })
    .where("id", "=", applicationId)
    .execute();
}

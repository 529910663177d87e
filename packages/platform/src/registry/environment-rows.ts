import type { Deployment, Environment, VariantRevision } from "@agate/protocol";
import type { Selectable } from "kysely";
import type { RegistryDatabase, RegistryTables } from "../stores/registry/registry-tables.ts";
import type { Authorship, DeploymentOrigin, HostedEnvironment } from "./deployment-change.ts";
import { missingName, nameOf, newId } from "./names.ts";
import { type ApplicationRow, storableText } from "./registry-context.ts";
import type { RegistryOutcome, RegistryProblem } from "./registry-outcome.ts";
import { done } from "./registry-outcome.ts";

export type EnvironmentRow = Selectable<RegistryTables["environments"]>;

export function listEnvironments(
  db: RegistryDatabase,
  applicationId: string,
): Promise<EnvironmentRow[]> {
  return db
    .selectFrom("environments")
    .selectAll()
    .where("application_id", "=", applicationId)
    .where("deleted_slug", "is", null)
    .orderBy("number")
    .execute();
}

export async function findEnvironment(
  db: RegistryDatabase,
  applicationId: string,
  environment: string,
  loc: RegistryProblem["loc"] = ["path", "environment"],
): Promise<RegistryOutcome<EnvironmentRow>> {
  const { column, value } = nameOf(environment);
  const row = await db
    .selectFrom("environments")
    .selectAll()
    .where("application_id", "=", applicationId)
    .where(column, "=", value)
    .where("deleted_slug", "is", null)
    .executeTakeFirst();
  if (row !== undefined) return done(row);
  const others = await listEnvironments(db, applicationId);
  return missingName("environment", environment, {
    loc,
    names: others.map(({ slug }) => slug),
    createOne: "Create one first.",
  });
}

export function environmentDocument(
  { id, slug, playground, created_at, is_default: isDefault }: EnvironmentRow,
  live: DeploymentRow | undefined,
): Environment {
  const deployment = live === undefined ? null : deploymentDocument(live);
  const settings = { is_default: isDefault === 1, playground: playground === 1 };
  return { id, slug, created_at, ...settings, deployment };
}

/** An environment as hosting knows it. */
export function hostedEnvironment(
  { project_id: project, id: applicationId, slug: application }: ApplicationRow,
  { id, slug, number, is_default, playground }: EnvironmentRow,
): HostedEnvironment {
  return {
    project,
    application: { id: applicationId, slug: application },
    id,
    slug,
    number,
    isDefault: is_default === 1,
    playground: playground === 1,
  };
}

/** The environment that calls which name none go to; undefined where all were deleted. */
export function findDefaultEnvironment(
  db: RegistryDatabase,
  applicationId: string,
): Promise<EnvironmentRow | undefined> {
  return db
    .selectFrom("environments")
    .selectAll()
    .where("application_id", "=", applicationId)
    .where("is_default", "=", 1)
    .executeTakeFirst();
}

/** Adds an environment with nothing in it. The application is locked, or new. */
export async function insertEnvironment(
  tx: RegistryDatabase,
  applicationId: string,
  slug: string,
  { at, isDefault }: { readonly at: string; readonly isDefault: boolean },
): Promise<EnvironmentRow> {
  const { latest } = await tx
    .selectFrom("environments")
    .select(({ fn }) => fn.max("number").as("latest"))
    .where("application_id", "=", applicationId)
    .executeTakeFirstOrThrow();
  const row = {
    id: newId("env"),
    application_id: applicationId,
    number: (latest ?? 0) + 1,
    slug,
    created_at: at,
    is_default: isDefault ? 1 : 0,
    // Where callers get what is deployed, they do not choose the configuration.
    playground: isDefault ? 0 : 1,
    deleted_slug: null,
  };
  await tx.insertInto("environments").values(row).execute();
  return row;
}

/** Deletes an environment with its variables. Its history stays. The application is locked. */
export async function deleteEnvironment(
  tx: RegistryDatabase,
  { id, slug }: EnvironmentRow,
): Promise<void> {
  for (const table of ["variables", "route_calls", "server_reports"] as const) {
    await tx.deleteFrom(table).where("environment_id", "=", id).execute();
  }
  // Its own slug is free again.
  await tx
    .updateTable("environments")
    .set({ slug: id, deleted_slug: slug })
    .where("id", "=", id)
    .execute();
}

/** Deployments, with the slugs that environments and variants have now, where they are still there. */
export function selectDeployments(db: RegistryDatabase, applicationId: string) {
  return db
    .selectFrom("deployments")
    .innerJoin("environments", "environments.id", "deployments.environment_id")
    .leftJoin("variants", "variants.id", "deployments.variant_id")
    .leftJoin("environments as source", "source.id", "deployments.promoted_from_id")
    .leftJoin("builds", "builds.id", "deployments.build_id")
    .select(({ fn }) => [
      "deployments.id",
      "deployments.number",
      "deployments.environment_id",
      fn.coalesce("environments.deleted_slug", "environments.slug").as("environment"),
      "deployments.variant_id",
      fn.coalesce("variants.slug", "deployments.variant_slug").as("variant_slug"),
      "deployments.revision",
      "deployments.kind",
      fn
        .coalesce("source.deleted_slug", "source.slug", "deployments.promoted_from_slug")
        .as("promoted_from"),
      "deployments.rolled_back_to",
      "deployments.message",
      "deployments.deployed_by",
      "deployments.deployed_at",
      "deployments.ended_at",
      "deployments.build_id",
      "deployments.build_since",
      "builds.number as build_number",
      "builds.kind as build_kind",
    ])
    .where("deployments.application_id", "=", applicationId);
}

export type DeploymentRow = Awaited<
  ReturnType<ReturnType<typeof selectDeployments>["executeTakeFirstOrThrow"]>
>;

/** What is live in one environment. */
export function findLiveIn(
  db: RegistryDatabase,
  { id, application_id }: Pick<EnvironmentRow, "id" | "application_id">,
): Promise<DeploymentRow | undefined> {
  return selectLive(db, application_id)
    .where("deployments.environment_id", "=", id)
    .executeTakeFirst();
}

/** Those that are live, ordered by environment. */
export function selectLive(db: RegistryDatabase, applicationId: string) {
  return selectDeployments(db, applicationId)
    .where("deployments.ended_at", "is", null)
    .orderBy("environments.number");
}

/** The same with the parameters that they pin, which are there: what is live cannot be deleted. */
export function selectLiveRevisions(db: RegistryDatabase, applicationId: string) {
  return selectLive(db, applicationId)
    .innerJoin("revisions", (join) =>
      join
        .onRef("revisions.variant_id", "=", "deployments.variant_id")
        .onRef("revisions.revision", "=", "deployments.revision"),
    )
    .select("revisions.params");
}

export function deploymentDocument(row: DeploymentRow): Deployment {
  return {
    id: row.id,
    environment: row.environment,
    build: deployedBuild(row),
    variant: { id: row.variant_id, slug: row.variant_slug, revision: row.revision },
    kind: row.kind,
    promoted_from: row.promoted_from,
    rolled_back_to: row.rolled_back_to,
    message: row.message,
    deployed_by: row.deployed_by,
    deployed_at: row.deployed_at,
    ended_at: row.ended_at,
  };
}

function deployedBuild({ build_id: id, build_number: number, build_kind: kind }: DeploymentRow) {
  return id === null || number === null || kind === null ? null : { id, number, kind };
}

interface NewDeployment extends Authorship {
  readonly environmentId: string;
  readonly buildId: string;
  /** Since when its code runs there without a restart. */
  readonly buildSince: string;
  readonly variant: VariantRevision;
  readonly origin: DeploymentOrigin;
  readonly at: string;
}

/** Makes a build and a revision the live ones of an environment. The application is locked. */
export async function insertDeployment(
  tx: RegistryDatabase,
  applicationId: string,
  { environmentId, buildId, buildSince, variant, origin, by, message, at }: NewDeployment,
): Promise<Deployment> {
  await endLive(tx, environmentId, at);
  const { latest } = await tx
    .selectFrom("deployments")
    .select(({ fn }) => fn.max("number").as("latest"))
    .where("application_id", "=", applicationId)
    .executeTakeFirstOrThrow();
  const id = newId("dep");
  const source = origin.kind === "promotion" ? origin.from : null;
  await tx
    .insertInto("deployments")
    .values({
      id,
      application_id: applicationId,
      environment_id: environmentId,
      number: (latest ?? 0) + 1,
      variant_id: variant.id,
      variant_slug: variant.slug,
      revision: variant.revision,
      kind: origin.kind,
      promoted_from_id: source?.id ?? null,
      promoted_from_slug: source?.slug ?? null,
      rolled_back_to: origin.kind === "rollback" ? origin.to : null,
      message: storableText(message),
      deployed_by: storableText(by),
      deployed_at: at,
      ended_at: null,
      build_id: buildId,
      build_since: buildSince,
    })
    .execute();
  const row = await selectDeployments(tx, applicationId)
    .where("deployments.id", "=", id)
    .executeTakeFirstOrThrow();
  return deploymentDocument(row);
}

/** Nothing is live in the environment afterwards. */
export async function endLive(
  tx: RegistryDatabase,
  environmentId: string,
  at: string,
): Promise<void> {
  await tx
    .updateTable("deployments")
    .set({ ended_at: at })
    .where("environment_id", "=", environmentId)
    .where("ended_at", "is", null)
    .execute();
}

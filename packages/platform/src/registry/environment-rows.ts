import type { Deployment, Environment, VariantRevision } from "@agate/protocol";
import type { Selectable } from "kysely";
import type { RegistryDatabase, RegistryTables } from "../stores/registry/registry-tables.ts";
import { missingName, nameOf, newId } from "./names.ts";
import type { Authorship } from "./registry.ts";
import { storableText } from "./registry-context.ts";
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
  { id, slug, playground, created_at }: EnvironmentRow,
  live: DeploymentRow | undefined,
): Environment {
  const deployment = live === undefined ? null : deploymentDocument(live);
  return { id, slug, playground: playground === 1, created_at, deployment };
}

/** Adds an environment with nothing in it. The application is locked, or new. */
export async function insertEnvironment(
  tx: RegistryDatabase,
  applicationId: string,
  slug: string,
  at: string,
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
    is_default: 0,
    playground: 1,
  };
  await tx.insertInto("environments").values(row).execute();
  return row;
}

/** Deployments, with the slugs that environments and variants have now, where they are still there. */
export function selectDeployments(db: RegistryDatabase, applicationId: string) {
  return db
    .selectFrom("deployments")
    .innerJoin("environments", "environments.id", "deployments.environment_id")
    .leftJoin("variants", "variants.id", "deployments.variant_id")
    .leftJoin("environments as source", "source.id", "deployments.promoted_from_id")
    .select(({ fn }) => [
      "deployments.id",
      "deployments.number",
      "deployments.environment_id",
      "environments.slug as environment",
      "deployments.variant_id",
      fn.coalesce("variants.slug", "deployments.variant_slug").as("variant_slug"),
      "deployments.revision",
      "deployments.kind",
      fn.coalesce("source.slug", "deployments.promoted_from_slug").as("promoted_from"),
      "deployments.rolled_back_to",
      "deployments.message",
      "deployments.deployed_by",
      "deployments.deployed_at",
      "deployments.ended_at",
    ])
    .where("deployments.application_id", "=", applicationId);
}

export type DeploymentRow = Awaited<
  ReturnType<ReturnType<typeof selectDeployments>["executeTakeFirstOrThrow"]>
>;

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

/** How a deployment comes about. */
export type DeploymentOrigin =
  | { readonly kind: "deploy" }
  | { readonly kind: "promotion"; readonly from: { readonly id: string; readonly slug: string } }
  | { readonly kind: "rollback"; readonly to: string };

interface NewDeployment extends Authorship {
  readonly environmentId: string;
  readonly variant: VariantRevision;
  readonly origin: DeploymentOrigin;
  readonly at: string;
}

/** Makes a revision the live one of an environment. The application is locked. */
export async function insertDeployment(
  tx: RegistryDatabase,
  applicationId: string,
  { environmentId, variant, origin, by, message, at }: NewDeployment,
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

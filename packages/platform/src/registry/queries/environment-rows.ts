import type { Environment } from "@agate/protocol";
import type { Selectable } from "kysely";
import type { RegistryDatabase, RegistryTables } from "../../stores/registry/registry-tables.ts";
import { missingName, nameOf, newId } from "../names.ts";
import type { RegistryOutcome, RegistryProblem } from "../registry-outcome.ts";
import { done } from "../registry-outcome.ts";
import type { DeploymentRow } from "./deployment-rows.ts";
import { deploymentDocument } from "./deployment-rows.ts";

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
  { id, slug, created_at }: EnvironmentRow,
  live: DeploymentRow | undefined,
): Environment {
  const deployment = live === undefined ? null : deploymentDocument(live);
  return { id, slug, created_at, deployment };
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
  };
  await tx.insertInto("environments").values(row).execute();
  return row;
}

import type { Environment } from "@agate/protocol";
import type { Selectable } from "kysely";
import type { RegistryDatabase, RegistryTables } from "../../stores/registry/registry-tables.ts";
import type { RegistryOutcome, RegistryProblem } from "../registry-outcome.ts";
import { done } from "../registry-outcome.ts";
import { nameOf } from "../slug.ts";
import type { DeploymentRow } from "./find-deployment.ts";
import { deploymentDocument } from "./find-deployment.ts";
import { missingName } from "./missing-name.ts";

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
    makeOne: "Make one first.",
  });
}

export function environmentDocument(
  { id, slug, created_at }: EnvironmentRow,
  live: DeploymentRow | undefined,
): Environment {
  const deployment = live === undefined ? null : deploymentDocument(live);
  return { id, slug, created_at, deployment };
}

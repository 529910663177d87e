import type { RouteSchema } from "@agate/protocol";
import type { Selectable } from "kysely";
import type { RegistryDatabase, RegistryTables } from "../../stores/registry/registry-tables.ts";
import { missingName, nameOf } from "../names.ts";
import type { ApplicationRef } from "../registry.ts";
import type { RegistryOutcome } from "../registry-outcome.ts";
import { done } from "../registry-outcome.ts";

export type ApplicationRow = Selectable<RegistryTables["applications"]>;

export async function findApplication(
  db: RegistryDatabase,
  { project, application }: ApplicationRef,
): Promise<RegistryOutcome<ApplicationRow>> {
  const { column, value } = nameOf(application);
  const row = await db
    .selectFrom("applications")
    .selectAll()
    .where("project_id", "=", project)
    .where(column, "=", value)
    .executeTakeFirst();
  return row === undefined ? missing(db, project, application) : done(row);
}

/**
 * Finds an application and locks it until the transaction ends. Every change of an application starts
 * with this. An update that changes nothing locks the row in every dialect; it makes a number that is
 * the highest plus one, or a check before a write, safe under concurrency.
 */
export async function lockApplication(
  tx: RegistryDatabase,
  { project, application }: ApplicationRef,
): Promise<RegistryOutcome<ApplicationRow>> {
  const { column, value } = nameOf(application);
  const row = await tx
    .updateTable("applications")
    .set((eb) => ({ slug: eb.ref("slug") }))
    .where("project_id", "=", project)
    .where(column, "=", value)
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? missing(tx, project, application) : done(row);
}

async function missing(db: RegistryDatabase, project: string, application: string) {
  const rows = await db
    .selectFrom("applications")
    .select("slug")
    .where("project_id", "=", project)
    .execute();
  return missingName("application", application, {
    loc: ["path", "app"],
    names: rows.map(({ slug }) => slug),
    createOne: "Create one, or deploy a workflow.",
  });
}

/** The application's routes; null until a workflow has registered them. */
export function routesOf({ schema }: ApplicationRow): readonly RouteSchema[] | null {
  return schema === null ? null : (JSON.parse(schema) as RouteSchema[]);
}

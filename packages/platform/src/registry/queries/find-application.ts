import type { RouteSchema } from "@agate/protocol";
import type { Selectable } from "kysely";
import type { RegistryDatabase, RegistryTables } from "../../stores/registry/registry-tables.ts";
import type { ApplicationRef } from "../registry.ts";
import type { RegistryOutcome } from "../registry-outcome.ts";
import { done } from "../registry-outcome.ts";
import { nameOf } from "../slug.ts";
import { missingName } from "./missing-name.ts";

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
 * Finds it and keeps it from others until the transaction ends: whoever changes anything of an
 * application does this first. An update that changes nothing locks the row in every dialect; a
 * number that is the highest plus one, or a check before a write, is then right under concurrency.
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
    makeOne: "Make one, or deploy a workflow.",
  });
}

/** Null while no workflow has told. */
export function routesOf({ schema }: ApplicationRow): readonly RouteSchema[] | null {
  return schema === null ? null : (JSON.parse(schema) as RouteSchema[]);
}

import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import { newId } from "../new-id.ts";
import type { EnvironmentRow } from "./find-environment.ts";

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

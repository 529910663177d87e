import type { Build, BuildPermission } from "@agate/protocol";
import { shownValue } from "@agate/protocol";
import type { Selectable } from "kysely";
import type { RegistryDatabase, RegistryTables } from "../../stores/registry/registry-tables.ts";
import type { RegistryOutcome } from "../registry-outcome.ts";
import { done, refused } from "../registry-outcome.ts";
import { nameOf } from "../slug.ts";

type BuildRow = Selectable<RegistryTables["builds"]>;

// Nine digits are less than 32 bits.
const NUMBER = /^[1-9]\d{0,8}$/;

/** By its number or its id. */
export async function findBuild(
  db: RegistryDatabase,
  applicationId: string,
  build: string,
): Promise<RegistryOutcome<BuildRow>> {
  const query = db.selectFrom("builds").selectAll().where("application_id", "=", applicationId);
  const row = await (NUMBER.test(build)
    ? query.where("number", "=", Number(build))
    : query.where("id", "=", nameOf(build).value)
  ).executeTakeFirst();
  if (row !== undefined) return done(row);
  const msg = `There is no build ${shownValue(build)}. Take a number from the list of builds.`;
  return refused({ type: "build_not_found", loc: ["path", "build"], msg });
}

export function buildDocument(row: BuildRow): Build {
  return {
    id: row.id,
    number: row.number,
    status: row.status,
    created_by: row.created_by,
    created_at: row.created_at,
    routes: row.routes === null ? null : (JSON.parse(row.routes) as string[]),
    size: row.size,
    sdk_version: row.sdk_version,
    message: row.message,
    allow: row.allow === null ? null : (JSON.parse(row.allow) as BuildPermission[]),
    manifest_sha256: row.manifest_hash,
    refusal: row.refusal,
  };
}

import type { Build, BuildPermission } from "@agate/protocol";
import { shownValue } from "@agate/protocol";
import type { Kysely, Selectable } from "kysely";
import type { RegistryDatabase, RegistryTables } from "../../stores/registry/registry-tables.ts";
import { nameOf } from "../names.ts";
import type { RegistryOutcome, RegistryProblem } from "../registry-outcome.ts";
import { done, refused } from "../registry-outcome.ts";

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
  const msg = `There is no build ${shownValue(build)}. Use a number from the list of builds.`;
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

interface LeaseTables {
  readonly deploy_leases: { readonly application_id: string; readonly token: number };
}

/**
 * The problem of a change without the deploy lock; undefined while the lock is held. A server that hangs
 * loses the lock to another, and must not finish its change when it wakes up.
 *
 * @param token Of the lock; null without other replicas.
 */
export async function lostLease(
  tx: RegistryDatabase,
  applicationId: string,
  token: number | null,
): Promise<RegistryProblem | undefined> {
  if (token === null) return undefined;
  // Locks the row: the next holder gets the lock after this transaction.
  const lease = await (tx as unknown as Kysely<LeaseTables>)
    .selectFrom("deploy_leases")
    .select("token")
    .where("application_id", "=", applicationId)
    .forUpdate()
    .executeTakeFirst();
  if (lease?.token === token) return undefined;
  const msg =
    "This server did not respond for too long, and another deploy of the application went ahead. Nothing was changed: deploy again.";
  return { type: "deploy_superseded", loc: ["path", "app"], msg };
}

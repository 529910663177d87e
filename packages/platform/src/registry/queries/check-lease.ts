import type { Kysely } from "kysely";
import type { RegistryDatabase } from "../../stores/registry/registry-tables.ts";
import type { RegistryProblem } from "../registry-outcome.ts";

interface LeaseTables {
  readonly deploy_leases: { readonly application_id: string; readonly token: number };
}

/**
 * Why a change of what serves an application comes too late; undefined where it does not. A server that
 * hangs loses its turn to another, and must not finish its change when it goes on.
 *
 * @param token Of the turn that the change is made in; null where no other server can take turns.
 */
export async function lostLease(
  tx: RegistryDatabase,
  applicationId: string,
  token: number | null,
): Promise<RegistryProblem | undefined> {
  if (token === null) return undefined;
  // Locked: the next turn begins after this transaction.
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

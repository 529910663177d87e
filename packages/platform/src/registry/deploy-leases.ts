import type { Kysely } from "kysely";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import type { RegistryProblem } from "./registry-outcome.ts";

/** The right to change something, of one of several servers; null or absent without other replicas. */
export interface LeaseToken {
  /** What it is for: the id of an environment or of a build. */
  readonly key: string;
  readonly token: number;
}

interface LeaseTables {
  readonly deploy_leases: { readonly application_id: string; readonly token: number };
}

/**
 * The problem of a change without the lock; undefined while the lock is held. A server that hangs loses
 * the lock to another, and must not finish its change when it wakes up.
 */
export async function lostLease(
  tx: RegistryDatabase,
  lease: LeaseToken | null,
): Promise<RegistryProblem | undefined> {
  if (lease === null) return undefined;
  // Locks the row: the next holder gets the lock after this transaction.
  const held = await (tx as unknown as Kysely<LeaseTables>)
    .selectFrom("deploy_leases")
    .select("token")
    // Named before locks were for anything else than applications.
    .where("application_id", "=", lease.key)
    .forUpdate()
    .executeTakeFirst();
  if (held?.token === lease.token) return undefined;
  const msg =
    "This server did not respond for too long, and another change went ahead. Nothing was changed: deploy again.";
  return { type: "deploy_superseded", loc: ["path", "app"], msg };
}

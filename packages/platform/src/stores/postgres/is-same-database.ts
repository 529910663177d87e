import { randomBytes } from "node:crypto";
import type { PostgresAddress } from "../store-address.ts";
import { withConnection } from "./with-connection.ts";

/**
 * Whether two addresses lead to one database, whatever names its server has and whoever stands between:
 * what is locked over one is locked over the other.
 *
 * @throws StoreRefusalError with one sentence when nobody can tell.
 */
export function isSameDatabase(one: PostgresAddress, other: PostgresAddress): Promise<boolean> {
  const key = [randomBytes(8).readBigInt64BE().toString()];
  return withConnection(one, async (holder) => {
    await holder.query("BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0");
    await holder.query("SELECT pg_advisory_xact_lock($1::bigint)", key);
    return withConnection(other, async (asker) => {
      const { rows } = await asker.query<{ is_free: boolean }>(
        "SELECT pg_try_advisory_xact_lock($1::bigint) AS is_free",
        key,
      );
      return rows[0]?.is_free === false;
    });
  });
}

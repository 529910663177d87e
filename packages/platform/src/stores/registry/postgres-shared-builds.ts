import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import { Client } from "pg";
import { connectionOptions } from "../postgres/connection-settings.ts";
import { SocketGroup } from "../postgres/connection-watchdog.ts";
import { codeOf, transientReason } from "../postgres/postgres-errors.ts";
import type { PostgresAddress } from "../store-address.ts";
import { asUnavailable, RegistryUnavailableError } from "../store-errors.ts";
import type { RegistryDatabase } from "./registry-tables.ts";
import type { BuildArchives, DeployLease, SharedBuilds } from "./shared-builds.ts";

/** "AGBT", a namespace for locks: other programs may take locks in the same database. */
const LOCKS = 0x41_47_42_54;
/** How often it is checked whether another server has released the lock. */
const WAIT_MS = 200;
const LONGEST_ANSWER_MS = 5000;

/**
 * The lock ends with its transaction, so the server's idle and transaction timeouts must not end it; older
 * servers do not have both settings. Keep-alives let the server notice when this machine is gone.
 */
const SETTINGS = `
  SELECT set_config(name, '0', true) FROM pg_settings
  WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout');
  SET LOCAL tcp_keepalives_idle = 10;
  SET LOCAL tcp_keepalives_interval = 5;
  SET LOCAL tcp_keepalives_count = 3`;

/** How long a lease lasts without renewal; its server renews it three times as often. */
const LEASE_MS = 15_000;
/** Leases that ended this long ago are deleted. A build has one for each of its deploys. */
const KEEP_ENDED_MS = 3_600_000;
/** A lock younger than this may not have its lease yet. */
const NEWCOMER_MS = 5_000;

/**
 * Deploy leases as advisory locks of PostgreSQL. Each has a connection of its own, whose end releases the
 * lock, so that a killed process blocks no other. A process that hangs keeps its connection, so the lock
 * also has a lease: another server terminates the connection of a lease that was not renewed in time, and
 * the registry rejects the token of a lost lease. The lock belongs to a transaction that writes nothing,
 * because poolers pass a connection on after each transaction.
 */
export function createPostgresDeployLeases(
  address: PostgresAddress,
  db: RegistryDatabase,
  { leaseMs = LEASE_MS, newcomerMs = NEWCOMER_MS }: Partial<LeaseLimits> = {},
): Pick<SharedBuilds, "acquireLease" | "tryLease"> {
  async function tryTake(client: Client, applicationId: string): Promise<Lease | undefined> {
    if (!(await tryLock(client, applicationId))) {
      await endHungLease(client, applicationId, newcomerMs);
      return undefined;
    }
    await deleteEnded(db);
    return takeLease(db, applicationId, leaseMs);
  }
  return {
    async acquireLease(applicationId, signal) {
      await using turn = new AsyncDisposableStack();
      const client = await connect(address, turn);
      let lease = await tryTake(client, applicationId);
      while (lease === undefined) {
        await delay(WAIT_MS, undefined, { signal }).catch(() => {});
        signal.throwIfAborted();
        lease = await tryTake(client, applicationId);
      }
      return asDeployLease(turn, lease);
    },

    async tryLease(applicationId) {
      await using turn = new AsyncDisposableStack();
      const client = await connect(address, turn);
      const lease = await tryTake(client, applicationId);
      return lease && asDeployLease(turn, lease);
    },
  };
}

export interface LeaseLimits {
  readonly leaseMs: number;
  readonly newcomerMs: number;
}

interface Lease {
  readonly token: number;
  stop(): void;
}

function asDeployLease(stack: AsyncDisposableStack, { token, stop }: Lease): DeployLease {
  stack.defer(stop);
  const parts = stack.move();
  return { token, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/**
 * Deletes leases that ended long ago, except the one with the highest token: a new one continues from
 * it, so that no token of a deleted lease is given out again to a server that has hung since.
 */
async function deleteEnded(db: RegistryDatabase): Promise<void> {
  await sql`
    DELETE FROM agate.deploy_leases WHERE application_id IN (
      SELECT application_id FROM agate.deploy_leases
      WHERE until < clock_timestamp() - ${KEEP_ENDED_MS} * interval '1 millisecond'
        AND token < (SELECT max(token) FROM agate.deploy_leases)
      FOR UPDATE SKIP LOCKED)`.execute(db);
}

/** Starts a lease with a token higher than all before it, and renews it until it is stopped. */
async function takeLease(
  db: RegistryDatabase,
  applicationId: string,
  leaseMs: number,
): Promise<Lease> {
  const until = sql`clock_timestamp() + ${leaseMs} * interval '1 millisecond'`;
  const { rows } = await sql<{ token: number }>`
    INSERT INTO agate.deploy_leases AS lease (application_id, token, until)
    SELECT ${applicationId}, coalesce(max(token), 0) + 1, ${until} FROM agate.deploy_leases
    ON CONFLICT (application_id) DO UPDATE SET token = lease.token + 1, until = excluded.until
    RETURNING token`.execute(db);
  const token = rows[0]?.token;
  if (token === undefined) throw new Error("A lease that was written has a token.");
  const renew = sql`
    UPDATE agate.deploy_leases SET until = ${until}
    WHERE application_id = ${applicationId} AND token = ${token}`;
  const timer = setInterval(() => {
    // While the database is unavailable the lease may be lost; its changes are then rejected.
    renew.execute(db).catch(() => {});
  }, leaseMs / 3);
  timer.unref();
  return { token, stop: () => clearInterval(timer) };
}

/** Ends the connection that holds an application's lock, where its lease was not renewed in time. */
async function endHungLease(client: Client, applicationId: string, newcomerMs: number) {
  try {
    // A transaction caches the statistics of other connections until it ends.
    await client.query("SELECT pg_stat_clear_snapshot()");
    await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_stat_activity USING (pid)
       WHERE locktype = 'advisory' AND granted AND classid = $1::bigint::oid
         AND objid = ($2::bigint & 4294967295)::oid AND objsubid = 2
         AND datname = current_database() AND pg_locks.database = pg_stat_activity.datid
         AND state_change < clock_timestamp() - $4::float8 * interval '1 millisecond'
         AND NOT EXISTS (SELECT FROM agate.deploy_leases
           WHERE application_id = $3 AND until >= clock_timestamp())`,
      [LOCKS, numberOf(applicationId), applicationId, newcomerMs],
    );
  } catch (error) {
    throw asRegistryUnavailable(error);
  }
}

/** @param turn Closes the connection when it is disposed of. */
async function connect(address: PostgresAddress, turn: AsyncDisposableStack): Promise<Client> {
  const sockets = new SocketGroup();
  const client = new Client({
    ...connectionOptions(address),
    stream: sockets.make,
    query_timeout: LONGEST_ANSWER_MS,
  });
  // Statements report the error; without a listener the event would end the process.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query(`BEGIN; ${SETTINGS}`);
    turn.defer(() => sockets.end(() => giveBack(client)));
    return client;
  } catch (error) {
    await sockets.end(() => client.end());
    throw asRegistryUnavailable(error);
  }
}

async function tryLock(client: Client, applicationId: string): Promise<boolean> {
  try {
    const { rows } = await client.query<{ taken: boolean }>(
      "SELECT pg_try_advisory_xact_lock($1, $2) AS taken",
      [LOCKS, numberOf(applicationId)],
    );
    return rows[0]?.taken === true;
  } catch (error) {
    throw asRegistryUnavailable(error);
  }
}

async function giveBack(client: Client): Promise<void> {
  // After a lost connection the server has released the lock already.
  await client.query("COMMIT").catch(() => {});
  await client.end();
}

/** Two applications with the same number merely wait for each other. */
function numberOf(applicationId: string): number {
  return createHash("sha256").update(applicationId).digest().readInt32BE();
}

function asRegistryUnavailable(error: unknown): unknown {
  return asUnavailable(error, transientReason(error), RegistryUnavailableError);
}

/** Small enough for a statement that never takes long, and for little memory at both ends. */
const PART_BYTES = 1024 * 1024;

/** PostgreSQL's code for a row that refers to none. */
const FOREIGN_KEY_VIOLATION = "23503";

interface BuildArchivesTable {
  build_id: string;
  /** 0, 1, 2 … */
  part: number;
  bytes: Uint8Array;
}

/** Archives as rows beside the records of builds, where every replica finds them. */
export function createPostgresBuildArchives(registry: RegistryDatabase): BuildArchives {
  const db = registry.withTables<{ build_archives: BuildArchivesTable }>();
  return {
    async keep(buildId, archive) {
      const count = Math.ceil(archive.byteLength / PART_BYTES);
      for (let part = 0; part < count; part++) {
        const at = part * PART_BYTES;
        // A Buffer: the client would write any other array as JSON.
        const bytes = Buffer.from(archive.subarray(at, at + PART_BYTES));
        const insert = db.insertInto("build_archives").values({ build_id: buildId, part, bytes });
        try {
          await insert.execute();
        } catch (error) {
          if (codeOf(error) === FOREIGN_KEY_VIOLATION) return;
          throw error;
        }
      }
    },

    async read(buildId) {
      const parts: Uint8Array[] = [];
      for (;;) {
        const row = await db
          .selectFrom("build_archives")
          .select("bytes")
          .where("build_id", "=", buildId)
          .where("part", "=", parts.length)
          .executeTakeFirst();
        if (row === undefined) break;
        parts.push(row.bytes);
      }
      return parts.length === 0 ? undefined : Buffer.concat(parts);
    },

    async remove(buildId) {
      await db.deleteFrom("build_archives").where("build_id", "=", buildId).execute();
    },

    async keepOnly(applicationId, buildIds, lease) {
      const builds = db
        .selectFrom("builds")
        .select("id")
        .where("application_id", "=", applicationId)
        .$if(buildIds.size > 0, (query) => query.where("id", "not in", [...buildIds]));
      const held = sql`SELECT FROM agate.deploy_leases
        WHERE application_id = build_id AND until >= clock_timestamp()`;
      const own = sql`SELECT FROM agate.deploy_leases
        WHERE application_id = ${lease?.key} AND token = ${lease?.token}`;
      await db
        .deleteFrom("build_archives")
        .where("build_id", "in", builds)
        .where(sql<boolean>`NOT EXISTS (${held})`)
        .$if(lease !== null, (query) => query.where(sql<boolean>`EXISTS (${own})`))
        .execute();
    },
  };
}

import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { connectionOptions } from "../postgres/connection-options.ts";
import { passingReason } from "../postgres/postgres-errors.ts";
import { SocketGroup } from "../postgres/socket-group.ts";
import type { PostgresAddress } from "../store-address.ts";
import { RegistryUnavailableError } from "./registry-unavailable-error.ts";
import type { SharedBuilds } from "./shared-builds.ts";

/** "AGBT": others may take locks in the same database. */
const LOCKS = 0x41_47_42_54;
/** How often it is asked whether another is done. */
const WAIT_MS = 200;
const LONGEST_ANSWER_MS = 5000;

/**
 * The lock goes with its transaction, which must not end while nothing is said in it, whatever the
 * server's own settings are; an older one does not have both. And the server must notice when this
 * machine is gone.
 */
const SETTINGS = `
  SELECT set_config(name, '0', true) FROM pg_settings
  WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout');
  SET LOCAL tcp_keepalives_idle = 10;
  SET LOCAL tcp_keepalives_interval = 5;
  SET LOCAL tcp_keepalives_count = 3`;

/**
 * Turns as locks of PostgreSQL. Each has a connection of its own, whose end gives it back: a process
 * that is killed in the middle of a turn keeps nobody waiting. Where the connection breaks in a turn,
 * another may take it; the registry lets no build become live that was given up. Each is the lock of a
 * transaction, one that reads and writes nothing, since poolers hand a connection on after each.
 */
export function createPostgresTurns(
  address: PostgresAddress,
): Pick<SharedBuilds, "takeTurn" | "tryTurn"> {
  return {
    async takeTurn(applicationId, signal) {
      await using turn = new AsyncDisposableStack();
      const client = await connect(address, turn);
      while (!(await tryLock(client, applicationId))) {
        await delay(WAIT_MS, undefined, { signal }).catch(() => {});
        signal.throwIfAborted();
      }
      return turn.move();
    },

    async tryTurn(applicationId) {
      await using turn = new AsyncDisposableStack();
      const client = await connect(address, turn);
      return (await tryLock(client, applicationId)) ? turn.move() : undefined;
    },
  };
}

/** @param turn At whose end the connection is ended. */
async function connect(address: PostgresAddress, turn: AsyncDisposableStack): Promise<Client> {
  const sockets = new SocketGroup();
  const client = new Client({
    ...connectionOptions(address),
    stream: sockets.make,
    query_timeout: LONGEST_ANSWER_MS,
  });
  // Who uses the connection is told by a statement; without a listener it would end the process.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query(`BEGIN; ${SETTINGS}`);
    turn.defer(() => sockets.end(() => giveBack(client)));
    return client;
  } catch (error) {
    await sockets.end(() => client.end());
    throw asUnavailable(error);
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
    throw asUnavailable(error);
  }
}

async function giveBack(client: Client): Promise<void> {
  // Where the connection is broken, the server has done it.
  await client.query("COMMIT").catch(() => {});
  await client.end();
}

/** Two applications with the same number merely wait for each other. */
function numberOf(applicationId: string): number {
  return createHash("sha256").update(applicationId).digest().readInt32BE();
}

function asUnavailable(error: unknown): unknown {
  const reason = passingReason(error);
  return reason === undefined ? error : new RegistryUnavailableError(reason, { cause: error });
}

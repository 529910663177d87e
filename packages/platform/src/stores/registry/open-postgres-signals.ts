import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { connectionOptions } from "../postgres/connection-settings.ts";
import { SocketGroup } from "../postgres/connection-watchdog.ts";
import { transientReason } from "../postgres/postgres-errors.ts";
import type { PostgresAddress } from "../store-address.ts";
import type { RegistrySignal, RegistrySignals } from "./registry-signals.ts";
import { LocalSignals } from "./registry-signals.ts";

/** The channel that the triggers of the registry's tables notify. */
const CHANNEL = "agate_registry";

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2000;

export interface PostgresSignalsOptions {
  /** The connection was lost, for this reason; called again when the reason changes. */
  readonly onLost: (reason: string) => void;
  readonly onBack: () => void;
}

/**
 * Signals of the registry's tables from PostgreSQL, over one connection. After a lost connection it
 * reconnects with back-off, and then announces that everything may have changed, because notifications were
 * missed.
 */
export async function openPostgresSignals(
  address: PostgresAddress,
  { onLost, onBack }: PostgresSignalsOptions,
): Promise<RegistrySignals> {
  const local = new LocalSignals();
  const closing = new AbortController();
  let listener = await listen();
  const following = follow();
  return {
    areShared: true,
    // The triggers announce every commit, of any process.
    announce: () => {},
    subscribe: (told) => local.subscribe(told),
    async close() {
      closing.abort();
      await listener.end();
      await following;
      await local.close();
    },
  };

  function listen(): Promise<PostgresListener> {
    return listenToPostgres(address, CHANNEL, (payload) => local.announce(parseSignal(payload)));
  }

  async function follow(): Promise<void> {
    for (;;) {
      const error = await listener.ended;
      if (closing.signal.aborted) return;
      const next = await connectAgain(error);
      if (next === undefined) return;
      listener = next;
      onBack();
      local.announce({ kind: "everything" });
    }
  }

  /** Undefined when it was closed meanwhile. */
  async function connectAgain(error: unknown): Promise<PostgresListener | undefined> {
    let told = reasonOf(error);
    onLost(told);
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      await delay(wait, undefined, { signal: closing.signal }).catch(() => {});
      if (closing.signal.aborted) return undefined;
      try {
        const next = await listen();
        if (!closing.signal.aborted) return next;
        await next.end();
      } catch (failure) {
        const reason = reasonOf(failure);
        if (reason !== told) onLost(reason);
        told = reason;
      }
    }
  }
}

function reasonOf(error: unknown): string {
  return transientReason(error) ?? String(error);
}

/**
 * A signal as PostgreSQL's triggers write it. An unknown signal counts as `everything`: a newer version may
 * have added it, and uses the same database while replicas are upgraded one by one.
 *
 * @example parseSignal("config app_1") // { kind: "config", applicationId: "app_1" }
 */
export function parseSignal(payload: string): RegistrySignal {
  const [kind, applicationId, ...more] = payload.split(" ");
  if (kind === "access" && applicationId === undefined) return { kind };
  const isOfApplication = kind === "config" || kind === "builds" || kind === "variables";
  return isOfApplication && applicationId && more.length === 0
    ? { kind, applicationId }
    : { kind: "everything" };
}

/** In milliseconds. */
interface Heartbeat {
  /** How often the connection is probed: a server may disappear without closing it. */
  readonly every: number;
  readonly longestAnswer: number;
}

const HEARTBEAT: Heartbeat = { every: 10_000, longestAnswer: 5000 };

/** A connection that receives PostgreSQL's notifications. */
interface PostgresListener {
  /** Resolves with the reason when the connection has ended. */
  readonly ended: Promise<Error>;
  end(): Promise<void>;
}

/** Resolves when it listens: every later commit is notified. */
export async function listenToPostgres(
  address: PostgresAddress,
  channel: string,
  onNotification: (payload: string) => void,
  { every, longestAnswer }: Heartbeat = HEARTBEAT,
): Promise<PostgresListener> {
  const sockets = new SocketGroup();
  const client = new Client({
    ...connectionOptions(address),
    stream: sockets.make,
    query_timeout: longestAnswer,
  });
  const ended = Promise.withResolvers<Error>();
  client.on("error", ended.resolve);
  client.on("end", () => ended.resolve(new Error("The connection was closed")));
  client.on("notification", ({ payload = "" }) => onNotification(payload));
  try {
    await client.connect();
    // The session is mostly idle: a server with an idle timeout would end it again and again.
    await client.query("SET idle_session_timeout = 0");
    await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
  } catch (error) {
    await sockets.end(() => client.end());
    throw error;
  }
  const stopped = new AbortController();
  const beat = async () => {
    for (;;) {
      await delay(every, undefined, { signal: stopped.signal, ref: false });
      await client.query("SELECT");
    }
  };
  beat().catch(ended.resolve);
  const closed = ended.promise.then(() => {
    stopped.abort();
    return sockets.end(() => client.end());
  });
  return {
    ended: ended.promise,
    end() {
      ended.resolve(new Error("It was closed"));
      return closed;
    },
  };
}

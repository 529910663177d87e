import { setTimeout as delay } from "node:timers/promises";
import type { PostgresAddress } from "../store-address.ts";
import type { PostgresListener } from "./listen-to-postgres.ts";
import { listenToPostgres } from "./listen-to-postgres.ts";
import { LocalSignals } from "./local-signals.ts";
import { parseSignal } from "./parse-signal.ts";
import type { RegistrySignals } from "./registry-signals.ts";

/** What the triggers of the registry's tables use. */
const CHANNEL = "agate_registry";

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2000;

/**
 * What PostgreSQL tells of the registry's tables, over one connection. When it breaks another is made,
 * however long that takes, and everything is told as changed: something may have been missed.
 *
 * @param onLost Told why, once for each reason that follows another.
 */
export async function openPostgresSignals(
  address: PostgresAddress,
  onLost: (error: Error) => void,
): Promise<RegistrySignals> {
  const local = new LocalSignals();
  const closing = new AbortController();
  let listener = await listen();
  const following = follow();
  return {
    // The triggers do, whoever commits.
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
      const reason = await listener.ended;
      if (closing.signal.aborted) return;
      onLost(reason);
      const next = await connectAgain(reason);
      if (next === undefined) return;
      listener = next;
      local.announce({ kind: "everything" });
    }
  }

  /** Undefined when it was closed meanwhile. */
  async function connectAgain(reason: Error): Promise<PostgresListener | undefined> {
    let told = reason.message;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      await delay(wait, undefined, { signal: closing.signal }).catch(() => {});
      if (closing.signal.aborted) return undefined;
      try {
        const next = await listen();
        if (!closing.signal.aborted) return next;
        await next.end();
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        if (error.message !== told) onLost(error);
        told = error.message;
      }
    }
  }
}

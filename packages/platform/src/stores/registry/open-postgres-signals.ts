import { setTimeout as delay } from "node:timers/promises";
import { passingReason } from "../postgres/postgres-errors.ts";
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

export interface PostgresSignalsOptions {
  /** The connection is broken, for this reason; told again when there is another one. */
  readonly onLost: (reason: string) => void;
  readonly onBack: () => void;
}

/**
 * What PostgreSQL tells of the registry's tables, over one connection. When it breaks another is made,
 * however long that takes, and everything is told as changed: something may have been missed.
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
  return passingReason(error) ?? String(error);
}

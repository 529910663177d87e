import type { ApplicationTopic, RegistrySignals } from "../stores/registry/registry-signals.ts";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import type { SerialQueue } from "../stores/registry/serial-queue.ts";
import { RegistryUnavailableError } from "../stores/store-errors.ts";
import type { ApplicationRow } from "./queries/find-application.ts";
import { lockApplication } from "./queries/find-application.ts";
import type { ApplicationRef } from "./registry.ts";
import type { RegistryOutcome, RegistryRefusal } from "./registry-outcome.ts";

/** What every part of the registry works with. */
export interface RegistryContext {
  readonly db: RegistryDatabase;
  readonly signals: RegistrySignals;
  /** Of transactions: those that wait for another must not take the connections of those who read. */
  readonly turns: SerialQueue;
  /** The time as the tables have it. */
  now(): string;
}

/** How long a transaction may wait until it begins. */
const LONGEST_WAIT_MS = 5000;

/**
 * Does something in one transaction. What is refused is rolled back: nothing of it stays, and the disk
 * need not be waited for.
 */
export async function inTransaction<Value>(
  { db, turns }: RegistryContext,
  work: (tx: RegistryDatabase) => Promise<RegistryOutcome<Value>>,
): Promise<RegistryOutcome<Value>> {
  const asked = performance.now();
  try {
    return await turns.run(() => {
      const waited = performance.now() - asked;
      if (waited > LONGEST_WAIT_MS) throw busy(waited);
      return db.transaction().execute(async (tx) => {
        const outcome = await work(tx);
        if (outcome.kind === "refused") throw new RollBack(outcome);
        return outcome;
      });
    });
  } catch (error) {
    if (error instanceof RollBack) return error.refusal;
    throw error;
  }
}

function busy(waited: number): RegistryUnavailableError {
  const cause = new Error(`It has waited for ${Math.round(waited)} ms`);
  return new RegistryUnavailableError("Too many changes are waiting.", { cause });
}

/** Ends a transaction without a commit, the way that Kysely ends one. */
class RollBack extends Error {
  readonly refusal: RegistryRefusal;

  constructor(refusal: RegistryRefusal) {
    super("Refused");
    this.refusal = refusal;
  }
}

/** One transaction on an application. Those on the same one wait for each other. */
export function inApplication<Value>(
  context: RegistryContext,
  ref: ApplicationRef,
  work: (tx: RegistryDatabase, application: ApplicationRow) => Promise<RegistryOutcome<Value>>,
): Promise<RegistryOutcome<Value>> {
  return inTransaction(context, async (tx) => {
    const application = await lockApplication(tx, ref);
    return application.kind === "refused" ? application : work(tx, application.value);
  });
}

/** The same for what may alter what a request for a configuration resolves to: it is announced. */
export function changeConfig<Value>(
  context: RegistryContext,
  ref: ApplicationRef,
  work: (tx: RegistryDatabase, application: ApplicationRow) => Promise<RegistryOutcome<Value>>,
): Promise<RegistryOutcome<Value>> {
  return announcing(["config"], context, ref, work);
}

/** The same for what others have to hear of. */
export async function announcing<Value>(
  topics: readonly ApplicationTopic[],
  context: RegistryContext,
  ref: ApplicationRef,
  work: (tx: RegistryDatabase, application: ApplicationRow) => Promise<RegistryOutcome<Value>>,
): Promise<RegistryOutcome<Value>> {
  let changed: string | undefined;
  const outcome = await inApplication(context, ref, (tx, application) => {
    changed = application.id;
    return work(tx, application);
  });
  if (outcome.kind === "done" && changed !== undefined) {
    for (const kind of topics) context.signals.announce({ kind, applicationId: changed });
  }
  return outcome;
}

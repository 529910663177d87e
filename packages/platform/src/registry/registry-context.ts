import type { ApplicationTopic, RegistrySignals } from "../stores/registry/registry-signals.ts";
import type { RegistryDatabase } from "../stores/registry/registry-tables.ts";
import type { SerialQueue } from "../stores/registry/serial-queue.ts";
import { RegistryUnavailableError } from "../stores/store-errors.ts";
import type { ApplicationRow } from "./queries/application-rows.ts";
import { lockApplication } from "./queries/application-rows.ts";
import type { ApplicationRef } from "./registry.ts";
import type { RegistryOutcome, RegistryRefusal } from "./registry-outcome.ts";

/** What all parts of the registry share. */
export interface RegistryContext {
  readonly db: RegistryDatabase;
  readonly signals: RegistrySignals;
  /** Runs transactions one after the other: waiting ones must not use up the connections of reads. */
  readonly queue: SerialQueue;
  /** The time as the tables have it. */
  now(): string;
}

/** How long a transaction may wait until it begins. */
const LONGEST_WAIT_MS = 5000;

/**
 * Runs work in one transaction. A refused outcome is rolled back: nothing is written, and nothing has to
 * be synced to disk.
 */
export async function inTransaction<Value>(
  { db, queue }: RegistryContext,
  work: (tx: RegistryDatabase) => Promise<RegistryOutcome<Value>>,
): Promise<RegistryOutcome<Value>> {
  const asked = performance.now();
  try {
    return await queue.run(() => {
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

/** Thrown to roll a transaction of Kysely back. */
class RollBack extends Error {
  readonly refusal: RegistryRefusal;

  constructor(refusal: RegistryRefusal) {
    super("Refused");
    this.refusal = refusal;
  }
}

/** Runs work in one transaction that locks the application. */
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

/** The same for changes of what a configuration resolves to: they are announced. */
export function changeConfig<Value>(
  context: RegistryContext,
  ref: ApplicationRef,
  work: (tx: RegistryDatabase, application: ApplicationRow) => Promise<RegistryOutcome<Value>>,
): Promise<RegistryOutcome<Value>> {
  return announcing(["config"], context, ref, work);
}

/** The same for changes that are announced to subscribers, in all servers. */
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

/** Text without what a database cannot store: PostgreSQL refuses NUL, and all change unpaired surrogates. */
export function storableText(text: string): string {
  return text.replaceAll("\0", "").toWellFormed();
}

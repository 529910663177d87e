import type { RouteSchema } from "@agate/protocol";
import type { Selectable } from "kysely";
import type { ApplicationTopic, RegistrySignals } from "../stores/registry/registry-signals.ts";
import type { RegistryDatabase, RegistryTables } from "../stores/registry/registry-tables.ts";
import type { SerialQueue } from "../stores/registry/serial-queue.ts";
import { RegistryUnavailableError } from "../stores/store-errors.ts";
import type { SecretKeys } from "../variables/secret-keys.ts";
import { missingName, nameOf } from "./names.ts";
import type { Page, PageRequest } from "./paging.ts";
import type { ApplicationRef } from "./registry.ts";
import type { RegistryOutcome, RegistryRefusal } from "./registry-outcome.ts";
import { done } from "./registry-outcome.ts";

/** What all parts of the registry share. */
export interface RegistryContext {
  readonly db: RegistryDatabase;
  readonly signals: RegistrySignals;
  /** Runs transactions one after the other: waiting ones must not use up the connections of reads. */
  readonly queue: SerialQueue;
  /** Seal and open secret variables. */
  readonly secretKeys: SecretKeys;
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

export type ApplicationRow = Selectable<RegistryTables["applications"]>;

export async function findApplication(
  db: RegistryDatabase,
  { project, application }: ApplicationRef,
): Promise<RegistryOutcome<ApplicationRow>> {
  const { column, value } = nameOf(application);
  const row = await db
    .selectFrom("applications")
    .selectAll()
    .where("project_id", "=", project)
    .where(column, "=", value)
    .executeTakeFirst();
  return row === undefined ? missingApplication(db, project, application) : done(row);
}

/**
 * Finds an application and locks it until the transaction ends. Every change of an application starts
 * with this. An update that changes nothing locks the row in every dialect; it makes a number that is
 * the highest plus one, or a check before a write, safe under concurrency.
 */
async function lockApplication(
  tx: RegistryDatabase,
  { project, application }: ApplicationRef,
): Promise<RegistryOutcome<ApplicationRow>> {
  const { column, value } = nameOf(application);
  const row = await tx
    .updateTable("applications")
    .set((eb) => ({ slug: eb.ref("slug") }))
    .where("project_id", "=", project)
    .where(column, "=", value)
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? missingApplication(tx, project, application) : done(row);
}

async function missingApplication(db: RegistryDatabase, project: string, application: string) {
  const rows = await db
    .selectFrom("applications")
    .select("slug")
    .where("project_id", "=", project)
    .execute();
  return missingName("application", application, {
    loc: ["path", "app"],
    names: rows.map(({ slug }) => slug),
    createOne: "Create one, or deploy a workflow.",
  });
}

/** The application's routes; null until a workflow has registered them. */
export function routesOf({ schema }: ApplicationRow): readonly RouteSchema[] | null {
  return schema === null ? null : (JSON.parse(schema) as RouteSchema[]);
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

/** Numbers are 32 bits wide in PostgreSQL; a cursor may hold any. */
const HIGHEST = 2 ** 31 - 1;

/** What a query has to ask for: one more than is wanted shows whether there is another page. */
export function rowsFor({ limit, before }: PageRequest): { limit: number; below: number } {
  return { limit: limit + 1, below: Math.min(before ?? HIGHEST, HIGHEST) };
}

/** The page in what the query found. */
export function pageOf<Row extends { readonly number: number }, Item>(
  rows: readonly Row[],
  { limit }: PageRequest,
  toItem: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const next = rows.length > limit ? (shown.at(-1)?.number ?? null) : null;
  return { items: shown.map(toItem), next };
}

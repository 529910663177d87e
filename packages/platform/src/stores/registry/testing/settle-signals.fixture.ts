import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { OpenRegistryDatabase } from "../open-registry-database.ts";

/**
 * Resolves when all that was committed before has been told to the listeners of a registry in
 * PostgreSQL, which tells in the order of commits.
 */
export async function settleSignals({
  db,
  signals,
}: Pick<OpenRegistryDatabase, "db" | "signals">): Promise<void> {
  const marker = randomUUID();
  const told = Promise.withResolvers<void>();
  const stop = signals.subscribe((signal) => {
    if (signal.kind === "builds" && signal.applicationId === marker) told.resolve();
  });
  await sql`SELECT pg_notify('agate_registry', ${`builds ${marker}`})`.execute(db);
  await told.promise;
  stop();
}

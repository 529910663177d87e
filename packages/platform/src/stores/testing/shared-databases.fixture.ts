import { inject } from "vitest";
import type { ChdbDatabases } from "./chdb-server.fixture.ts";
import { chdbAt } from "./chdb-server.fixture.ts";
import type {
  EmbeddedPostgresOptions,
  PostgresDatabases,
  PostgresServer,
} from "./embedded-postgres.fixture.ts";
import { postgresAt, startEmbeddedPostgres } from "./embedded-postgres.fixture.ts";
import type { OnDemand } from "./on-demand.fixture.ts";
import { askFor } from "./on-demand.fixture.ts";

/** What shared-databases-setup.fixture.ts starts on demand. */
export type SharedDatabases = "chdb" | "postgres" | "postgresData";

declare module "vitest" {
  export interface ProvidedContext {
    databases: OnDemand<SharedDatabases>["urls"];
  }
}

/**
 * The PostgreSQL server of all test files. Each makes databases of its own in it; roles and
 * `pg_stat_activity` are shared by all.
 */
export async function sharedPostgres(): Promise<PostgresDatabases> {
  return postgresAt(await askFor<number>(inject("databases").postgres));
}

/** A PostgreSQL server of the test's own, to be stopped, killed or configured. Dispose of it. */
export async function startPostgres(
  options: Omit<EmbeddedPostgresOptions, "data"> = {},
): Promise<PostgresServer> {
  const data = await askFor<string>(inject("databases").postgresData);
  return startEmbeddedPostgres({ ...options, data });
}

/** The ClickHouse server of all test files. Each uses databases with names of its own. */
export async function sharedChdb(): Promise<ChdbDatabases> {
  return chdbAt(await askFor<number>(inject("databases").chdb));
}

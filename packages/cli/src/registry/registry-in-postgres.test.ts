import { sql } from "kysely";
import { openRegistryDatabase } from "../stores/registry/open-registry-database.ts";
import { startEmbeddedPostgres } from "../stores/testing/embedded-postgres.fixture.ts";
import { describeRegistry } from "./contract/registry.contract.ts";

const server = await startEmbeddedPostgres();
const address = await server.createDatabase();
let markers = 0;

describeRegistry("PostgreSQL", {
  open: () => openRegistryDatabase(address),
  // PostgreSQL tells in the order of commits.
  async settle({ db, signals }) {
    const marker = `marker-${++markers}`;
    const told = Promise.withResolvers<void>();
    const stop = signals.subscribe((signal) => {
      if (signal.kind === "builds" && signal.applicationId === marker) told.resolve();
    });
    await sql`SELECT pg_notify('agate_registry', ${`builds ${marker}`})`.execute(db);
    await told.promise;
    stop();
  },
  // The same code as for SQLite, over a network.
  histories: 15,
  dispose: () => server.dispose(),
});

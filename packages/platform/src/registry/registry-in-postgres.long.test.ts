import { openRegistryDatabase } from "../stores/registry/open-registry-database.ts";
import { settleSignals } from "../stores/registry/testing/settle-signals.fixture.ts";
import { sharedPostgres } from "../stores/testing/shared-databases.fixture.ts";
import { describeRegistry } from "./contract/registry.contract.ts";

const server = await sharedPostgres();
const address = server.address("english");
// Its language sorts in an order of its own.
await server.query(
  server.address("postgres"),
  "CREATE DATABASE english TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'",
);

describeRegistry("PostgreSQL", {
  open: () => openRegistryDatabase(address),
  settle: settleSignals,
  // The same code as for SQLite, over a network.
  histories: 2,
  dispose: async () => {},
});

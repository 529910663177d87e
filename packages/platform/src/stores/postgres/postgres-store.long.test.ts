import { describeSpanStore } from "../contract/span-store.contract.ts";
import type { PostgresAddress } from "../store-address.ts";
import type { PostgresServer } from "../testing/embedded-postgres.fixture.ts";
import { startEmbeddedPostgres } from "../testing/embedded-postgres.fixture.ts";
import { openPostgresStore } from "./postgres-store.ts";

let server: PostgresServer | undefined;
let address: PostgresAddress | undefined;

describeSpanStore("PostgreSQL", {
  arrivals: 60,
  open: async (options) => {
    server ??= await startEmbeddedPostgres();
    address ??= await server.createDatabase();
    return openPostgresStore({
      ...options,
      address,
      onFailure: (error) => {
        throw error;
      },
    });
  },
  dispose: async () => server?.dispose(),
});

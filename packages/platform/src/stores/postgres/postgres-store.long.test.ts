import { describeSpanStore } from "../contract/span-store.contract.ts";
import type { PostgresAddress } from "../store-address.ts";
import { sharedPostgres } from "../testing/shared-databases.fixture.ts";
import { openPostgresStore } from "./postgres-store.ts";

let address: PostgresAddress | undefined;

describeSpanStore("PostgreSQL", {
  arrivals: 60,
  open: async (options) => {
    address ??= await (await sharedPostgres()).createDatabase();
    return openPostgresStore({
      ...options,
      address,
      onFailure: (error) => {
        throw error;
      },
    });
  },
  dispose: async () => {},
});

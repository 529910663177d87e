import { randomBytes } from "node:crypto";
import { vi } from "vitest";
import { describeSpanStore } from "../contract/span-store.contract.ts";
import { parseStoreAddress } from "../store-address.ts";
import { openChdbEngine } from "../testing/chdb-engine.fixture.ts";
import { ClickHouseSession, connectClickHouse } from "./clickhouse-session.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";

// Every statement takes the engine some milliseconds, and a property hundreds of them.
vi.setConfig({ testTimeout: 180_000 });

const { AGATE_TEST_CLICKHOUSE_URL: url } = process.env;
if (url === undefined) describeEmbedded();
else describeServer(url);

function describeEmbedded(): void {
  const engine = openChdbEngine();
  describeSpanStore("ClickHouse", {
    open: (options) =>
      openClickHouseStore({ ...options, address: engine.address(), connect: engine.connect }),
    dispose: engine.dispose,
    arrivals: 30,
    commits: 33,
  });
}

/** The same on an external server or cluster, in a database that is dropped at the end. */
function describeServer(text: string): void {
  const parsed = parseStoreAddress(text);
  if (parsed.kind === "invalid" || parsed.address.kind !== "clickhouse") {
    throw new Error("AGATE_TEST_CLICKHOUSE_URL must be clickhouse://user:password@host/database");
  }
  const address = { ...parsed.address, database: `agate_test_${randomBytes(6).toString("hex")}` };
  describeSpanStore(`ClickHouse at ${address.shown}`, {
    open: (options) => openClickHouseStore({ ...options, address }),
    dispose: async () => {
      const session = new ClickHouseSession(connectClickHouse(address), address);
      const onCluster = address.cluster === null ? "" : ` ON CLUSTER \`${address.cluster}\``;
      await session.command(`DROP DATABASE \`${address.database}\`${onCluster} SYNC`);
      await session.close();
    },
  });
}

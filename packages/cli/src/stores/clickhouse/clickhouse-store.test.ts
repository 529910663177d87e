import { vi } from "vitest";
import { describeSpanStore } from "../contract/span-store.contract.ts";
import { openChdbEngine } from "../testing/chdb-engine.fixture.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";

// Every statement takes the engine some milliseconds, and a property hundreds of them.
vi.setConfig({ testTimeout: 180_000 });

const engine = openChdbEngine();

describeSpanStore("ClickHouse", {
  open: () => openClickHouseStore({ address: engine.address(), connect: engine.connect }),
  dispose: engine.dispose,
});

import { describeSpanStore } from "../contract/span-store.contract.ts";
import { openChdbEngine } from "../testing/chdb-engine.fixture.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";

const engine = openChdbEngine();
describeSpanStore("ClickHouse", {
  open: (options) =>
    openClickHouseStore({ ...options, address: engine.address(), connect: engine.connect }),
  dispose: engine.dispose,
  arrivals: 30,
  commits: 33,
});

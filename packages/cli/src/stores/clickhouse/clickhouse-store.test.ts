import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { describeSpanStore } from "../contract/span-store.contract.ts";
import { createChdbClient } from "../testing/chdb-client.fixture.ts";
import { openClickHouseStore } from "./clickhouse-store.ts";

// Every statement takes the engine some milliseconds, and a property hundreds of them.
vi.setConfig({ testTimeout: 180_000 });

const directory = mkdtempSync(join(tmpdir(), "agate-clickhouse-"));

describeSpanStore("ClickHouse", {
  open: () =>
    openClickHouseStore({
      address: {
        kind: "clickhouse",
        url: "",
        username: "",
        password: "",
        database: "agate-test",
        cluster: null,
        shown: "chdb",
      },
      connect: () => createChdbClient(directory),
    }),
  dispose: () => rm(directory, { recursive: true }),
});

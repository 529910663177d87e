import { afterAll, beforeAll, describe, it } from "vitest";
import {
  sharedChdb,
  sharedPostgres,
} from "../../packages/platform/src/stores/testing/shared-databases.fixture.ts";
import { type RunningServer, startServer } from "../running-server.ts";
import { type HistoryPlan, runHistory, seedsOr } from "./run-history.ts";

const PLAN: HistoryPlan = {
  rounds: [
    ["small", "segment", "segment", "segment", "wordy"],
    ["small", "segment", "heavy", "large"],
    ["huge", "segment", "small", "large"],
    ["segment", "segment", "small", "threaded"],
  ],
  atOnce: 150,
  indexRounds: 4,
  questions: 8,
};

/** Gives the flags of a server that keeps its spans there. */
type StartStore = () => Promise<readonly string[]>;

const STORES: Readonly<Record<string, StartStore>> = {
  SQLite: async () => [],
  PostgreSQL: async () => ["--store", (await (await sharedPostgres()).createDatabase()).url],
  ClickHouse: async () => ["--store", (await sharedChdb()).url("agate_read_api")],
};

describe.each(Object.entries(STORES))("%s", (_, startStore) => {
  const parts = new AsyncDisposableStack();
  let server: RunningServer;
  beforeAll(async () => {
    server = parts.use(await startServer({ flags: await startStore() }));
  });
  afterAll(() => parts.disposeAsync());

  it.each(seedsOr([11, 12]))(
    "answers like a naive model (AGATE_MODEL_SEED=%i)",
    (seed) => runHistory(server.url, seed, PLAN),
    // ClickHouse took ten minutes on a machine with a load of 20.
    1_800_000,
  );
});

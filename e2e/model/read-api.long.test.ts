import { afterAll, beforeAll, describe, it } from "vitest";
import { startChdbServer } from "../../packages/platform/src/stores/testing/chdb-server.fixture.ts";
import { startEmbeddedPostgres } from "../../packages/platform/src/stores/testing/embedded-postgres.fixture.ts";
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

/** Starts a database and gives the flags of a server that keeps its spans there. */
type StartStore = (parts: AsyncDisposableStack) => Promise<readonly string[]>;

const STORES: Readonly<Record<string, StartStore>> = {
  SQLite: async () => [],
  PostgreSQL: async (parts) => {
    const postgres = parts.adopt(await startEmbeddedPostgres(), (server) => server.dispose());
    return ["--store", (await postgres.createDatabase()).url];
  },
  ClickHouse: async (parts) => {
    const clickhouse = parts.adopt(await startChdbServer(), (server) => server.dispose());
    return ["--store", clickhouse.url("agate")];
  },
};

describe.each(Object.entries(STORES))("%s", (_, startStore) => {
  const parts = new AsyncDisposableStack();
  let server: RunningServer;
  beforeAll(async () => {
    server = parts.use(await startServer({ flags: await startStore(parts) }));
  });
  afterAll(() => parts.disposeAsync());

  it.each(seedsOr([11, 12]))("answers like a naive model (AGATE_MODEL_SEED=%i)", (seed) =>
    runHistory(server.url, seed, PLAN),
  );
});

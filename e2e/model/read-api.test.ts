import { afterAll, beforeAll, it } from "vitest";
import { type RunningServer, startServer } from "../running-server.ts";
import { type HistoryPlan, runHistory, seedsOr } from "./run-history.ts";

const PLAN: HistoryPlan = {
  rounds: [
    ["small", "segment"],
    ["small", "segment", "large"],
  ],
  atOnce: 70,
  indexRounds: 1,
  questions: 3,
};

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.[Symbol.asyncDispose]());

it.each(seedsOr([2]))(
  "answers like a naive model (SQLite, AGATE_MODEL_SEED=%i)",
  (seed) => runHistory(server.url, seed, PLAN),
  180_000,
);

import type { MessagePort } from "node:worker_threads";
import { parentPort, workerData } from "node:worker_threads";
import { serveThread } from "../../threads/thread-rpc.ts";
import { QueryRunner } from "./query-runner.ts";
import type { QueryApi, QueryData } from "./query-threads.ts";

const { directory, interruptions } = workerData as QueryData;
const main = parentPort as MessagePort;
const runner = new QueryRunner(directory, interruptions);

serveThread<QueryApi>(main, {
  listTraces: async (query, request) => runner.listTraces(query, request),
  listSpans: async (query, request) => runner.listSpans(query, request),
  analytics: async (query, request) => runner.analytics(query, request),
  scoreFigures: async (query, request) => runner.scoreFigures(query, request),
  earliestStart: async (query, request) => runner.earliestStart(query, request),
  countSpans: async () => runner.countSpans(),
  exportParts: async (after) => runner.exportParts(after),
  countScores: async () => runner.countScores(),
  exportScores: async (after) => runner.exportScores(after),
  close: async () => {
    runner.close();
    setImmediate(() => main.close());
  },
});

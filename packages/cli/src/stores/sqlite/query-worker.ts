import type { MessagePort } from "node:worker_threads";
import { parentPort, workerData } from "node:worker_threads";
import { serveThread } from "../../threads/thread-rpc.ts";
import type { QueryApi, QueryData } from "./query-api.ts";
import { QueryRunner } from "./query-runner.ts";

const { directory } = workerData as QueryData;
const main = parentPort as MessagePort;
const runner = new QueryRunner(directory);

serveThread<QueryApi>(main, {
  listTraces: async (request) => runner.listTraces(request),
  listSpans: async (request) => runner.listSpans(request),
  analytics: async (request) => runner.analytics(request),
  countSpans: async () => runner.countSpans(),
  exportParts: async (after) => runner.exportParts(after),
  close: async () => {
    runner.close();
    setImmediate(() => main.close());
  },
});

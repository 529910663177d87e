import type { MessagePort } from "node:worker_threads";
import { parentPort, workerData } from "node:worker_threads";
import { lowerThreadPriority } from "../../threads/spawn-thread.ts";
import { serveThread } from "../../threads/thread-rpc.ts";
import { WRITER_SETTINGS } from "./connection-settings.ts";
import type { MaintenanceApi, MaintenanceData } from "./maintenance.ts";
import { Maintenance } from "./maintenance.ts";
import { SpanDatabase } from "./span-database.ts";

/** The second connection serves callers that wait for the index. */
const CONNECTIONS = 2;
/** No request waits for maintenance. */
const STATEMENT_MS = 300_000;

const { address, troubles, compaction, spansPerZone } = workerData as MaintenanceData;
const main = parentPort as MessagePort;
const database = new SpanDatabase(address, {
  connections: CONNECTIONS,
  statementMs: STATEMENT_MS,
  settings: WRITER_SETTINGS,
});
const maintenance = new Maintenance(
  database,
  (trouble) => troubles.postMessage(trouble),
  compaction,
  { spansPerZone },
);
// Ingest and reads have priority over maintenance.
lowerThreadPriority();

serveThread<MaintenanceApi>(main, {
  start: async () => maintenance.start(),
  wake: async () => maintenance.wake(),
  catchUp: () => maintenance.catchUp(),
  close: async () => {
    await database.close(() => maintenance.close());
    // The reply to this call must be sent first.
    setImmediate(() => main.close());
  },
});

import type { MessagePort } from "node:worker_threads";
import { parentPort, workerData } from "node:worker_threads";
import { lowerThreadPriority } from "../../threads/spawn-thread.ts";
import { serveThread } from "../../threads/thread-rpc.ts";
import { openForReading } from "./data-directory.ts";
import type { SummaryApi, SummaryData } from "./summary-thread.ts";
import { TraceSummaries } from "./trace-summaries.ts";

const { directory } = workerData as SummaryData;
const db = openForReading(directory);
// Used for reading only: the connection is read-only.
const summaries = new TraceSummaries(db);
// Ingest and reads have priority over summaries.
lowerThreadPriority();

serveThread<SummaryApi>(parentPort as MessagePort, {
  summaryOf: async (traceNo) => {
    // One snapshot of the database.
    db.exec("BEGIN");
    try {
      return summaries.readSummary(traceNo);
    } finally {
      db.exec("ROLLBACK");
    }
  },
});

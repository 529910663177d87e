import type { MessagePort } from "node:worker_threads";
import { parentPort, workerData } from "node:worker_threads";
import { lowerThreadPriority } from "../../threads/spawn-thread.ts";
import { serveThread } from "../../threads/thread-rpc.ts";
import { openForReading } from "./data-directory.ts";
import type { SummaryApi, SummaryData } from "./summary-thread.ts";
import { TraceWriter } from "./trace-writer.ts";

const { directory } = workerData as SummaryData;
const db = openForReading(directory);
// Only to read: the connection can do nothing else.
const traces = new TraceWriter(db);
// Where the cores are busy, ingest and reads come first.
lowerThreadPriority();

serveThread<SummaryApi>(parentPort as MessagePort, {
  summaryOf: async (traceNo) => {
    // One snapshot of the database: writes in between are not seen.
    db.exec("BEGIN");
    try {
      return traces.readSummary(traceNo);
    } finally {
      db.exec("ROLLBACK");
    }
  },
});

import type { MessagePort } from "node:worker_threads";
import { parentPort, workerData } from "node:worker_threads";
import { openAppender } from "../stores/open-appender.ts";
import { serveThread } from "../threads/thread-rpc.ts";
import { createIngest } from "./create-ingest.ts";
import type { IngestApi, IngestData } from "./ingest-api.ts";

const { appender, prices, maxDecompressedBytes } = workerData as IngestData;
const main = parentPort as MessagePort;
const ingest = createIngest({ appender: openAppender(appender), prices, maxDecompressedBytes });

serveThread<IngestApi>(main, {
  ingest,
  close: async () => {
    // The answer to this very call is still to be sent.
    setImmediate(() => {
      appender.port.close();
      main.close();
    });
  },
});

import type { MessagePort } from "node:worker_threads";
import { parentPort, workerData } from "node:worker_threads";
import { openAppender } from "../stores/open-appender.ts";
import { serveThread } from "../threads/thread-rpc.ts";
import { createIngest } from "./create-ingest.ts";
import type { IngestApi, IngestData } from "./ingest-api.ts";
import { loadPrices } from "./load-prices.ts";

const { appender, pricesFile, maxDecompressedBytes, troubles } = workerData as IngestData;
const main = parentPort as MessagePort;
const prices = loadPrices(pricesFile);
if (prices.kind === "invalid") throw new Error(prices.reason);
const opened = await openAppender(appender, (trouble) => troubles.postMessage(trouble));
const ingest = createIngest({ appender: opened, prices: prices.table, maxDecompressedBytes });

serveThread<IngestApi>(main, {
  ingest,
  close: async () => {
    await opened.close();
    troubles.close();
    // The answer to this very call is still to be sent.
    setImmediate(() => main.close());
  },
});

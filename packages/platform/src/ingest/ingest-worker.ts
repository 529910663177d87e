import { getHeapStatistics } from "node:v8";
import type { MessagePort } from "node:worker_threads";
import { parentPort, workerData } from "node:worker_threads";
import { openAppender } from "../stores/open-appender.ts";
import { serveThread } from "../threads/thread-rpc.ts";
import { createIngest } from "./create-ingest.ts";
import type { IngestApi, IngestData } from "./ingest-service.ts";
import { loadPrices } from "./load-prices.ts";

/** Room for a value as it is parsed, decoded and mapped. */
const HEAP_BYTES_PER_VALUE = 200;

const data = workerData as IngestData;
const main = parentPort as MessagePort;
const prices = loadPrices(data.pricesFile);
if (prices.kind === "invalid") throw new Error(prices.reason);
const opened = await openAppender(data.appender, (trouble) => data.troubles.postMessage(trouble));
// A decoded value takes some 100 bytes: where the heap is small, so is what may be decoded.
const values = Math.min(
  data.decodeLimits.values,
  Math.floor(getHeapStatistics().heap_size_limit / HEAP_BYTES_PER_VALUE),
);
const ingest = createIngest({
  appender: opened,
  prices: prices.table,
  maxDecompressedBytes: data.maxDecompressedBytes,
  decodeLimits: { ...data.decodeLimits, values },
});

serveThread<IngestApi>(main, {
  ingest,
  close: async () => {
    await opened.close();
    data.troubles.close();
    // The answer to this very call is still to be sent.
    setImmediate(() => main.close());
  },
});

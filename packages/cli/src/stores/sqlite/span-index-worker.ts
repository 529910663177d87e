import { setImmediate as nextTurn } from "node:timers/promises";
import type { MessagePort } from "node:worker_threads";
import { parentPort, workerData } from "node:worker_threads";
import { lowerThreadPriority } from "../../threads/lower-thread-priority.ts";
import { connectThread, serveThread } from "../../threads/thread-rpc.ts";
import type { ForgetApi, SpanIndexApi, SpanIndexData } from "./span-index-api.ts";
import { SpanIndexer } from "./span-indexer.ts";

const { directory, writer } = workerData as SpanIndexData;
const main = parentPort as MessagePort;
const forget = connectThread<ForgetApi>(writer);
const indexer = new SpanIndexer(directory);
// Ingest and reads come first where the cores are busy.
lowerThreadPriority();

let closed = false;
let running: Promise<void> | undefined;

/** Works until nothing is left; callers that come meanwhile share the run. */
function run(): Promise<void> {
  running ??= work().finally(() => {
    running = undefined;
  });
  return running;
}

async function work(): Promise<void> {
  while (!closed && indexer.indexSome()) await nextTurn();
  while (!closed) {
    const gone = indexer.removeSome();
    if (gone.length === 0) break;
    await forget.call("forgotten", [gone]);
  }
}

serveThread<SpanIndexApi>(main, {
  wake: async () => {
    void run();
  },
  catchUp: async () => {
    // The run under way may have looked before the caller's commit.
    await running;
    await run();
  },
  close: async () => {
    closed = true;
    await running;
    indexer.close();
    writer.close();
    setImmediate(() => main.close());
  },
});

import { setTimeout as pause } from "node:timers/promises";
import type { MessagePort } from "node:worker_threads";
import { parentPort, workerData } from "node:worker_threads";
import { CoalescedTask } from "../../coalesced-task.ts";
import { lowerThreadPriority } from "../../threads/spawn-thread.ts";
import { connectThread, serveThread } from "../../threads/thread-rpc.ts";
import type { StoreTrouble } from "../store-errors.ts";
import { filesIn } from "./data-directory.ts";
import { removeIndex } from "./span-index-file.ts";
import type { ForgetApi, SpanIndexApi, SpanIndexData } from "./span-indexer.ts";
import { SpanIndexer } from "./span-indexer.ts";
import { isCorrupt, transientReason } from "./sqlite-errors.ts";

/** While spans keep arriving, the index pauses this many times as long as it works. */
const REST_WHILE_BUSY = 6;
/** Making the file smaller pauses this many times as long as it works. */
const REST_AFTER_SHRINKING = 2;
/** After this long without a commit ingest is idle, and the index works without pauses. */
const QUIET_AFTER_MS = 200;
/** Erasing rewrites the index, so what retention removes every minute is erased together. */
const ERASE_EVERY_MS = 60 * 60_000;
/** Spans that arrive meanwhile are indexed after it; the rest is erased the next time. */
const LONGEST_ERASE_MS = 60_000;
/** After a failure (a full disk, a locked file), and while a reader blocks it, it retries after this time. */
const RETRY_MS = 1_000;

const { directory, writer, troubles } = workerData as SpanIndexData;
const main = parentPort as MessagePort;
const forget = connectThread<ForgetApi>(writer);
const report = (trouble: StoreTrouble) => troubles.postMessage(trouble);
const indexer = new SpanIndexer(directory, report);
// Ingest and reads have priority over the index.
lowerThreadPriority();

let closed = false;
/** Whether the file may still hold words of removed spans. */
let hasRemoved = false;
let erasedAt = Number.NEGATIVE_INFINITY;
let lastWake = Number.NEGATIVE_INFINITY;
/** How many callers wait for the index: it does not pause for as long as there are any. */
let waiting = 0;
let retry: NodeJS.Timeout | undefined;
/** Ends the pause that the index makes. */
let resting = new AbortController();

/** After a step on a busy machine that can be a minute: neither the end of the store nor a caller waits for it. */
async function rest(ms: number): Promise<void> {
  const { signal } = resting;
  await pause(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

function endRest(): void {
  resting.abort();
  resting = new AbortController();
}

/** Works until nothing is left. A wake-up that comes meanwhile leads to another run. */
const indexing = new CoalescedTask(async () => {
  clearTimeout(retry);
  // The wake-up of a commit may cross with the end of the store: the files may be closed by now.
  if (closed) return;
  try {
    await indexAll();
    await removeAll();
    await reindexAll();
    await eraseAll();
    await shrinkAll();
    comeBack();
  } catch (error) {
    if (isCorrupt(error)) {
      removeIndex(filesIn(directory).index);
      throw error;
    }
    // The server keeps running: it would fail in the same way after every restart.
    if (transientReason(error) === undefined) reportOnce(error);
    retry = setTimeout(() => void indexing.run(), RETRY_MS);
  }
});

let lastReported = "";

/** Reports the same failure once, although it is retried every second. */
function reportOnce(error: unknown): void {
  if (String(error) === lastReported) return;
  lastReported = String(error);
  report({ what: "Spans could not be indexed. Retrying every second.", error });
}

async function indexAll(): Promise<void> {
  while (!closed) {
    const started = performance.now();
    if (!indexer.indexSome()) break;
    const now = performance.now();
    const isBusy = now - lastWake < QUIET_AFTER_MS && waiting === 0;
    await rest(isBusy ? (now - started) * REST_WHILE_BUSY : 0);
  }
}

async function removeAll(): Promise<void> {
  while (!closed) {
    const gone = indexer.removeSome();
    if (gone.length > 0) hasRemoved = true;
    if (gone.length === 0 || !(await forget.call("forgotten", [gone]))) break;
  }
}

/** Indexes traces again of which spans were replaced. Those that rest are left to a later run. */
async function reindexAll(): Promise<void> {
  while (!closed) {
    const started = performance.now();
    if (!indexer.reindexSome(waiting > 0)) break;
    // The earlier words of these traces are removed.
    hasRemoved = true;
    const now = performance.now();
    const isBusy = now - lastWake < QUIET_AFTER_MS && waiting === 0;
    await rest(isBusy ? (now - started) * REST_WHILE_BUSY : 0);
    await indexAll();
  }
}

/** Runs again for traces that rest, and for a file that a reader keeps from being cut, even if no commit follows. */
function comeBack(): void {
  const after = Math.min(
    indexer.nextReindexing() ?? Number.POSITIVE_INFINITY,
    indexer.isCutBlocked ? RETRY_MS : Number.POSITIVE_INFINITY,
  );
  if (after < Number.POSITIVE_INFINITY) retry = setTimeout(() => void indexing.run(), after);
}

/** Takes the words of removed spans out of the file, for which all of its words are written again. */
async function eraseAll(): Promise<void> {
  if (!hasRemoved || performance.now() - erasedAt < ERASE_EVERY_MS) return;
  const lastTry = performance.now() + LONGEST_ERASE_MS;
  while (!closed && performance.now() < lastTry) {
    const started = performance.now();
    if (!indexer.eraseSome()) {
      hasRemoved = false;
      break;
    }
    await rest(performance.now() - started);
    await indexAll();
  }
  erasedAt = performance.now();
}

/** Gives pages back to the system that erasing and merging have left free. */
async function shrinkAll(): Promise<void> {
  while (!closed) {
    const started = performance.now();
    if (!indexer.shrinkSome()) break;
    await rest((performance.now() - started) * REST_AFTER_SHRINKING);
    await indexAll();
  }
}

serveThread<SpanIndexApi>(main, {
  wake: async () => {
    lastWake = performance.now();
    void indexing.run();
  },
  catchUp: async () => {
    waiting++;
    endRest();
    try {
      await indexing.run();
    } finally {
      waiting--;
    }
  },
  close: async () => {
    closed = true;
    clearTimeout(retry);
    endRest();
    await indexing.idle();
    clearTimeout(retry);
    indexer.close();
    writer.close();
    troubles.close();
    setImmediate(() => main.close());
  },
});

import type { Browser, CDPSession, Page } from "../../e2e/web/launch-chromium.ts";

/** A connection and a processor as Chromium emulates them. */
export interface Throttling {
  readonly name: string;
  /** Milliseconds before the answer to each request begins. */
  readonly latencyMs: number;
  readonly bytesPerSecond: { readonly down: number; readonly up: number };
  /** How many times slower the processor is. */
  readonly processor: number;
}

const MEGABIT = 1_000_000 / 8;

/**
 * "Fast 3G" of Chromium's developer tools: a round trip of 150 ms counted 3.75 times for each request, for a
 * connection that is not open yet, and nine tenths of 1.6 Mbit/s.
 */
export const FAST_3G: Throttling = {
  name: "fast 3G (562.5 ms a request)",
  latencyMs: 562.5,
  bytesPerSecond: { down: 1.6 * MEGABIT * 0.9, up: 0.75 * MEGABIT * 0.9 },
  processor: 4,
};

/** The same link with an open connection: one round trip for each request, and all of the 1.6 Mbit/s. */
export const OPEN_3G: Throttling = {
  name: "the same link, connected (150 ms a request)",
  latencyMs: 150,
  bytesPerSecond: { down: 1.6 * MEGABIT, up: 0.75 * MEGABIT },
  processor: 4,
};

/** What opening a page took, with nothing in the browser's cache. */
export interface PageLoad {
  /** Milliseconds from the start of the navigation until rows were painted. */
  readonly rowsMs: number;
  /** Until the page's own script has taken over: its search box is there. Null for a page without script. */
  readonly readyMs: number | null;
  /** The longest chain of requests before the rows, each of which began after the answer to the one before. */
  readonly rounds: number;
  /** How many requests had been answered when the rows were there. */
  readonly requests: number;
  /** Requests of the list over HTTP. */
  readonly listRequests: number;
}

interface Request {
  readonly url: string;
  readonly sentAt: number;
  answeredAt: number | null;
}

/** Opens a list in a new context and waits until its rows are painted. */
export async function loadPage(
  browser: Browser,
  url: string,
  throttling: Throttling,
  hasScript: boolean,
): Promise<PageLoad> {
  await using context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const requests = await watchRequests(session);
  await throttle(session, throttling);
  await page.addInitScript(watchPaint);
  await page.goto(url, { waitUntil: "commit", timeout: 120_000 });
  const rowsMs = await seen(page, "rowsAt");
  const readyMs = hasScript ? await seen(page, "readyAt") : null;
  // The list is read once its stream is open, after the page's script is ready. Another request would follow at once.
  if (hasScript) await page.waitForTimeout(LIST_WAIT_MS);
  const all = [...requests.values()];
  const began = Math.min(...all.map(({ sentAt }) => sentAt));
  const before = all.filter(
    ({ answeredAt }) => answeredAt !== null && answeredAt - began <= rowsMs / 1000,
  );
  return {
    rowsMs,
    readyMs,
    rounds: longestChain(before),
    requests: before.length,
    listRequests: all.filter(({ url }) => url.includes("/observability/traces/?")).length,
  };
}

/** Far more than the few requests that follow the page's script take on a slow connection. */
const LIST_WAIT_MS = 5_000;

/** Bytes of script, as they are sent, that opening a page takes. */
export async function scriptBytes(browser: Browser, url: string): Promise<number> {
  await using context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  const scripts = new Set<string>();
  let bytes = 0;
  session.on("Network.responseReceived", ({ requestId, type }) => {
    if (type === "Script") scripts.add(requestId);
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) bytes += encodedDataLength;
  });
  // The page follows streams, which never end: what it loads within this time is its first page.
  await page.goto(url, { waitUntil: "load", timeout: 120_000 });
  await page.getByRole("heading", { level: 1 }).first().waitFor({ timeout: 120_000 });
  await page.waitForTimeout(3000);
  return bytes;
}

async function watchRequests(session: CDPSession): Promise<ReadonlyMap<string, Request>> {
  const requests = new Map<string, Request>();
  session.on("Network.requestWillBeSent", ({ requestId, request, timestamp }) => {
    if (request.url.startsWith("http")) {
      requests.set(requestId, { url: request.url, sentAt: timestamp, answeredAt: null });
    }
  });
  session.on("Network.responseReceived", ({ requestId, timestamp }) => {
    const request = requests.get(requestId);
    if (request !== undefined) request.answeredAt = timestamp;
  });
  await session.send("Network.enable");
  return requests;
}

async function throttle(session: CDPSession, throttling: Throttling): Promise<void> {
  const { latencyMs, bytesPerSecond, processor } = throttling;
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: latencyMs,
    downloadThroughput: bytesPerSecond.down,
    uploadThroughput: bytesPerSecond.up,
  });
  await session.send("Emulation.setCPUThrottlingRate", { rate: processor });
}

/** Runs in the page before its scripts: notes when rows, and the search box, have been painted. */
function watchPaint(): void {
  const ROWS = 10;
  const noted = globalThis as { rowsAt?: number; readyAt?: number };
  const look = () => {
    // After the frame that shows it.
    const note = (name: "rowsAt" | "readyAt") =>
      setTimeout(() => {
        noted[name] ??= performance.now();
      });
    const { document } = globalThis as unknown as {
      document: { querySelectorAll(selector: string): { length: number } };
    };
    if (document.querySelectorAll("tbody tr a, [data-first-row]").length >= ROWS) note("rowsAt");
    if (document.querySelectorAll("[role=grid] input").length > 0) note("readyAt");
    if (noted.rowsAt === undefined || noted.readyAt === undefined) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

declare function requestAnimationFrame(callback: () => void): void;

async function seen(page: Page, name: "rowsAt" | "readyAt"): Promise<number> {
  const handle = await page.waitForFunction((each) => Reflect.get(globalThis, each), name, {
    timeout: 120_000,
  });
  return (await handle.jsonValue()) as number;
}

function longestChain(requests: readonly Request[]): number {
  const sorted = requests.toSorted((a, b) => a.sentAt - b.sentAt);
  const lengths = new Map<Request, number>();
  for (const request of sorted) {
    const before = [...lengths].filter(([{ answeredAt }]) => (answeredAt ?? 0) <= request.sentAt);
    lengths.set(request, 1 + Math.max(0, ...before.map(([, length]) => length)));
  }
  return Math.max(0, ...lengths.values());
}

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { FIRST_TRACES } from "@agate/protocol";
import { type Browser, launchChromium } from "../e2e/web/launch-chromium.ts";
import { ingestSpans } from "./ingest-load.ts";
import { createLoad } from "./loads/load.ts";
import {
  FAST_3G,
  loadPage,
  OPEN_3G,
  type PageLoad,
  scriptBytes,
  type Throttling,
} from "./page/measure-page.ts";
import type { Line } from "./report.ts";
import { median, ratio } from "./report.ts";
import { startAgate, temporaryFolder, untilIdle } from "./server-process.ts";

const ROUNDS = 5;

/** First pages of which the bytes of script are counted. */
const FIRST_PAGES = ["/traces", "/", "/playground", "/apps", "/testsets", "/runs"];

/** The first rows of the list of traces in a throttled browser, beside a static page with the same rows. */
export async function benchPage(traces: number): Promise<Line[]> {
  await using folder = await temporaryFolder();
  await using agate = await startAgate(folder.path);
  await ingestSpans(agate.port, traces, createLoad("mixed", { spansPerTrace: 1 }));
  // A million traces are packed for many minutes, in the background: pages are opened meanwhile, too.
  await untilIdle(agate.pid, 60);
  const url = `http://127.0.0.1:${agate.port}`;
  await using reference = await startStaticPage(url);
  const browser = await launchChromium();
  try {
    const lines: Line[] = [];
    for (const throttling of [FAST_3G, OPEN_3G]) {
      lines.push(await firstRows(browser, throttling, `${url}/traces`, reference.url, traces));
    }
    return [...lines, await scripts(browser, url)];
  } finally {
    await browser.close();
  }
}

async function firstRows(
  browser: Browser,
  throttling: Throttling,
  url: string,
  staticUrl: string,
  traces: number,
): Promise<Line> {
  const [page, plain]: [PageLoad[], PageLoad[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round++) {
    const own = await loadPage(browser, url, throttling, true);
    const other = await loadPage(browser, staticUrl, throttling, false);
    // The first round is for warming up.
    if (round === 0) continue;
    page.push(own);
    plain.push(other);
  }
  const of = (loads: readonly PageLoad[], figure: keyof PageLoad) =>
    median(loads.map((load) => Number(load[figure])));
  const ms = (value: number) => `${Math.round(value).toLocaleString("en")} ms`;
  return {
    what: `first rows of ${traces.toLocaleString("en")} traces, ${throttling.name}, processor ${throttling.processor} × slower`,
    measured: `${ms(of(page, "rowsMs"))} after ${of(page, "rounds")} requests in a chain (${of(page, "requests")} in all; the list asked for ${of(page, "listRequests")} time), its script ready after ${ms(of(page, "readyMs"))}`,
    reference: `a static page with the same rows ${ms(of(plain, "rowsMs"))}`,
    ratio: ratio(of(page, "rowsMs") / of(plain, "rowsMs")),
    target: "≤ 1,000 ms",
  };
}

async function scripts(browser: Browser, url: string): Promise<Line> {
  const sizes: { readonly path: string; readonly bytes: number }[] = [];
  for (const path of FIRST_PAGES) {
    sizes.push({ path, bytes: await scriptBytes(browser, url + path) });
  }
  const kilobytes = (bytes: number) => `${Math.round(bytes / 1000)} KB`;
  const most = Math.max(...sizes.map(({ bytes }) => bytes));
  return {
    what: "compressed script of a first page",
    measured: sizes.map(({ path, bytes }) => `${path} ${kilobytes(bytes)}`).join(", "),
    reference: "limit 200 KB",
    ratio: ratio(most / 200_000),
    target: "≤ 200 KB",
  };
}

interface StaticPage extends AsyncDisposable {
  readonly url: string;
}

/** The least that shows the rows: their names, times and texts in one compressed document. */
async function startStaticPage(platform: string): Promise<StaticPage> {
  const answer = await fetch(`${platform}/observability/traces/?limit=${FIRST_TRACES}`);
  const { items } = (await answer.json()) as { items: Record<string, unknown>[] };
  const rows = items.map((item) => {
    const cells = [item.created_at, item.status, item.spankind, JSON.stringify(item.content)];
    return `<tr><td><a href="/traces/${item.trace_id}">${escaped(item.name)}</a>${cells.map((cell) => `<td>${escaped(cell)}`).join("")}`;
  });
  const body = gzipSync(
    `<!doctype html><meta charset="utf-8"><title>Traces</title><table><tbody>${rows.join("")}</table>`,
  );
  const server = createServer((_request, response) => {
    response.writeHead(200, {
      "content-type": "text/html; charset=utf-8",
      "content-encoding": "gzip",
      "content-length": body.length,
    });
    response.end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function escaped(value: unknown): string {
  return String(value).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import type { DataFolder } from "../data-folder.ts";
import { emptyDataFolder } from "../data-folder.ts";
import type { RunningServer } from "../running-server.ts";
import { startServer } from "../running-server.ts";
import type { SentSpan } from "../sent-span.ts";
import { sendSpans } from "../sent-span.ts";

function oneSpan(name: string, inputs: string): SentSpan {
  return {
    traceId: randomBytes(16).toString("hex"),
    spanId: randomBytes(8).toString("hex"),
    parentSpanId: null,
    name,
    start: Date.now() * 1000,
    inputs,
  };
}

async function statusOf(server: RunningServer, path: string): Promise<number> {
  const response = await fetch(`${server.url}/observability/${path}`);
  await response.arrayBuffer();
  return response.status;
}

async function listed(server: RunningServer, query: string): Promise<number> {
  const response = await fetch(`${server.url}/observability/${query}`);
  return ((await response.json()) as { items: unknown[] }).items.length;
}

it("deletes what was kept long enough, and takes in new spans meanwhile", async () => {
  await using server = await startServer({ flags: ["--retention", "2s"] });
  const old = Array.from({ length: 2000 }, () => oneSpan("old", "oldword ".repeat(100)));
  const [first] = old as [SentSpan];
  expect(await sendSpans(server.url, old)).toBe(200);
  expect(await statusOf(server, `traces/${first.traceId}/`)).toBe(200);

  let isGone = false;
  const statuses: number[] = [];
  const newest = { traceId: "" };
  const ingest = (async () => {
    while (!isGone) {
      const spans = Array.from({ length: 10 }, () => oneSpan("new", "newword"));
      statuses.push(await sendSpans(server.url, spans));
      newest.traceId = spans[0]?.traceId ?? "";
    }
  })();
  await expect.poll(() => listed(server, "traces/?limit=1&name=old"), { timeout: 20_000 }).toBe(0);
  isGone = true;
  await ingest;

  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(await statusOf(server, `traces/${first.traceId}/`)).toBe(404);
  expect(await statusOf(server, `spans/${first.spanId}/`)).toBe(404);
  expect(await listed(server, "spans/?limit=1&q=oldword")).toBe(0);
  expect(await statusOf(server, `traces/${newest.traceId}/`)).toBe(200);
  expect(await server.stop()).toBe(0);
  expect(server.log()).toMatch(/"deleted":\d+,"msg":"Retention deleted traces\."/);
});

it("uses the space of what it deleted again", async () => {
  await using folder = await emptyDataFolder();
  const sizes: number[] = [];
  for (let cycle = 0; cycle < 3; cycle++) {
    await using server = await startServer({
      dataDirectory: folder.path,
      flags: ["--retention", "0.5s"],
    });
    for (let n = 0; n < 4; n++) {
      const spans = Array.from({ length: 1000 }, () => oneSpan("old", "word ".repeat(400)));
      expect(await sendSpans(server.url, spans)).toBe(200);
    }
    await expect.poll(() => rowsIn(folder), { timeout: 20_000 }).toBe(0);
    expect(await server.stop()).toBe(0);
    sizes.push((await stat(folder.spansFile)).size);
  }
  const [first = 0, , last = 0] = sizes;
  expect(last).toBeLessThan(first * 1.5);
});

/** Rows that still take up space. */
function rowsIn(folder: DataFolder): number {
  using db = new DatabaseSync(folder.spansFile, { readOnly: true });
  const counts = db.prepare(
    "SELECT (SELECT count(*) FROM spans) + (SELECT count(*) FROM segments) AS n",
  );
  return (counts.get() as { n: number }).n;
}

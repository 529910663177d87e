import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { runAgate } from "../run-agate.ts";
import { startServer } from "../running-server.ts";
import { crashRun, killAfter } from "./crash-run.ts";
import { expectAllTraces, expectEverything } from "./expect-everything.ts";

/** In each, the server waits a minute before it merges anything. */
const ROUNDS = 3;
const REQUESTS = 25;

it("keeps every span once when it is killed while it merges quiet traces", () =>
  crashRun(async ({ random, folder, clients, ledgers }) => {
    const file = join(folder, "spans.db");
    for (let round = 0; round < ROUNDS; round++) {
      await using server = await startServer({ dataDirectory: folder });
      for (const client of clients) await client.settle(server.url);
      await Promise.all(clients.map((client) => client.work(server.url, 0.05, REQUESTS)));
      await expectAllTraces(server.url, ledgers);
      const pauseMs = random.between(0, 30);
      await someMerged(file);
      // More spans, also of traces that are being merged, until the server is gone.
      const work = clients.map((client) => client.work(server.url, 0.05));
      await killAfter(pauseMs, server, work, folder);
    }
    await using server = await startServer({ dataDirectory: folder });
    for (const client of clients) await client.settle(server.url);
    await expectEverything(server.url, ledgers);
    // What the kills have left over is merged, and everything is still there.
    await expect.poll(() => rawSegments(file), { timeout: 180_000, interval: 500 }).toBe(0);
    await expectEverything(server.url, ledgers);
    expect(await server.stop()).toBe(0);
    expect(await runAgate(["check", "--data-dir", folder])).toMatchObject({ code: 0 });
  }));

/** Resolves when some traces were merged. */
async function someMerged(file: string): Promise<void> {
  using db = new DatabaseSync(file, { readOnly: true });
  const progress = db.prepare("SELECT received, trace_no, segment FROM merge_progress");
  const before = JSON.stringify(progress.get());
  while (JSON.stringify(progress.get()) === before) await delay(5);
}

function rawSegments(file: string): number {
  using db = new DatabaseSync(file, { readOnly: true });
  const raw = db.prepare(
    "SELECT count(*) AS n FROM segments WHERE substr(body, 1, 4) <> x'28b52ffd'",
  );
  return (raw.get() as { n: number }).n;
}

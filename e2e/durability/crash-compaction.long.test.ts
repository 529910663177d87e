import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { runAgate } from "../run-agate.ts";
import { startServer } from "../running-server.ts";
import type { CrashClient } from "./crash-client.ts";
import { crashRun, killAfter } from "./crash-run.ts";
import { expectAllTraces, expectEverything } from "./expect-everything.ts";

const ROUNDS = 3;
/** Of each client. With 20 spans of about 1 KiB, each is a segment that pays to be compacted. */
const TRACES = 10;
const SPANS = 20;

it("keeps every span once when it is killed while it compacts", () =>
  crashRun(async ({ random, folder, clients, ledgers }) => {
    for (let round = 0; round < ROUNDS; round++) {
      await using server = await startServer({ dataDirectory: folder });
      for (const client of clients) await client.settle(server.url);
      await expectAllTraces(server.url, ledgers);
      const pauseMs = random.between(0, 10);
      const compacting = segmentCompacted(join(folder, "spans.db"));
      const work = clients.map((client) => supersede(server.url, client));
      await compacting;
      await killAfter(pauseMs, server, work, folder);
    }
    await using server = await startServer({ dataDirectory: folder });
    for (const client of clients) await client.settle(server.url);
    // What the kills have left over is compacted, and everything is still there.
    await expect.poll(() => supersededIn(folder), { timeout: 30_000 }).toBe(0);
    await expectEverything(server.url, ledgers);
    expect(await server.stop()).toBe(0);
    expect(await runAgate(["check", "--data-dir", folder])).toMatchObject({ code: 0 });
  }));

/** New traces, and most of their spans once more, until the server is gone. */
async function supersede(url: string, client: CrashClient): Promise<void> {
  if (!(await client.perform(url, client.ledger.fullTraces(TRACES, SPANS)))) return;
  for (;;) {
    for (const traceId of client.ledger.traces.keys()) {
      if (!(await client.perform(url, client.ledger.mostOfAgain(traceId)))) return;
    }
  }
}

/** Resolves when fewer segments wait to be compacted than a moment before. */
async function segmentCompacted(file: string): Promise<void> {
  using db = new DatabaseSync(file, { readOnly: true });
  const count = db.prepare("SELECT count(*) AS segments FROM superseded_segments");
  for (let before = 0; ; ) {
    const { segments } = count.get() as { segments: number };
    if (segments < before) return;
    before = segments;
    // Not without a pause: the server needs the processor, too.
    await delay(1);
  }
}

function supersededIn(folder: string): number {
  using db = new DatabaseSync(join(folder, "spans.db"), { readOnly: true });
  const row = db.prepare("SELECT count(*) AS segments FROM superseded_segments").get();
  return (row as { segments: number }).segments;
}

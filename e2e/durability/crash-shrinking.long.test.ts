import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { runAgate } from "../run-agate.ts";
import { startServer } from "../running-server.ts";
import { crashRun, killAfter } from "./crash-run.ts";
import { expectAllTraces, expectEverything } from "./expect-everything.ts";

const ROUNDS = 4;
const REQUESTS = 15;
const FREE_PAGES = 25_000;
const MIB = 1024 * 1024;

it("keeps every span when it is killed while it makes its file smaller", () =>
  crashRun(async ({ random, folder, clients, ledgers }) => {
    const file = join(folder, "spans.db");
    await (await startServer({ dataDirectory: folder })).stop();
    for (let round = 0; round < ROUNDS; round++) {
      {
        // Before spans that come next, so that these must take its place.
        using db = new DatabaseSync(file);
        db.exec(`CREATE TABLE filler AS WITH RECURSIVE n (x) AS (
          VALUES (1) UNION ALL SELECT x + 1 FROM n WHERE x < ${FREE_PAGES}) SELECT zeroblob(4000) FROM n`);
      }
      {
        await using server = await startServer({ dataDirectory: folder });
        for (const client of clients) await client.settle(server.url);
        await Promise.all(clients.map((client) => client.work(server.url, 0.05, REQUESTS)));
        await server.stop();
      }
      {
        using db = new DatabaseSync(file);
        db.exec("DROP TABLE filler");
      }
      const pauseMs = random.between(0, 300);
      await using server = await startServer({ dataDirectory: folder });
      for (const client of clients) await client.settle(server.url);
      const work = clients.map((client) => client.work(server.url, 0.05));
      await someGiven(file);
      await killAfter(pauseMs, server, work, folder);
    }
    await using server = await startServer({ dataDirectory: folder });
    for (const client of clients) await client.settle(server.url);
    await expectAllTraces(server.url, ledgers);
    await expect
      .poll(() => statSync(file).size, { timeout: 180_000, interval: 200 })
      .toBeLessThan((FREE_PAGES / 2) * 4096 + MIB);
    await expectEverything(server.url, ledgers);
    expect(await server.stop()).toBe(0);
    expect(await runAgate(["check", "--data-dir", folder])).toMatchObject({ code: 0 });
  }));

/** Resolves when some pages were given back. */
async function someGiven(file: string): Promise<void> {
  using db = new DatabaseSync(file, { readOnly: true });
  const free = db.prepare("SELECT freelist_count AS n FROM pragma_freelist_count()");
  while ((free.get() as { n: number }).n > FREE_PAGES - 100) await delay(2);
}

import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { startServer } from "../running-server.ts";
import { crashRun } from "./crash-run.ts";
import { expectEverything, expectFound, expectTraces } from "./expect-everything.ts";
import { expectSoundFiles } from "./expect-sound-files.ts";

/** Set it higher for a longer run. */
const ROUNDS = Number(process.env.AGATE_CRASH_ROUNDS ?? 20);
const LONGEST_ROUND_MS = 500;

it(
  `keeps every acknowledged span through ${ROUNDS} kills`,
  { timeout: 60_000 + ROUNDS * 5_000 },
  () =>
    crashRun(async ({ random, folder, clients, ledgers }) => {
      for (let round = 0; round < ROUNDS; round++) {
        await using server = await startServer({ dataDirectory: folder });
        for (const client of clients) await client.settle(server.url);
        const changed = clients.flatMap((client) => [...client.takeChanged()]);
        await expectTraces(server.url, ledgers, changed);
        // Every other round while the index is behind.
        const lastSpan = ledgers.flatMap((ledger) => ledger.lastSpanOf(changed)).at(-1);
        if (lastSpan !== undefined && random.chance(0.5)) await expectFound(server.url, lastSpan);

        const deletes = random.chance(0.3) ? 0.6 : 0.05;
        const work = clients.map((client) => client.work(server.url, deletes));
        await delay(random.between(0, LONGEST_ROUND_MS));
        await server.kill();
        await Promise.all(work);
        await expectSoundFiles(folder);
      }
      await using server = await startServer({ dataDirectory: folder });
      for (const client of clients) await client.settle(server.url);
      await expectEverything(server.url, ledgers);
      expect(await server.stop()).toBe(0);
      await expectSoundFiles(folder);
    }),
);

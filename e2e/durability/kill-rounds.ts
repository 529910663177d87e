import { expect } from "vitest";
import { startServer } from "../running-server.ts";
import { crashRun, killAfter } from "./crash-run.ts";
import { expectAllTraces, expectEverything, expectFound } from "./expect-everything.ts";
import { expectSoundFiles } from "./expect-sound-files.ts";

const LONGEST_ROUND_MS = 500;

/**
 * Kills a server again and again while clients write to it. After every kill each trace that was
 * ever acknowledged is read, parsed and compared with all that was sent.
 */
export function killRounds(rounds: number): Promise<void> {
  return crashRun(async ({ random, folder, clients, ledgers }) => {
    for (let round = 0; round < rounds; round++) {
      await using server = await startServer({ dataDirectory: folder });
      for (const client of clients) await client.settle(server.url);
      await expectAllTraces(server.url, ledgers);
      // Every other round while the index is behind.
      const changed = clients.flatMap((client) => [...client.takeChanged()]);
      const lastSpan = ledgers.flatMap((ledger) => ledger.lastSpanOf(changed)).at(-1);
      if (lastSpan !== undefined && random.chance(0.5)) await expectFound(server.url, lastSpan);

      const deletes = random.chance(0.3) ? 0.6 : 0.05;
      const work = clients.map((client) => client.work(server.url, deletes));
      await killAfter(random.between(0, LONGEST_ROUND_MS), server, work, folder);
    }
    await using server = await startServer({ dataDirectory: folder });
    for (const client of clients) await client.settle(server.url);
    await expectEverything(server.url, ledgers);
    expect(await server.stop()).toBe(0);
    await expectSoundFiles(folder);
  });
}

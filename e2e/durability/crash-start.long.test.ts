import { setTimeout as delay } from "node:timers/promises";
import { it } from "vitest";
import { runAgate } from "../run-agate.ts";
import { startServer } from "../running-server.ts";
import type { CrashRun } from "./crash-run.ts";
import { crashRun } from "./crash-run.ts";
import { expectEverything } from "./expect-everything.ts";

const KILLS = 8;
/** A start takes about this long. */
const START_MS = 300;

async function killWhileStarting({ folder, random }: CrashRun): Promise<void> {
  for (let n = 0; n < KILLS; n++) {
    await runAgate(["server", "--port", "0", "--data-dir", folder], {
      killWhen: delay(random.between(START_MS / 6, START_MS)),
    });
  }
}

it("can be killed while it makes its files", () =>
  crashRun(async (run) => {
    await killWhileStarting(run);
    await using server = await startServer({ dataDirectory: run.folder });
    await Promise.all(run.clients.map((client) => client.work(server.url, 0, 5)));
    await expectEverything(server.url, run.ledgers);
  }));

it("can be killed while it recovers from a kill", () =>
  crashRun(async (run) => {
    const { folder, clients, ledgers } = run;
    await using server = await startServer({ dataDirectory: folder });
    await Promise.all(clients.map((client) => client.work(server.url, 0.2, 20)));
    await server.kill();
    await killWhileStarting(run);
    await using recovered = await startServer({ dataDirectory: folder });
    await expectEverything(recovered.url, ledgers);
  }));

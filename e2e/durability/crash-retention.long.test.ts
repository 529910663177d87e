import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { runAgate } from "../run-agate.ts";
import { startServer } from "../running-server.ts";
import { crashRun } from "./crash-run.ts";
import { expectEverything } from "./expect-everything.ts";
import { expectSoundFiles } from "./expect-sound-files.ts";
import { readList } from "./read-traces.ts";

const ROUNDS = 4;
/** Many more, of all clients together, than go before it is killed. */
const TRACES_A_CLIENT = 200;

it("leaves every trace whole or gone when it is killed while retention deletes", () =>
  crashRun(async ({ random, folder, clients, ledgers }) => {
    const file = join(folder, "spans.db");
    await using writing = await startServer({ dataDirectory: folder });
    for (const client of clients) {
      await client.work(writing.url, 0, 5);
      await client.perform(writing.url, client.ledger.smallTraces(TRACES_A_CLIENT));
    }
    expect(await writing.stop()).toBe(0);

    for (let round = 0; round < ROUNDS && ledgers.some(({ traces }) => traces.size > 0); round++) {
      const pauseMs = random.between(0, 20);
      await runAgate(["server", "--port", "0", "--data-dir", folder, "--retention", "0.001s"], {
        killWhen: traceDeleted(file).then(() => delay(pauseMs)),
      });
      await expectSoundFiles(folder);

      await using server = await startServer({ dataDirectory: folder });
      const left = new Set((await readList(server.url, "traces")).map((top) => top.trace_id));
      for (const ledger of ledgers) {
        const gone = [...ledger.traces.keys()].filter((traceId) => !left.has(traceId));
        for (const traceId of gone) ledger.apply({ kind: "delete", traceId });
      }
      await expectEverything(server.url, ledgers);
      expect(await server.stop()).toBe(0);
    }
  }));

/** Resolves when the first of the traces that are there now is gone. */
async function traceDeleted(file: string): Promise<void> {
  using db = new DatabaseSync(file, { readOnly: true });
  const count = db.prepare("SELECT count(*) AS traces FROM traces");
  const { traces } = count.get() as { traces: number };
  // Not without a pause: the server needs the processor, too.
  while ((count.get() as { traces: number }).traces === traces) await delay(1);
}

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { emptyDataFolder } from "../data-folder.ts";
import { startServer } from "../running-server.ts";
import { sendSpans } from "../sent-span.ts";
import { expectEverything, expectTraces } from "./expect-everything.ts";
import { SeededRandom } from "./seeded-random.ts";
import { TraceLedger } from "./trace-ledger.ts";

/** Lets no file of a process grow beyond so many bytes: to it, the disk is full. */
async function limitFiles(pid: number, bytes: number | "unlimited"): Promise<boolean> {
  const limit = `--fsize=${bytes}:unlimited`;
  return promisify(execFile)("prlimit", ["--pid", String(pid), limit]).then(
    () => true,
    () => false,
  );
}

it("refuses spans that the disk does not take, and takes them when it does again", async ({
  skip,
}) => {
  await using folder = await emptyDataFolder();
  await using server = await startServer({ dataDirectory: folder.path });
  const ledger = new TraceLedger(new SeededRandom(7));
  const send = async () => {
    const change = ledger.smallTraces(200);
    const status = await sendSpans(server.url, change.spans);
    if (status === 200) ledger.apply(change);
    return status;
  };
  expect(await send()).toBe(200);
  if (!(await limitFiles(server.pid, 2_000_000))) return skip("prlimit is not installed");

  let status = 200;
  while (status === 200) status = await send();
  expect(status).toBe(503);
  expect(await send()).toBe(503);
  await expect.poll(() => server.log()).toContain('"msg":"The store could not write."');
  // A deletion is much smaller than a batch; with no room at all it has to wait, too.
  await limitFiles(server.pid, 1);
  const [kept] = ledger.traces.keys();
  const deletion = await fetch(`${server.url}/observability/traces/${kept}/`, { method: "DELETE" });
  expect(deletion.status).toBe(503);
  expect(deletion.headers.get("retry-after")).toBe("5");
  // Nothing of what was refused is there, everything else is.
  await expectTraces(server.url, [ledger], [...ledger.traces.keys()]);

  expect(await limitFiles(server.pid, "unlimited")).toBe(true);
  expect(await send()).toBe(200);
  await expectEverything(server.url, [ledger]);
  expect(await server.stop()).toBe(0);
  await using again = await startServer({ dataDirectory: folder.path });
  await expectEverything(again.url, [ledger]);
});

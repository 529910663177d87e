import { expect, it } from "vitest";
import { emptyDataFolder } from "../data-folder.ts";
import { startServer } from "../running-server.ts";
import { sendSpans } from "../sent-span.ts";
import { expectEverything } from "./expect-everything.ts";
import { SeededRandom } from "./seeded-random.ts";
import { beginRequest, describeShutdown, roundTrip, shuttingDown } from "./shutdown.fixture.ts";
import { TraceLedger } from "./trace-ledger.ts";

describeShutdown("SIGTERM");

it("ends at once with a second Ctrl-C, and has lost nothing", async () => {
  await using folder = await emptyDataFolder();
  await using server = await startServer({ dataDirectory: folder.path });
  const ledger = new TraceLedger(new SeededRandom(2));
  const change = ledger.smallTraces(50);
  expect(await sendSpans(server.url, change.spans)).toBe(200);
  ledger.apply(change);
  const { connection } = await beginRequest(server, "{}");
  await roundTrip(server);
  void server.stop("SIGINT");
  await shuttingDown(server);
  // Ended by the signal, as a program without a handler would be.
  expect(await server.stop("SIGINT")).toBe(null);
  expect(await connection.received.catch(() => "")).toBe("");
  await using again = await startServer({ dataDirectory: folder.path });
  await expectEverything(again.url, [ledger]);
});

import { expect, it } from "vitest";
import { emptyDataFolder } from "../data-folder.ts";
import { startServer } from "../running-server.ts";
import { sendOtlp } from "../send-otlp.ts";
import { startAgate } from "./agate-client.ts";

it("agate traces --follow goes on through a restart, and shows what it missed", async () => {
  await using folder = await emptyDataFolder();
  const first = await startServer({ dataDirectory: folder.path });
  await using followed = startAgate(first.url, ["traces", "--follow"]);
  await followed.prints(/^TIME .*\n/);
  await first.stop();
  await using second = await startServer({
    dataDirectory: folder.path,
    flags: ["--port", new URL(first.url).port],
  });
  const sent = { traceId: "6".repeat(32), spanId: "6".repeat(16), name: "call 6" };
  await sendOtlp(second.url, [{ ...sent, start: Date.now() - 1000, end: Date.now() }]);
  await followed.prints(/call 6 /);
  expect(followed.output().match(/^TIME/gm)).toHaveLength(1);
});

import { expect, it } from "vitest";
import { emptyDataFolder } from "../data-folder.ts";
import { startServer } from "../running-server.ts";
import { deployClient } from "./deploy-client.fixture.ts";
import { openPacker, support } from "./pack-workflow.fixture.ts";

// Takes as long as a server that stops gives to the calls of builds.
it("breaks off a call that does not end when the server stops, and keeps its spans", async () => {
  await using folder = await emptyDataFolder();
  let id = "";
  let log = "";
  {
    await using packer = await openPacker();
    await using server = await startServer({ dataDirectory: folder.path });
    const client = deployClient(server.url);
    await client.mustDeploy(await packer.pack(support("one")), "?environment=production");
    const endless = { inputs: { most: 1_000_000 } };
    const stream = await client.call("/run/count", endless, { accept: "text/event-stream" });
    id = /^00-(\w{32})-/.exec(stream.headers.get("traceparent") ?? "")![1]!;
    const ended = server.stop();
    await expect.poll(async () => (await fetch(`${server.url}/health`)).status).toBe(503);
    await expect(stream.text()).rejects.toThrow();
    expect(await ended).toBe(0);
    log = server.log();
    // In time to record the call and to answer everything else.
    expect(log).not.toContain("What was not done after 10 seconds");
  }
  await using server = await startServer({ dataDirectory: folder.path });
  const response = await fetch(`${server.url}/observability/traces/${id}/`);
  expect(await response.json(), log).toMatchObject({ name: "invoke_workflow count" });
});

import { expect, it } from "vitest";
import { emptyDataFolder } from "../data-folder.ts";
import { startServer } from "../running-server.ts";
import { deployClient } from "./deploy-client.fixture.ts";
import { openPacker, support } from "./pack-workflow.fixture.ts";

it("finishes calls when it is stopped, and keeps the last spans of its builds", async () => {
  await using packer = await openPacker();
  await using folder = await emptyDataFolder();
  const ids: string[] = [];
  {
    await using server = await startServer({ dataDirectory: folder.path });
    const client = deployClient(server.url);
    await client.mustDeploy(await packer.pack(support("one")), "?environment=production");
    const accept = { accept: "text/event-stream" };
    const stream = await client.call("/run/count", { inputs: { most: 40 } }, accept);
    const answers = Array.from({ length: 50 }, () =>
      client.call("/run/say", { inputs: { text: "x" } }),
    );
    for (const answer of answers) {
      ids.push(((await (await answer).json()) as { trace_id: string }).trace_id);
    }
    const ended = server.stop();
    expect(await stream.text()).toContain("event: done");
    ids.push(/^00-(\w{32})-/.exec(stream.headers.get("traceparent") ?? "")![1]!);
    expect(await ended).toBe(0);
    expect(server.log()).not.toContain("broken off");
  }
  await using again = await startServer({ dataDirectory: folder.path });
  for (const id of ids) {
    const response = await fetch(`${again.url}/observability/traces/${id}/`);
    expect(await response.json()).toMatchObject({ metadata: { application: "support" } });
  }
  // And the build serves again without a deploy.
  const answer = await deployClient(again.url).call("/run/say", { inputs: { text: "x" } });
  expect(answer.status).toBe(200);
});

it("breaks off a call that does not end, in time to record it and to answer everything else", async () => {
  await using packer = await openPacker();
  await using folder = await emptyDataFolder();
  let id = "";
  {
    await using server = await startServer({ dataDirectory: folder.path });
    const client = deployClient(server.url);
    await client.mustDeploy(await packer.pack(support("one")), "?environment=production");
    const accept = { accept: "text/event-stream" };
    const stream = await client.call("/run/count", { inputs: { most: 1_000_000 } }, accept);
    id = /^00-(\w{32})-/.exec(stream.headers.get("traceparent") ?? "")![1]!;
    const ended = server.stop();
    await expect.poll(async () => (await fetch(`${server.url}/health`)).status).toBe(503);
    await expect(stream.text()).rejects.toThrow();
    expect(await ended).toBe(0);
    expect(server.log()).not.toContain("What was not done after 10 seconds");
  }
  await using again = await startServer({ dataDirectory: folder.path });
  const response = await fetch(`${again.url}/observability/traces/${id}/`);
  expect(await response.json()).toMatchObject({ name: "invoke_workflow count" });
});

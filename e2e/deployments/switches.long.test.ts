import { expect, it } from "vitest";
import { startServer } from "../running-server.ts";
import { constantLoad } from "./constant-load.fixture.ts";
import { deployClient } from "./deploy-client.fixture.ts";
import { openPacker, support } from "./pack-workflow.fixture.ts";

it("loses no call in ten switches of builds and configurations under constant load", async () => {
  await using packer = await openPacker();
  await using server = await startServer();
  const client = deployClient(server.url);
  const archives = [await packer.pack(support("one")), await packer.pack(support("two"))] as const;
  await client.mustDeploy(archives[0], "?environment=production");
  for (const [index, word] of ["red", "blue"].entries()) {
    const params = { "/say": { word } };
    await client.send("POST", "/variants/default/revisions", { params, base_revision: index + 1 });
    await client.send("POST", "/environments/production/deployments", { variant: "default" });
  }
  const rollBack = async () => {
    const response = await client.send("POST", "/environments/production/rollback", {});
    expect(response.status).toBe(201);
  };
  /** A call that is under way while the build is replaced. */
  const stream = async () => {
    const accept = { accept: "text/event-stream" };
    const response = await client.call("/run/count", { inputs: { most: 15 } }, accept);
    const events = await response.text();
    expect(events.match(/event: chunk/g)).toHaveLength(15);
    expect(events).toContain("event: done");
  };
  const load = constantLoad(`${server.url}/services/support/run/say`, {
    body: { inputs: { text: "x" } },
    keeping: 8,
    opening: 4,
    isGood: (body) => /"data":"(?:one|two) (?:default|red|blue) x"/.test(body),
  });
  await load.more(50);
  const switches = [
    () => client.mustDeploy(archives[1]),
    rollBack,
    () => client.activate(2),
    () => client.mustDeploy(archives[0]),
    rollBack,
    () => client.activate(1),
    () => client.mustDeploy(archives[1]),
    rollBack,
    () => client.activate(2),
    () => client.mustDeploy(archives[0]),
  ];
  for (const change of switches) {
    const before = load.answered;
    await Promise.all([stream(), change()]);
    await load.more(50);
    expect(load.answered).toBeGreaterThan(before);
  }
  await load.stop();
  expect(load.failures).toEqual([]);
  const { items } = (await (await client.send("GET", "/builds")).json()) as {
    items: { number: number; status: string }[];
  };
  // The same archive is the same build.
  expect(items.map(({ number, status }) => [number, status])).toEqual([
    [2, "retired"],
    [1, "live"],
  ]);
});

import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { PostgresDatabases } from "../../packages/platform/src/stores/testing/embedded-postgres.fixture.ts";
import { sharedPostgres } from "../../packages/platform/src/stores/testing/shared-databases.fixture.ts";
import { emptyDataFolder } from "../data-folder.ts";
import { SeededRandom } from "../durability/seeded-random.ts";
import { startReplicas } from "../replicas/replicas.ts";
import { startServer } from "../running-server.ts";
import { constantLoad } from "./constant-load.fixture.ts";
import { deployClient } from "./deploy-client.fixture.ts";
import { openPacker, type Packer, support } from "./pack-workflow.fixture.ts";

const KILLS = 3;
const INPUTS = { inputs: { text: "x" } };

let postgres: PostgresDatabases;
let packer: Packer;
beforeAll(async () => {
  [postgres, packer] = await Promise.all([sharedPostgres(), openPacker()]);
});
afterAll(async () => {
  await packer[Symbol.asyncDispose]();
});

/** What says where an empty database is. */
async function databaseFlags(): Promise<string[]> {
  const { url } = await postgres.createDatabase();
  return ["--store", url, "--registry", url];
}

/** Resolves when a server's own copy of the workflow answers as this build. */
async function expectServed(url: string, build: string): Promise<void> {
  const answer = async () => (await deployClient(url).call("/run/say", INPUTS)).json();
  await expect.poll(answer).toMatchObject({ data: `${build} default x` });
}

it("loses no call behind a balancer while builds come through one replica or another", async () => {
  await using replicas = await startReplicas(await databaseFlags());
  const [one, two, three] = replicas.servers;
  const archives = [await packer.pack(support("one")), await packer.pack(support("two"))] as const;
  await deployClient(one.url).mustDeploy(archives[0], "?environment=production");
  for (const { url } of replicas.servers) await expectServed(url, "one");

  const load = constantLoad(`${replicas.url}/services/support/run/say`, {
    body: INPUTS,
    keeping: 4,
    opening: 2,
    isGood: (body) => /"data":"(?:one|two) default x"/.test(body),
  });
  await load.more(30);
  const changes = [
    { build: "two", by: () => deployClient(two.url).mustDeploy(archives[1]) },
    { build: "one", by: () => deployClient(three.url).activate(1) },
    { build: "two", by: () => deployClient(one.url).activate(2) },
  ];
  for (const { build, by } of changes) {
    await by();
    for (const { url } of replicas.servers) await expectServed(url, build);
    await load.more(30);
  }
  await load.stop();
  expect(load.failures).toEqual([]);

  // What the copy of one replica records can be read through another.
  const call = await deployClient(three.url).call("/run/say", INPUTS);
  const { trace_id } = (await call.json()) as { trace_id: string };
  const trace = () => fetch(`${one.url}/observability/traces/${trace_id}/`);
  await expect.poll(async () => (await trace()).status).toBe(200);
  expect(await (await trace()).json()).toMatchObject({
    spankind: "WORKFLOW",
    environment: "production",
    metadata: { application: "support" },
  });
}, 120_000);

it("has one build that serves everywhere after a replica was killed in the middle of a deploy", async () => {
  const flags = await databaseFlags();
  await using folder = await emptyDataFolder();
  await using survivor = await startServer({ flags });
  await deployClient(survivor.url).mustDeploy(
    await packer.pack(support("build-0")),
    "?environment=production",
  );
  const random = new SeededRandom(6);
  for (let round = 1; round <= KILLS; round++) {
    const [lost, next] = [`lost-${round}`, `build-${round}`];
    {
      await using victim = await startServer({ flags, dataDirectory: folder.path });
      await expectServed(victim.url, `build-${round - 1}`);
      const deploy = deployClient(victim.url)
        .deploy(await packer.pack(support(lost)))
        .catch(() => "broken off");
      // While it unpacks, starts or switches, and after it.
      await Promise.race([delay(random.between(0, 600)), deploy]);
      await victim.kill();
      await deploy;
    }
    await deployClient(survivor.url).mustDeploy(await packer.pack(support(next)));
    await expectServed(survivor.url, next);
    const statuses = async () => {
      const list = await deployClient(survivor.url).send("GET", "/builds?limit=100");
      const { items } = (await list.json()) as { items: { status: string }[] };
      return items.map(({ status }) => status);
    };
    // The lost one is given up once its lease is seen to be free.
    await expect.poll(statuses, { timeout: 20_000 }).not.toContain("starting");
    const [newest, ...others] = await statuses();
    expect(newest).toBe("live");
    expect(others).not.toContain("live");
  }
}, 120_000);

it("tells of a deploy that it was broken off, while nothing but its server has ended", async () => {
  const flags = await databaseFlags();
  await using survivor = await startServer({ flags });
  await using victim = await startServer({ flags });
  const endless = `${support("endless")}\nawait new Promise((resolve) => setTimeout(resolve, 60_000));\n`;
  const deploy = deployClient(victim.url)
    .deploy(await packer.pack(endless))
    .catch(() => "broken off");
  const builds = async () => {
    const list = await deployClient(survivor.url).send("GET", "/builds");
    return list.ok ? ((await list.json()) as { items: object[] }).items : [];
  };
  await expect.poll(builds).toMatchObject([{ number: 1, status: "starting" }]);
  await victim.kill();
  expect(await deploy).toBe("broken off");
  await expect
    .poll(builds, { timeout: 20_000 })
    .toMatchObject([
      { number: 1, status: "refused", refusal: "The platform ended before the build could serve." },
    ]);
});

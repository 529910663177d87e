import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { SpanRecord } from "@agate/protocol";
import { expect, it, vi } from "vitest";
import { readTrace } from "../clients/read-back.ts";
import { emptyDataFolder } from "../data-folder.ts";
import { SeededRandom } from "../durability/seeded-random.ts";
import { type RunningServer, startServer } from "../running-server.ts";
import { deployClient } from "./deploy-client.fixture.ts";
import { openPacker, support } from "./pack-workflow.fixture.ts";
import { processesIn } from "./processes-in.fixture.ts";

const ROUNDS = 4;

interface ListedBuild {
  readonly id: string;
  readonly number: number;
  readonly status: string;
}

async function buildsOf(server: RunningServer): Promise<ListedBuild[]> {
  const response = await deployClient(server.url).send("GET", "/builds");
  return ((await response.json()) as { items: ListedBuild[] }).items;
}

it("has one build that serves, and nothing half done, after being killed in the middle of a switch", async () => {
  await using packer = await openPacker();
  await using folder = await emptyDataFolder();
  const archives: Uint8Array<ArrayBuffer>[] = [];
  for (let n = 1; n <= ROUNDS + 1; n++) archives.push(await packer.pack(support(`build-${n}`)));
  const random = new SeededRandom(4);
  /** Trace id → the call as it was recorded, which no later kill may change. */
  const traces = new Map<string, SpanRecord>();
  /** Number of a build → what it says. */
  const words = new Map<number, string>([[1, "build-1"]]);
  {
    await using server = await startServer({ dataDirectory: folder.path });
    await deployClient(server.url).mustDeploy(archives[0]!, "?environment=production");
    await server.stop();
  }
  for (let round = 1; round <= ROUNDS; round++) {
    await using server = await startServer({ dataDirectory: folder.path });
    const known = Math.max(...(await buildsOf(server)).map(({ number }) => number));
    words.set(known + 1, `build-${round + 1}`);
    const deploy = deployClient(server.url)
      .deploy(archives[round]!, "?environment=production")
      .then((response) => response.status)
      .catch(() => "broken off");
    // Before anything, while it starts, around the switch, and after it.
    await Promise.race([delay(random.between(0, 500)), deploy]);
    await server.kill();
    await deploy;

    await using again = await startServer({ dataDirectory: folder.path });
    const client = deployClient(again.url);
    const builds = await buildsOf(again);
    const live = builds.filter(({ status }) => status === "live");
    expect(live).toHaveLength(1);
    expect(builds.map(({ status }) => status)).not.toContain("starting");
    for (const [traceId, trace] of traces)
      expect(await readTrace(again.url, traceId)).toEqual(trace);
    const answer = await client.call("/run/say", { inputs: { text: "x" } });
    const { data, trace_id } = (await answer.json()) as { data: string; trace_id: string };
    expect(data).toBe(`${words.get(live[0]!.number)} default x`);
    // The workflow sends its spans after the answer.
    const called = await vi.waitFor(() => readTrace(again.url, trace_id), { timeout: 60_000 });
    expect(called.content).toMatchObject({ inputs: { text: "x" }, outputs: data });
    traces.set(trace_id, called);
    const kept = builds.filter(({ status }) => status !== "refused").map(({ id }) => id);
    const builtIn = join(folder.path, "builds");
    await expect.poll(async () => (await readdir(builtIn)).toSorted()).toEqual(kept.toSorted());
    const running = await processesIn(builtIn);
    if (running !== undefined) {
      // Those of the platform that was killed end by themselves.
      await expect.poll(() => processesIn(builtIn)).toHaveLength(1);
    }
    expect(await again.stop()).toBe(0);
    expect(await processesIn(builtIn)).toEqual(running && []);
  }
});

import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { filesIn } from "../../packages/platform/src/stores/sqlite/data-directory.ts";
import type { Run } from "../../packages/protocol/src/evaluations/run.ts";
import { emptyDataFolder } from "../data-folder.ts";
import { deployClient } from "../deployments/deploy-client.fixture.ts";
import { openPacker, type Packer } from "../deployments/pack-workflow.fixture.ts";
import { startServer } from "../running-server.ts";
import { countedWorkflow, startCallCounter } from "./counted-workflow.fixture.ts";

const CASES = 1000;
const CONCURRENCY = 12;
const EVALS = `import { evaluation } from "@agate/sdk/evals";
import { say } from "./app.ts";
export const quality = evaluation("quality", {
  route: say,
  testset: Array.from({ length: ${CASES} }, (_, n) => ({ id: "case-" + n, inputs: { n } })),
  scorers: { right: () => 1 },
  concurrency: ${CONCURRENCY},
});
`;
const POLL = { timeout: 120_000, interval: 20 };

let packer: Packer;
beforeAll(async () => {
  packer = await openPacker();
});
afterAll(() => packer[Symbol.asyncDispose]());

it("gives its leases back when it is asked to end in the middle of a run", async () => {
  await using counter = await startCallCounter();
  await using folder = await emptyDataFolder();
  let id = "";
  const read = async (url: string): Promise<Run> =>
    (await (await fetch(`${url}/registry/runs/${id}`)).json()) as Run;
  {
    await using server = await startServer({ dataDirectory: folder.path });
    const client = deployClient(server.url);
    const build = await packer.pack(countedWorkflow(counter.url, "one"), EVALS);
    await client.mustDeploy(build, "?environment=development");
    const started = await client.send("POST", "/evaluations/quality/runs", {});
    id = ((await started.json()) as Run).id;
    await expect.poll(async () => (await read(server.url)).results, POLL).toBeGreaterThan(0);
    expect(await server.stop("SIGTERM")).toBe(0);
  }
  // A lease is of 30 s: none that lasts beyond the server's end was left behind.
  const held = heldIn(folder.path, new Date().toISOString());
  expect(held).toEqual({ leases: 0, workers: 0, status: "running" });
  await using server = await startServer({ dataDirectory: folder.path });
  await expect.poll(async () => (await read(server.url)).status, POLL).not.toBe("running");
  expect(await read(server.url)).toMatchObject({ status: "finished", results: CASES, errors: 0 });
  expect(counter.calls.size).toBe(CASES);
  expect(counter.total).toBeLessThanOrEqual(CASES + CONCURRENCY);
}, 300_000);

/** What servers hold of the one run, as the file has it. */
function heldIn(directory: string, at: string) {
  const file = new DatabaseSync(filesIn(directory).registry, { readOnly: true });
  try {
    const count = (table: string) =>
      Number(
        file.prepare(`select count(*) as n from ${table} where expires_at > ?`).get(at)?.n ?? -1,
      );
    const status = file.prepare("select status from runs").get()?.status;
    return { leases: count("run_leases"), workers: count("run_workers"), status };
  } finally {
    file.close();
  }
}

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { buildArchive } from "../../packages/platform/src/deployments/builds/testing/build-archive.fixture.ts";
import { workflow } from "../../packages/platform/src/server/routes/deployments/testing/deploying.fixture.ts";
import { type DeployClient, deployClient } from "../deployments/deploy-client.fixture.ts";
import { processesIn } from "../deployments/processes-in.fixture.ts";
import { type RunningServer, startServer } from "../running-server.ts";

/** Starts a child that never exits, and computes for ever when it is called. */
const BUSY = workflow("", {
  before: `
    import { spawn } from "node:child_process";
    spawn("sleep", ["100000"], { stdio: "ignore" });`,
  handle: `
    if (request.url.endsWith("/spin")) for (;;);
    response.end("{}");`,
});

async function deploy(client: DeployClient): Promise<void> {
  const files = { "app.mjs": BUSY, "package.json": "{}" };
  const manifest = { entry: "app.mjs", allow: ["child-process"] };
  await client.mustDeploy(new Uint8Array(await buildArchive({ files, manifest })));
}

const runningIn = async ({ dataDirectory }: RunningServer) =>
  (await processesIn(join(dataDirectory, "builds"))) ?? [];

/** Has the build's only thread busy, and waits until it does not answer any more. */
async function spin(client: DeployClient): Promise<void> {
  void client.call("/run/spin", {}).catch(() => {});
  const isSilent = async () => {
    const answer = client.call("/run/x", {}).then(() => "answered");
    const patience = new Promise((resolve) => setTimeout(() => resolve("silent"), 500));
    return Promise.race([answer.catch(() => "failed"), patience]);
  };
  await expect.poll(isSilent).toBe("silent");
}

/** The process that ends builds after the server: its only child that runs a shell. */
async function reaperOf({ pid }: RunningServer): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(join("/proc", name, "stat"), "utf8").catch(() => "");
    const [, command, parent] = /\((.*)\) \S (\d+)/.exec(stat) ?? [];
    if (command === "sh" && Number(parent) === pid) found.push(Number(name));
  }
  return found;
}

const WAIT = { timeout: 20_000 };

// Other systems do not tell which processes there are.
it.runIf(process.platform === "linux").each([
  ["", false],
  [", even though what ends them was killed before", true],
])(
  "leaves no build behind that is busy, and none of its children, when the server is killed%s",
  async (_, killsReaper) => {
    await using server = await startServer();
    const client = deployClient(server.url);
    await deploy(client);
    expect(await runningIn(server)).toHaveLength(2);
    await spin(client);
    if (killsReaper) {
      const [reaper] = await reaperOf(server);
      process.kill(reaper!, "SIGKILL");
      const others = async () => (await reaperOf(server)).filter((pid) => pid !== reaper);
      await expect.poll(others, WAIT).toHaveLength(1);
    }
    const folders = await privateFolders(server);
    expect(folders).toHaveLength(1);
    await server.kill();
    await expect.poll(() => runningIn(server), WAIT).toEqual([]);
    const left = () => readdir(folders[0]!).catch(() => "gone");
    await expect.poll(left, WAIT).toBe("gone");
  },
  60_000,
);

/** The folders of the server's builds, by what their processes were told. */
async function privateFolders(server: RunningServer): Promise<string[]> {
  const folders = new Set<string>();
  for (const pid of await runningIn(server)) {
    const environment = await readFile(`/proc/${pid}/environ`, "utf8");
    const socket = /AGATE_LISTEN=unix:([^\0]+)/.exec(environment)?.[1];
    if (socket !== undefined) folders.add(join(socket, ".."));
  }
  return [...folders];
}

it.runIf(process.platform === "linux")(
  "leaves no child of a build behind that was replaced, crashed or stopped",
  async () => {
    await using server = await startServer();
    const client = deployClient(server.url);
    await deploy(client);
    const [first = 0, ...others] = await runningIn(server);
    await deploy(client);
    await expect.poll(() => runningIn(server), WAIT).toHaveLength(2);
    const second = await runningIn(server);
    expect(second).not.toContain(first);
    expect(second).not.toContain(others[0]);
    const leader = Math.min(...second);
    process.kill(leader, "SIGKILL");
    const restarted = async () => (await runningIn(server)).filter((pid) => !second.includes(pid));
    await expect.poll(restarted, WAIT).toHaveLength(2);
    await expect.poll(() => runningIn(server), WAIT).toHaveLength(2);
    expect((await client.send("DELETE", "/builds/live?environment=production")).status).toBe(204);
    await expect.poll(() => runningIn(server), WAIT).toEqual([]);
  },
  60_000,
);

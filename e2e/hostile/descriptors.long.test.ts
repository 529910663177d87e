import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { deployClient } from "../deployments/deploy-client.fixture.ts";
import { openPacker, support } from "../deployments/pack-workflow.fixture.ts";
import { processesIn } from "../deployments/processes-in.fixture.ts";
import { startServer } from "../running-server.ts";
import { sendSpans } from "../sent-span.ts";

const SPAN = {
  traceId: "a".repeat(32),
  spanId: "b".repeat(16),
  parentSpanId: null,
  name: "span",
  start: 1_700_000_000_000_000,
  inputs: "word",
};

// Before: the first list after the limit was reached ended the server, as its thread could not start.
it.each([
  ["survives 400 connections with 160 file descriptors", 160],
  ["survives 400 connections with hardly enough descriptors to start", 72],
])("%s, and answers lists again", async (_, descriptors) => {
  await using server = await startServer({
    within: ["sh", "-c", `ulimit -n ${descriptors} && exec "$@"`, "sh"],
  });
  expect(await sendSpans(server.url, [SPAN])).toBe(200);
  const port = Number(new URL(server.url).port);
  const sockets: Socket[] = [];
  for (let n = 0; n < 400; n++) {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    sockets.push(socket);
    await once(socket, "connect");
  }
  const list = async () => {
    const response = await fetch(`${server.url}/observability/traces/?q=word`, {
      headers: { connection: "close" },
    }).catch(() => undefined);
    if (response?.status === 503) expect(response.headers.get("retry-after")).not.toBeNull();
    await response?.body?.cancel();
    return response?.status;
  };
  // Refused at once, or answered: never the end.
  for (let n = 0; n < 5; n++) {
    const status = await list();
    expect([undefined, 200, 503], server.log()).toContain(status);
  }
  for (const socket of sockets) socket.destroy();
  await expect.poll(list).toBe(200);
  expect(await server.stop()).toBe(0);
});

const run = promisify(execFile);

/** Changes how many descriptors a running process may have, of those that are open now. */
async function leaveDescriptors(pid: number, spare: number | "many"): Promise<void> {
  const open = readdirSync(`/proc/${pid}/fd`).length;
  const limit = spare === "many" ? 1024 : open + spare;
  await run("prlimit", ["--pid", String(pid), `--nofile=${limit}:`]);
}

function canLimit(): boolean {
  try {
    execFileSync("prlimit", ["--version"]);
    return process.platform === "linux";
  } catch {
    return false;
  }
}

// Before: 422 "build_unusable: It could not be started: spawn … EMFILE", which blames the build, and its
// packages were distrusted; processes were not watched over any more once their shell could not start.
it.skipIf(!canLimit())(
  "answers deploys with 503 where it has from 0 to 12 descriptors left, and keeps serving",
  async () => {
    await using packer = await openPacker();
    await using server = await startServer();
    const client = deployClient(server.url);
    await client.mustDeploy(await packer.pack(support("first")));
    // Its calls need no configuration of the platform, and so no further connection.
    await client.send("PATCH", "/environments/production", { playground: true });
    const next = await packer.pack(support("next"));
    const statuses = new Set<number>();
    for (const spare of [0, 2, 4, 6, 8, 10, 12]) {
      await leaveDescriptors(server.pid, spare);
      // A new connection may find no descriptor either, and is closed then.
      const response = await client.deploy(next).catch(() => undefined);
      const text = await response?.text().catch(() => undefined);
      await leaveDescriptors(server.pid, "many");
      if (response === undefined || text === undefined) continue;
      statuses.add(response.status);
      expect([201, 503], text).toContain(response.status);
      if (response.status === 503) expect(text).toContain('"resources_exhausted"');
    }
    expect(statuses).toContain(503);
    const answered = async () =>
      (await client.call("/playground/run/say", { inputs: { text: "hi" } })).status;
    await expect.poll(answered).toBe(200);

    // A build that ends while none is left is started again as soon as there are some.
    const [build] = (await processesIn(server.dataDirectory)) ?? [];
    await leaveDescriptors(server.pid, 1);
    process.kill(Number(build), "SIGKILL");
    await expect.poll(() => server.log()).toMatch(/could not be started/i);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    await leaveDescriptors(server.pid, "many");
    await expect.poll(answered, { timeout: 30_000 }).toBe(200);
    expect(await server.stop()).toBe(0);
  },
  120_000,
);

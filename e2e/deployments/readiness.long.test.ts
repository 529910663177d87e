import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PostgresServer } from "../../packages/platform/src/stores/testing/embedded-postgres.fixture.ts";
import { startPostgres } from "../../packages/platform/src/stores/testing/shared-databases.fixture.ts";
import { startServer } from "../running-server.ts";
import { deployClient } from "./deploy-client.fixture.ts";
import { openPacker, type Packer, support } from "./pack-workflow.fixture.ts";

const INPUTS = { inputs: { text: "x" } };
const CALLS = 50;
const PATIENCE = { timeout: 30_000 };

let postgres: PostgresServer;
let packer: Packer;
beforeAll(async () => {
  [postgres, packer] = await Promise.all([startPostgres(), openPacker()]);
});
afterAll(async () => {
  await packer[Symbol.asyncDispose]();
  await postgres.dispose();
});

async function databaseFlags(): Promise<string[]> {
  const { url } = await postgres.createDatabase();
  return ["--store", url, "--registry", url];
}

/** The status and the names of the checks that fail. */
async function ready(url: string): Promise<{ status: number; failing: unknown[] }> {
  const response = await fetch(`${url}/health/ready`);
  const { detail = [] } = (await response.json()) as { detail?: { loc: string[]; type: string }[] };
  const failing = detail.map(({ loc, type }) => loc.at(-1) ?? type);
  return { status: response.status, failing };
}

const statusOf = async (url: string) => (await fetch(url)).status;

/** What a build waits for when it starts. */
async function openGate() {
  const waiting = new Set<ServerResponse>();
  let isOpen = true;
  let status = 200;
  const server = createServer((_, response) => {
    response.statusCode = status;
    if (isOpen) response.end();
    else waiting.add(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      isOpen = false;
    },
    /** @param answer What a build that waits is told. */
    open(answer: number) {
      isOpen = true;
      status = answer;
      for (const response of waiting) response.writeHead(answer).end();
      waiting.clear();
    },
    get waiting() {
      return waiting.size;
    },
    [Symbol.asyncDispose]: async () => void server.close().closeAllConnections(),
  };
}

const gated = (url: string) => `${support("gated")}
const told = await fetch(${JSON.stringify(url)});
if (!told.ok) throw new Error("The gate is shut");
`;

describe("a new server", () => {
  let flags: string[];
  let gate: Awaited<ReturnType<typeof openGate>>;
  beforeAll(async () => {
    flags = await databaseFlags();
    gate = await openGate();
    await using first = await startServer({ flags });
    const build = await packer.pack(gated(gate.url));
    await deployClient(first.url).mustDeploy(build, "?environment=production");
    expect(await ready(first.url)).toEqual({ status: 200, failing: [] });
    await first.stop();
  });
  afterAll(() => gate[Symbol.asyncDispose]());

  it("is ready when its builds serve, and no call fails from then on", async () => {
    gate.close();
    await using server = await startServer({ flags });
    await expect.poll(() => gate.waiting, PATIENCE).toBe(1);
    expect(await ready(server.url)).toEqual({ status: 503, failing: ["builds"] });
    expect(await statusOf(`${server.url}/health`)).toBe(200);
    expect(await statusOf(`${server.url}/health/live`)).toBe(200);

    gate.open(200);
    await expect.poll(() => ready(server.url), PATIENCE).toEqual({ status: 200, failing: [] });
    const calls = Array.from({ length: CALLS }, async () => {
      const answer = await deployClient(server.url).call("/run/say", INPUTS);
      return answer.status;
    });
    expect(new Set(await Promise.all(calls))).toEqual(new Set([200]));
  }, 120_000);

  it("is ready though a build has failed to start", async () => {
    gate.close();
    await using server = await startServer({ flags });
    await expect.poll(() => gate.waiting, PATIENCE).toBe(1);
    expect(await ready(server.url)).toEqual({ status: 503, failing: ["builds"] });
    gate.open(500);
    await expect.poll(() => ready(server.url), PATIENCE).toEqual({ status: 200, failing: [] });
  }, 120_000);
});

it("is not ready while its databases are away, and alive all the time", async () => {
  await using server = await startServer({ flags: await databaseFlags() });
  expect(await ready(server.url)).toEqual({ status: 200, failing: [] });
  const away = { status: 503, failing: ["store", "registry"] };
  await postgres.stop();
  await expect.poll(() => ready(server.url), PATIENCE).toEqual(away);
  expect(await statusOf(`${server.url}/health/live`)).toBe(200);
  await postgres.start();
  await expect.poll(() => ready(server.url), PATIENCE).toEqual({ status: 200, failing: [] });
}, 120_000);

it("is not ready without the key of secrets that another server has stored", async () => {
  const flags = await databaseFlags();
  const key = () => ({ AGATE_SECRET_KEY: randomBytes(32).toString("base64") });
  await using server = await startServer({ flags, env: key() });
  await using other = await startServer({ flags, env: key() });
  const client = deployClient(server.url);
  const made = await fetch(`${server.url}/registry/applications`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ slug: "support" }),
  });
  expect(made.status).toBe(201);
  const change = { set: { TOKEN: "tok-0123456789" } };
  const set = await client.send("PATCH", "/environments/staging/variables", change);
  expect(set.status, await set.text()).toBe(200);
  const lacking = { status: 503, failing: ["secrets"] };
  await expect.poll(() => ready(other.url), PATIENCE).toEqual(lacking);
  expect(await ready(server.url)).toEqual({ status: 200, failing: [] });
  const unset = { unset: ["TOKEN"] };
  expect((await client.send("PATCH", "/environments/staging/variables", unset)).status).toBe(200);
  await expect.poll(() => ready(other.url), PATIENCE).toEqual({ status: 200, failing: [] });
}, 120_000);

it("is not ready while the disk is full", async ({ skip }) => {
  await using server = await startServer();
  const limit = (bytes: string) =>
    promisify(execFile)("prlimit", ["--pid", String(server.pid), `--fsize=${bytes}:unlimited`]);
  const isLimited = await limit("1").then(
    () => true,
    () => false,
  );
  if (!isLimited) return skip("prlimit is not installed");
  await expect.poll(() => ready(server.url), PATIENCE).toEqual({ status: 503, failing: ["disk"] });
  await limit("unlimited");
  await expect.poll(() => ready(server.url), PATIENCE).toEqual({ status: 200, failing: [] });
});

it("is not ready once it drains, and finishes the call that it has", async () => {
  await using gate = await openGate();
  await using server = await startServer();
  const client = deployClient(server.url);
  const waiting = `${support("draining")}
export const wait = ag.route("/wait", SayConfig)(async function* () {
  yield "begun";
  await fetch(${JSON.stringify(gate.url)});
  yield "told";
});
`;
  await client.mustDeploy(await packer.pack(waiting), "?environment=production");
  gate.close();
  const call = await client.call("/run/wait", { inputs: {} }, { accept: "text/event-stream" });
  await expect.poll(() => gate.waiting, PATIENCE).toBe(1);
  const stopped = server.stop();
  await expect
    .poll(() => ready(server.url), PATIENCE)
    .toEqual({ status: 503, failing: ["shutting_down"] });
  expect(await statusOf(`${server.url}/health/live`)).toBe(200);
  gate.open(200);
  expect(await call.text()).toMatch(/data: "told"\n\nevent: done/);
  expect(await stopped).toBe(0);
});

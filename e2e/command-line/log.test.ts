import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { emptyDataFolder } from "../data-folder.ts";
import { runAgate } from "../run-agate.ts";

/** What a server prints between its start and its stop, with a good and a bad request between. */
async function logOf(...flags: string[]): Promise<string> {
  await using folder = await emptyDataFolder();
  const port = await freePort();
  const called = callServer(`http://127.0.0.1:${port}`);
  const ended = await runAgate(
    ["server", "--port", `${port}`, "--otlp-grpc", "off", "--data-dir", folder.path, ...flags],
    { stopWhen: called },
  );
  await called;
  expect([ended.code, ended.stderr]).toEqual([0, ""]);
  return ended.stdout;
}

async function callServer(url: string): Promise<void> {
  const health = async () => (await fetch(`${url}/health`).catch(() => undefined))?.status;
  await expect.poll(health).toBe(200);
  await (await fetch(`${url}/observability/traces/unknown/?secret=hidden`)).arrayBuffer();
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

function linesOf(log: string): Record<string, unknown>[] {
  expect(log).toMatch(/\n$/);
  return log
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("the log", () => {
  it("is one JSON line a request, besides start and stop, outside of a terminal", async () => {
    const lines = linesOf(await logOf());
    expect(lines).toContainEqual({
      level: 30,
      time: expect.any(Number),
      method: "GET",
      path: "/observability/traces/unknown/",
      status: 404,
      ms: expect.any(Number),
      address: "127.0.0.1",
      msg: "request",
    });
    const others = lines.filter(({ msg }) => msg !== "request").map(({ msg }) => msg);
    expect(others).toEqual(["Agate is running.", "Shutting down."]);
    expect(lines.find(({ msg }) => msg === "Agate is running.")).toMatchObject({
      version: expect.any(String),
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      data: expect.any(String),
    });
  });

  it("is made for people with --log-format pretty, and never has the query", async () => {
    const log = await logOf("--log-format", "pretty", "--log-level", "debug");
    expect(log).not.toContain("hidden");
    expect(log).toMatch(/^\[[\d:.]+\] INFO: Agate is running\. /m);
    expect(log).toMatch(
      /^\[[\d:.]+\] INFO: GET \/observability\/traces\/unknown\/: 404 in [\d.]+ ms$/m,
    );
    expect(log).not.toContain("\u001b[");
  });

  it("has nothing of this with --log-level warn", async () => {
    expect(await logOf("--log-level", "warn", "--log-format", "json")).toBe("");
  });
});

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeBlocks } from "./code-blocks.ts";
import type { RunningServer } from "./running-server.ts";
import { startServer } from "./running-server.ts";

const blocks = codeBlocks("docs/guide/getting-started.md");
const [send = "", read = "", ...more] = blocks
  .filter(({ info, code }) => info === "sh" && code.includes("curl"))
  .map(({ code }) => code);
const shown = blocks.find(({ info }) => info === "json");

describe("the commands of the guide to getting started", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  async function run(command: string): Promise<unknown> {
    expect(command).toContain("http://127.0.0.1:4100");
    const script = command.replaceAll("http://127.0.0.1:4100", server.url);
    const { stdout } = await promisify(execFile)("bash", ["-euc", script]);
    return JSON.parse(stdout);
  }

  it("send a trace that is taken whole, and read it back as shown", async () => {
    expect(await run(send)).not.toHaveProperty("partialSuccess");
    const answer = await run(read);
    expect(answer).toMatchObject(JSON.parse(shown?.code ?? "null"));
  });

  it("read what else there is", async () => {
    const commands = more.flatMap((block) => block.trim().split("\n"));
    expect(commands.length).toBeGreaterThan(3);
    for (const command of commands) expect(await run(command)).not.toHaveProperty("detail");
  });
});

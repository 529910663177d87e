import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeBlocks } from "./code-blocks.ts";
import type { RunningServer } from "./running-server.ts";
import { startServer } from "./running-server.ts";

const blocks = codeBlocks("README.md");
const [send = "", read = "", ...others] = blocks
  .filter(({ info, code }) => info === "sh" && code.includes("curl"))
  .map(({ code }) => code);
const shown = blocks.find(({ info }) => info === "json");

describe("the README's commands", () => {
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
    expect(others).toEqual([]);
  });
});

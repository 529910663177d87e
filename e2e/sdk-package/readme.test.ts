import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { codeBlocks } from "../code-blocks.ts";

const [program, command, ...others] = codeBlocks("packages/sdk/README.md");

it("the README of the SDK has a program that runs, and a command that it answers", async () => {
  expect([program?.info, command?.info, others.length]).toEqual(["ts", "sh", 0]);
  // Inside the repository, where `@agate/sdk` is found.
  const folder = await mkdtemp(join(import.meta.dirname, "../.guide-sdk-readme-"));
  const port = await freePort();
  const app = join(folder, "app.ts");
  await writeFile(app, program!.code.replace("4101", String(port)));
  const running = spawn(process.execPath, ["--no-warnings", app], { stdio: "inherit" });
  try {
    const script = `${command!.code.replace("4101", String(port)).replace("curl", "curl --retry 50 --retry-connrefused --retry-delay 0")}`;
    const { stdout } = await promisify(execFile)("bash", ["-euc", script]);
    const { data, trace } = JSON.parse(stdout);
    expect(data).toBe("Hello, Ada!!!");
    expect(trace).toMatchObject({ name: "invoke_workflow greet", config: { loudness: 3 } });
  } finally {
    running.kill("SIGKILL");
    await once(running, "exit");
    await rm(folder, { recursive: true });
  }
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { EnvironmentVariables } from "../../packages/protocol/src/registry/variable.ts";
import { type RunningServer, startServer } from "../running-server.ts";
import { type AgateClient, clientOf, startAgate } from "./agate-client.ts";

const CANARY = "canary-5b8efff798038103d269";

let server: RunningServer;
let agate: AgateClient;
beforeAll(async () => {
  server = await startServer();
  agate = clientOf(server.url);
  expect((await agate("apps", "create", "support")).code).toBe(0);
});
afterAll(() => server[Symbol.asyncDispose]());

async function listed(): Promise<EnvironmentVariables> {
  return JSON.parse((await agate("env", "list", "support", "staging", "--json")).stdout);
}

it("sets, lists and unsets variables, and never prints the value of a secret", async () => {
  expect((await agate("env", "support", "staging")).stderr).toContain("has no variables");
  const set = await agate("env", "set", "support", "staging", `TOKEN=${CANARY}`, "URL=a=b");
  expect(set).toMatchObject({
    code: 0,
    stdout: "Set TOKEN, URL in staging of support (version 1).\n",
  });
  await agate("env", "set", "support", "staging", "--plain", "REGION=eu");
  const { stdout } = await agate("env", "support", "staging");
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.trim().split(/\s+/).slice(0, 3)),
  ).toMatchObject([
    ["NAME", "VALUE", "VERSION"],
    ["REGION", '"eu"', "2"],
    ["TOKEN", "(secret)", "1"],
    ["URL", "(secret)", "1"],
  ]);
  expect(stdout).not.toContain(CANARY);
  const unset = await agate("env", "unset", "support", "staging", "URL");
  expect(unset.stdout).toBe("Unset URL in staging of support (version 3).\n");
  expect((await listed()).items.map(({ name }) => name)).toEqual(["REGION", "TOKEN"]);
});

it("reads a value from standard input, without the line end at its end", async () => {
  await using command = startAgate(server.url, [
    "env",
    "set",
    "support",
    "staging",
    "PEM",
    "--plain",
  ]);
  command.stdin.end("first line\nsecond line\n");
  expect((await command.ended).code).toBe(0);
  const pem = (await listed()).items.find(({ name }) => name === "PEM");
  expect(pem?.value).toBe("first line\nsecond line");
});

it("imports a .env file as one change, and says what it skips", async () => {
  const file = join(tmpdir(), `agate-env-${process.pid}`);
  await writeFile(file, `# comment\nA=1\nB="two words"\nPORT=80\nAGATE_API_KEY=x\n`);
  const before = (await listed()).version;
  const imported = await agate("env", "import", "support", "staging", file);
  await rm(file);
  expect(imported.stderr).toContain("Skipped PORT.");
  expect(imported.stderr).toContain("Skipped AGATE_API_KEY.");
  expect(imported.stdout).toBe(`Set A, B in staging of support (version ${before + 1}).\n`);
  const missing = await agate("env", "import", "support", "staging", file);
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("file not found") });
});

it("says what is wrong", async () => {
  const refused = await agate("env", "set", "support", "staging", `LD_PRELOAD=${CANARY}`);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("cannot be set");
  const mixed = await agate("env", "set", "support", "staging", "A=1", CANARY);
  expect(mixed).toMatchObject({ code: 2, stderr: expect.stringContaining("NAME=value") });
  const unknown = await agate("env", "unset", "support", "staging", "NOPE");
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('no variable "NOPE"') });
  expect(refused.stderr + mixed.stderr + unknown.stderr).not.toContain(CANARY);
});

it("encrypts again with the first key", async () => {
  expect((await agate("env", "rekey")).stdout).toBe("Encrypted 0 secrets with the first key.\n");
});

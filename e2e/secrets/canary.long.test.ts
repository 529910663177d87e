import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { openPacker } from "../deployments/pack-workflow.fixture.ts";
import { startServer } from "../running-server.ts";
import { LEAKING, leakOn, WORD } from "./leaking-app.ts";

let archive: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  await using packer = await openPacker();
  archive = await packer.pack(LEAKING);
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function expectNothingInProcesses(...pids: readonly number[]): void {
  if (!existsSync("/proc/self/environ")) return;
  for (const pid of pids) {
    for (const file of ["environ", "cmdline"]) {
      expect(readFileSync(`/proc/${pid}/${file}`).includes(WORD), `${file} of ${pid}`).toBe(false);
    }
  }
}

it("is found nowhere: answers, logs, spans, files, backup and processes of a server with SQLite", async () => {
  await using server = await startServer();
  const { answers, pid } = await leakOn(server, archive);
  expect(answers).toContain("[secret:TOKEN]");
  expect(answers).not.toContain(WORD);
  expectNothingInProcesses(pid, server.pid);
  const backup = Buffer.from(
    await (await fetch(`${server.url}/backups`, { method: "POST" })).arrayBuffer(),
  );
  expect(backup.includes("spans.db")).toBe(true);
  expect(backup.includes(WORD)).toBe(false);
  const key = readFileSync(join(server.dataDirectory, "secret.key"), "utf8").trim();
  expect(backup.includes("secret.key")).toBe(false);
  expect(backup.includes(key)).toBe(false);
  expect(server.log()).not.toContain(WORD);
  // While it runs, and what is left when it has ended.
  const files = () => filesBelow(server.dataDirectory);
  for (const file of files()) expect(readFileSync(file).includes(WORD), file).toBe(false);
  expect(await server.stop()).toBe(0);
  const left = files();
  expect(left.some((file) => file.endsWith("registry.db"))).toBe(true);
  for (const file of left) expect(readFileSync(file).includes(WORD), file).toBe(false);
});

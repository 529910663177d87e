import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { namesIn } from "../builds/folder-contents.ts";
import { buildArchive } from "../builds/testing/build-archive.fixture.ts";
import { MOST_FETCHED } from "./fetched-folder.ts";
import { prepareFetchedBuild } from "./prepare-fetched-build.ts";

/** Larger than any that a system gives: a process that has ended, another one for each build. */
let lastPid = 2 ** 22;
const ended = () => ++lastPid;
let running: ChildProcess;
let folder: string;
let time = Date.UTC(2026, 0, 1);
let downloads: number[];

beforeAll(async () => {
  running = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
  await once(running, "spawn");
});
afterAll(() => {
  running.kill("SIGKILL");
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "agate-fetched-"));
  downloads = [];
});
afterEach(() => rm(folder, { recursive: true }));

/** Prepares a build as a process does that uses it. @returns its folder's name. */
async function prepare(build: number, pid: number): Promise<string> {
  const files = { "app.js": `// AGATE_EVALUATOR_SOCKET ${build}`, "package.json": "{}" };
  const id = createHash("sha256").update(String(build)).digest("hex");
  const prepared = await prepareFetchedBuild(
    { id, allow: [], manifest_sha256: null },
    {
      folder,
      mostUnpackedBytes: 1e6,
      signal: new AbortController().signal,
      download: async () => {
        downloads.push(build);
        return buildArchive({ files });
      },
      pid,
      now: () => time++,
    },
  );
  if (prepared.kind === "failed") throw new Error(prepared.reason);
  return id;
}

async function prepareAll(count: number, pid: () => number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await prepare(n, pid()));
  return ids;
}

async function kept(): Promise<readonly string[]> {
  return (await namesIn(join(folder, "builds"))).toSorted();
}

it("keeps the builds that were used last", async () => {
  const ids = await prepareAll(MOST_FETCHED, ended);
  expect(await kept()).toEqual(ids.toSorted());
  // Used once more: the second is the oldest now.
  await prepare(0, ended());
  const one = await prepare(100, ended());
  expect(await kept()).toEqual([...ids.filter((_, n) => n !== 1), one].toSorted());
  await prepare(1, ended());
  expect(downloads).toEqual([...Array(MOST_FETCHED).keys(), 100, 1]);
});

it("removes no build that this process has used, however many they are", async () => {
  const ids = await prepareAll(MOST_FETCHED + 2, () => process.pid);
  expect(await kept()).toEqual(ids.toSorted());
});

it("looks at no build while another process removes some", async () => {
  const users = join(folder, "users");
  const removal = join(users, String(running.pid));
  await mkdir(users);
  await writeFile(removal, "");
  const preparing = prepare(0, ended());
  await expect.poll(() => readdir(users)).toHaveLength(2);
  expect([downloads, await kept()]).toEqual([[], []]);
  await rm(removal);
  const id = await preparing;
  expect(await kept()).toEqual([id]);
});

it("removes nothing while another process uses a build", async () => {
  const used = await prepare(100, running.pid as number);
  const ids = await prepareAll(MOST_FETCHED + 1, ended);
  expect(await kept()).toEqual([used, ...ids].toSorted());
  const over = once(running, "exit");
  running.kill("SIGKILL");
  await over;
  const last = await prepare(101, ended());
  const newest = [...ids, last].slice(-MOST_FETCHED);
  expect(await kept()).toEqual(newest.toSorted());
});

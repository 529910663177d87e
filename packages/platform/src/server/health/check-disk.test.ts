import { mkdtemp, readdir, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkDisk } from "./check-disk.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "agate-disk-"));
});
afterAll(() => rm(folder, { recursive: true }));

it("passes where there is room, and leaves nothing behind", async () => {
  await checkDisk(folder);
  expect(await readdir(folder)).toEqual([]);
});

it("fails where less is free than needed", async () => {
  const { blocks, bsize } = await statfs(folder);
  await expect(checkDisk(folder, blocks * bsize + 1)).rejects.toThrow("bytes are free.");
});

it("fails where nothing can be written", async () => {
  await expect(checkDisk(join(folder, "missing"))).rejects.toThrow("ENOENT");
});

import { mkdtemp, readdir, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { FailedCheck, ReadinessOptions } from "./readiness.ts";
import { checkDisk, Readiness } from "./readiness.ts";

const NO_FAULT = { disk: async () => {}, store: async () => {}, registry: async () => {} };
const LONG_MS = 60_000;

function readiness(options: Partial<ReadinessOptions>): Readiness {
  return new Readiness({
    isStarting: () => false,
    probes: NO_FAULT,
    onChange: () => {},
    ...options,
  });
}

it("names every check that fails, and why in the log", async () => {
  const told: (readonly FailedCheck[])[] = [];
  const store = vi.fn<() => Promise<void>>().mockRejectedValueOnce(new Error("refused"));
  let isStarting = true;
  const subject = readiness({
    isStarting: () => isStarting,
    probes: { ...NO_FAULT, store },
    onChange: (failing) => told.push(failing),
    limits: { keepMs: 0 },
  });
  const failing = await subject.failing();
  expect(failing).toMatchObject([{ check: "builds" }, { check: "store", reason: "refused" }]);
  isStarting = false;
  expect(await subject.failing()).toEqual([]);
  expect(await subject.failing()).toEqual([]);
  // Changes only: probes come every few seconds.
  expect(told).toEqual([failing, []]);
});

it("keeps what it knows of secrets while the registry does not answer", async () => {
  const answers: (() => Promise<string | undefined>)[] = [];
  const secrets = vi.fn(() => (answers.shift() ?? (async () => undefined))());
  const subject = readiness({ secrets, limits: { keepMs: 0, answerMs: 20 } });
  const away = async () => Promise.reject(new Error("connection refused"));
  const silent = () => new Promise<undefined>(() => {});
  answers.push(away);
  expect(await subject.failing()).toEqual([]);
  answers.push(async () => "a key is lacking");
  const lacking = [{ check: "secrets", reason: "a key is lacking" }];
  expect(await subject.failing()).toEqual(lacking);
  answers.push(away);
  expect(await subject.failing()).toEqual(lacking);
  answers.push(async () => undefined);
  expect(await subject.failing()).toEqual([]);
  // From here on its one query never ends.
  answers.push(silent);
  expect(await subject.failing()).toEqual([]);
  expect(await subject.failing()).toEqual([]);
  expect(secrets).toHaveBeenCalledTimes(5);
});

it("runs a probe once, however many ask, until its outcome is old", async () => {
  const store = vi.fn(async () => {});
  const kept = readiness({ probes: { ...NO_FAULT, store }, limits: { keepMs: LONG_MS } });
  await Promise.all(Array.from({ length: 1000 }, () => kept.failing()));
  await kept.failing();
  expect(store).toHaveBeenCalledTimes(1);

  const notKept = readiness({ probes: { ...NO_FAULT, store }, limits: { keepMs: 0 } });
  await notKept.failing();
  await notKept.failing();
  expect(store).toHaveBeenCalledTimes(3);
});

it("does not wait for a probe that hangs, nor start another beside it", async () => {
  const answer = Promise.withResolvers<void>();
  const registry = vi.fn(() => answer.promise);
  const subject = readiness({
    probes: { ...NO_FAULT, registry },
    limits: { keepMs: 0, answerMs: 1 },
  });
  for (let n = 0; n < 3; n++) {
    expect(await subject.failing()).toMatchObject([{ check: "registry" }]);
  }
  expect(registry).toHaveBeenCalledTimes(1);
  answer.resolve();
  await expect.poll(() => subject.failing()).toEqual([]);
});

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

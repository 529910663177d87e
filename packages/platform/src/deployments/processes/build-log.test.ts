import { appendFile, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LogLine } from "@agate/protocol";
import fc from "fast-check";
import { expect, it, onTestFinished, vi } from "vitest";
import type { LogRequest } from "../deployer.ts";
import { BuildLog } from "./build-log.ts";

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "agate-log-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function read(log: BuildLog, request: Partial<LogRequest> = {}): Promise<LogLine[]> {
  const { signal } = new AbortController();
  const all = { build: null, environment: null, tail: 1_000, follow: false, signal, ...request };
  return collect(log.read(all));
}

async function collect(lines: AsyncIterable<LogLine>): Promise<LogLine[]> {
  const all: LogLine[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

function openLog(folder: string): BuildLog {
  const log = new BuildLog(folder);
  onTestFinished(() => log.close());
  return log;
}

function said(build: number, stream: LogLine["stream"], line: string, environment = "staging") {
  return { build, environment, stream, line };
}

const texts = (lines: readonly LogLine[]) => lines.map(({ line }) => line);

it("gives back the last lines, of all builds and environments or of one, oldest first", async () => {
  const log = openLog(join(await temporaryFolder(), "app_1"));
  log.add(said(1, "stdout", 'one "build":2, \n more'));
  log.add(said(2, "stderr", "two"));
  log.add(said(1, "platform", "three", "production"));
  const time = expect.any(String);
  expect(await read(log)).toEqual([
    { time, ...said(1, "stdout", 'one "build":2, \n more') },
    { time, ...said(2, "stderr", "two") },
    { time, ...said(1, "platform", "three", "production") },
  ]);
  expect(texts(await read(log, { tail: 2 }))).toEqual(["two", "three"]);
  expect(texts(await read(log, { build: 2 }))).toEqual(["two"]);
  expect(texts(await read(log, { environment: "production" }))).toEqual(["three"]);
  expect(texts(await read(log, { environment: "staging", build: 1, tail: 9 }))).toHaveLength(1);
  expect(await read(log, { tail: 0 })).toEqual([]);
});

it("has nothing of an application that never printed", async () => {
  const log = openLog(join(await temporaryFolder(), "app_1"));
  expect(await read(log)).toEqual([]);
  await log.close();
});

it("goes on where an earlier platform was killed, also in the middle of a line", async () => {
  const folder = await temporaryFolder();
  const before = new BuildLog(folder);
  before.add(said(1, "stdout", "before"));
  await before.close();
  await appendFile(join(folder, "newer.ndjson"), '{"time":"2026-11-15T0');
  const log = openLog(folder);
  log.add(said(1, "stdout", "after"));
  await log.close();
  expect(texts(await read(log))).toEqual(["before", "after"]);
});

it("keeps two files of bounded size", async () => {
  const folder = await temporaryFolder();
  const log = openLog(folder);
  const long = "x".repeat(10_000);
  for (let n = 0; n < 2_500; n++) {
    log.add(said(1, "stdout", `${n} ${long}`));
    // The disk is given its turn, as it has it where lines come from a process.
    if (n % 100 === 0) await read(log, { tail: 1 });
  }
  await log.close();
  const files = await readdir(folder);
  expect(files.toSorted()).toEqual(["newer.ndjson", "older.ndjson"]);
  const sizes = await Promise.all(files.map((name) => stat(join(folder, name))));
  for (const { size } of sizes) expect(size).toBeLessThan(10 * 1024 * 1024);
  const kept = texts(await read(log, { tail: 10_000 })).map((line) => Number.parseInt(line, 10));
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, n) => 2_500 - kept.length + n));
  expect(kept.length).toBeGreaterThan(500);
});

it("follows: every line once and in order, whenever the reader comes", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 8 }),
      async (bursts) => {
        const folder = await mkdtemp(join(tmpdir(), "agate-log-"));
        const log = openLog(folder);
        let count = 0;
        const readers: Promise<LogLine[]>[] = [];
        for (const burst of bursts) {
          for (let n = 0; n < burst; n++) log.add(said(1, "stdout", String(count++)));
          readers.push(read(log, { follow: true, tail: 10_000 }));
          if (burst % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        // A reader that has not begun when the log is closed has the file all the same.
        await read(log);
        await log.close();
        const expected = Array.from({ length: count }, (_, n) => String(n));
        for (const lines of await Promise.all(readers)) expect(texts(lines)).toEqual(expected);
        await rm(folder, { recursive: true });
      },
    ),
    { numRuns: 25 },
  );
});

it("stops following when the reader goes away", async () => {
  const log = openLog(await temporaryFolder());
  const gone = new AbortController();
  const lines: string[] = [];
  const reading = (async () => {
    const request = {
      build: 1,
      environment: "staging",
      tail: 0,
      follow: true,
      signal: gone.signal,
    };
    for await (const { line } of log.read(request)) {
      lines.push(line);
      gone.abort();
    }
  })();
  await read(log);
  log.add(said(2, "stdout", "of another build"));
  log.add(said(1, "stdout", "of another environment", "production"));
  log.add(said(1, "stdout", "new"));
  await reading;
  expect(lines).toEqual(["new"]);
});

it("drops lines for a slow reader, and reports their number", async () => {
  const log = openLog(await temporaryFolder());
  const reading = log.read({
    build: null,
    environment: null,
    tail: 0,
    follow: true,
    signal: new AbortController().signal,
  });
  const first = reading.next();
  await read(log);
  for (let n = 0; n < 10_005; n++) log.add(said(1, "stdout", String(n)));
  await log.close();
  const lines = [(await first).value as LogLine, ...(await collect(reading))];
  expect(lines).toHaveLength(10_001);
  expect(lines.at(-1)).toMatchObject({
    stream: "platform",
    line: "5 lines are missing here: they came faster than they were read.",
  });
});

it("survives a disk that takes nothing, and says what is missing when it does again", async () => {
  const folder = join(await temporaryFolder(), "app_1");
  // A file in the way of the folder fails every write, as a full disk does.
  await writeFile(folder, "");
  const log = openLog(folder);
  log.add(said(7, "stdout", "lost"));
  log.add(said(7, "stdout", "lost, too"));
  await read(log, { tail: 0 });
  await rm(folder);
  await mkdir(folder);
  log.add(said(7, "stdout", "kept"));
  await vi.waitFor(async () => expect((await readdir(folder)).length).toBe(1), { timeout: 60_000 });
  expect(texts(await read(log))).toEqual([
    "2 lines are missing here: the disk was full or too slow.",
    "kept",
  ]);
});

it("bounds what waits for the disk", async () => {
  const log = openLog(await temporaryFolder());
  const long = "x".repeat(10_000);
  // All of it in one turn: the disk has no chance.
  for (let n = 0; n < 600; n++) log.add(said(1, "stdout", `${n} ${long}`));
  await log.close();
  const lines = texts(await read(log, { tail: 10_000 }));
  expect(lines[0]).toMatch(/^\d+ lines are missing here/);
  expect(lines.length).toBeLessThan(500);
});

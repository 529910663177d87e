import { mkdtempSync } from "node:fs";
import { open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { LogOptions } from "./log-options.ts";
import { openLog } from "./open-log.ts";

const directory = mkdtempSync(join(tmpdir(), "agate-log-"));
afterAll(() => rm(directory, { recursive: true }));

const REQUEST = {
  method: "GET",
  path: "/a\nb",
  status: 200,
  ms: 1.23456,
  aborted: false,
  address: "::1",
  caller: undefined,
};
const CALLER = { name: 'ci "eu"', keyId: "key_1", isOperator: false };
const FAILED = { ...REQUEST, status: 500, aborted: true, caller: CALLER };

async function logged(options: Pick<LogOptions, "level" | "format">): Promise<string> {
  const path = join(directory, `${options.level}-${options.format}`);
  const file = await open(path, "w");
  const { log, requests, flush } = await openLog({ ...options, destination: file.fd });
  requests.record(REQUEST);
  log.info({ port: 1 }, "ready");
  log.error({ err: new Error("broken"), method: "GET", path: "/x" }, "A request failed.");
  requests.record(FAILED);
  for (let n = 0; n < 1000; n++) requests.record({ ...REQUEST, path: `/${n}` });
  await flush();
  await file.close();
  return readFile(path, "utf8");
}

it("writes JSON lines that all arrive", async () => {
  const lines = (await logged({ level: "info", format: "json" })).trimEnd().split("\n");
  const parsed = lines.map((line) => JSON.parse(line));
  expect(parsed).toHaveLength(1004);
  expect(parsed).toContainEqual({
    level: 30,
    time: expect.any(Number),
    method: "GET",
    path: "/a\nb",
    status: 200,
    ms: 1.235,
    address: "::1",
    msg: "request",
  });
  expect(parsed).toContainEqual(
    expect.objectContaining({
      level: 50,
      status: 500,
      aborted: true,
      key: "key_1",
      key_name: 'ci "eu"',
    }),
  );
  expect(parsed).toContainEqual(expect.objectContaining({ port: 1, msg: "ready" }));
});

it("leaves out what is below its level", async () => {
  const lines = (await logged({ level: "error", format: "json" })).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).level)).toEqual([50, 50]);
  expect(await logged({ level: "silent", format: "json" })).toBe("");
});

it("writes the same for people", async () => {
  const text = await logged({ level: "info", format: "pretty" });
  expect(text).toMatch(/INFO: ready.*"port":1/);
  expect(text).toMatch(/ERROR: GET \/x: A request failed\./);
  expect(text).toContain("broken");
  expect(text).toContain("GET /999: 200 in 1.235 ms");
  expect(text).toMatch(/500 in 1.235 ms, by ci "eu" from ::1, broken off/);
});

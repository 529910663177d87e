import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { buildArchive } from "../../../deployments/builds/testing/build-archive.fixture.ts";
import { startBuildProcess } from "../../../deployments/processes/start-build-process.ts";
import type { TestPlatform } from "../../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../../testing/test-platform.fixture.ts";
import { sendJson } from "../registry/testing/registry-client.fixture.ts";
import {
  activate,
  at,
  buildsOf,
  callService,
  deploy,
  logsOf,
  workflow,
} from "./testing/deploying.fixture.ts";

let platform: TestPlatform;
/** Of a build that is to be refused because it takes too long; any other has all the time it needs. */
let shortStartMs: number | undefined;
beforeAll(async () => {
  platform = await startTestPlatform({
    maxBuildBytes: 100_000,
    startBuild: (program, options) =>
      startBuildProcess(program, { ...options, timeoutMs: shortStartMs ?? options.timeoutMs }),
  });
});
afterAll(() => platform.close());

describe("refuses, and the build before still serves,", () => {
  beforeAll(async () => {
    expect((await deploy(platform, "firm", workflow("good"))).status).toBe(201);
  });

  async function expectRefusal(build: Parameters<typeof deploy>[2], status: number, type: string) {
    const response = await deploy(platform, "firm", build);
    expect(response.status, response.body.toString()).toBe(status);
    expect(response.json.detail[0].type).toBe(type);
    expect(await callService(platform, "firm")).toEqual({ status: 200, text: "good" });
    return response.json.detail as { msg: string; loc: unknown[]; type: string }[];
  }

  /** Tried with ever more patience until it has said this before it hangs: a machine may be busy. */
  async function expectTimeOut(build: string, said: string): Promise<string> {
    onTestFinished(() => {
      shortStartMs = undefined;
    });
    for (let patienceMs = 500; ; patienceMs *= 2) {
      shortStartMs = patienceMs;
      const [fault] = await expectRefusal(build, 422, "build_unusable");
      if (fault?.msg.includes(`\n${said}`)) return fault.msg;
    }
  }

  /** The record of the newest build says why, and none of its files are left. */
  async function expectRecord(reason: string): Promise<void> {
    const [newest] = await buildsOf(platform, "firm");
    expect(newest).toMatchObject({ status: "refused", refusal: expect.stringContaining(reason) });
    expect(await readdir(join(platform.dataDirectory, "builds"))).not.toContain(newest.id);
  }

  it("a build that crashes at start, with its last lines", async () => {
    const before = "console.log('reading keys'); throw new Error('no key for the model');";
    const [fault] = await expectRefusal(workflow("x", { before }), 422, "build_unusable");
    expect(fault?.msg).toMatch(/^The build cannot be used\. It ended with code 1 before it answer/);
    expect(fault?.msg).toContain("\nreading keys\n");
    expect(fault?.msg).toContain("no key for the model");
    await expectRecord("It ended with code 1");
    const [{ number }] = await buildsOf(platform, "firm");
    const lines = (await logsOf(platform, "firm", `?build=${number}`)).map(({ line }) => line);
    expect(lines).toContain("reading keys");
    expect(lines.at(-1)).toMatch(/^Refused\. The build cannot be used\./);
  });

  it("a build that hangs before it listens", async () => {
    const before = "console.log('waiting'); await new Promise(() => setInterval(() => {}, 1e6));";
    const reason = await expectTimeOut(workflow("x", { before }), "waiting");
    expect(reason).toContain("did not answer GET /health");
    await expectRecord("did not answer GET /health");
  });

  it("a build that listens on nothing", async () => {
    const source = "console.log('done with everything'); setInterval(() => {}, 1e6);";
    const reason = await expectTimeOut(source, "done with everything");
    expect(reason).toContain("AGATE_LISTEN");
  });

  it("a build that is not a workflow", async () => {
    const source = `
      import { createServer } from "node:http";
      createServer((request, response) => response.end("hello"))
        .listen(process.env.AGATE_LISTEN.slice("unix:".length));`;
    const [fault] = await expectRefusal(source, 422, "build_unusable");
    expect(fault?.msg).toContain("/openapi.json");
  });

  it("a build whose document does not describe a workflow", async () => {
    const source = workflow("x").replace("response.end(openapi)", "response.end('[]')");
    const [fault] = await expectRefusal(source, 422, "build_unusable");
    expect(fault).toMatchObject({ loc: ["body"] });
    expect(fault?.msg).toMatch(/^The \/openapi\.json of the build does not describe a workflow/);
    await expectRecord("does not describe a workflow");
  });

  it("a schema that a live configuration does not satisfy, naming what does not", async () => {
    const params = { "/summarize": { temperature: 1.5 } };
    const commit = { params, base_revision: 1 };
    const revision = await sendJson(
      platform,
      "POST",
      at("firm", "/variants/default/revisions"),
      commit,
    );
    expect(revision.status).toBe(201);
    const deployed = await sendJson(
      platform,
      "POST",
      at("firm", "/environments/production/deployments"),
      { variant: "default" },
    );
    expect(deployed.status).toBe(201);
    const [fault] = await expectRefusal(workflow("x", { maximum: 1 }), 409, "config_invalid");
    for (const part of ["production", "/summarize", "temperature", "1.5", "1"]) {
      expect(fault?.msg).toContain(part);
    }
    await expectRecord("temperature");
  });

  it("what is no build, without a record of it", async () => {
    const [before] = await buildsOf(platform, "firm");
    const entries = [
      { header: { name: "x", size: 0, type: "symlink", linkname: "/etc/passwd" } as const },
    ];
    const files = { "app.js": workflow("x") };
    const [fault] = await expectRefusal({ files, entries }, 422, "archive_invalid");
    expect(fault?.msg).toBe(
      'This is not a build. "x" is a symlink; a build has regular files only.',
    );
    expect((await buildsOf(platform, "firm"))[0]).toEqual(before);
  });

  it("packages that cannot be installed, with what npm says", async () => {
    const files = {
      "app.js": workflow("x"),
      "package.json": "{",
      "package-lock.json": "{}",
    };
    const [fault] = await expectRefusal({ files }, 422, "install_failed");
    expect(fault?.msg).toMatch(/^The packages of the build could not be installed: npm ended/);
    expect(fault?.msg).toContain("\nnpm error code EJSONPARSE");
    await expectRecord("npm ended");
    const [{ number }] = await buildsOf(platform, "firm");
    const lines = (await logsOf(platform, "firm", `?build=${number}`)).map(({ line }) => line);
    expect(lines).toContain("npm error code EJSONPARSE");
  });

  it("to activate a build that was refused, or never was", async () => {
    const builds: { number: number; status: string }[] = await buildsOf(platform, "firm");
    const refused = builds.find(({ status }) => status === "refused");
    const response = await activate(platform, "firm", refused?.number ?? 0);
    expect(response.status).toBe(422);
    expect(response.json.detail[0]).toMatchObject({
      type: "build_unusable",
      loc: ["path", "build"],
    });
    expect((await activate(platform, "firm", 999)).status).toBe(404);
    expect(await callService(platform, "firm")).toMatchObject({ text: "good" });
  });
});

describe("takes no request that", () => {
  const send = (query: string, headers: Record<string, string>, body: string | Uint8Array = "") =>
    platform.send({
      method: "POST",
      path: at("checked", `/builds${query}`),
      headers,
      body,
    });
  const gzip = { "content-type": "application/gzip" };

  it.each([
    ["is of another type", "", { "content-type": "application/json" }, 415],
    ["is compressed twice", "", { ...gzip, "content-encoding": "gzip" }, 415],
    ["names a revision that is no number", "?environment=staging&revision=x", gzip, 422],
    ["names a revision without a variant", "?environment=staging&revision=1", gzip, 422],
  ])("%s", async (_, query, headers, status) => {
    expect((await send(query, headers)).status).toBe(status);
  });

  it("is larger than the limit", async () => {
    const response = await send("", gzip, Buffer.alloc(100_001));
    expect(response.status).toBe(413);
    expect(response.json.detail[0].msg).toContain("--max-build");
  });

  it("names an application that cannot be one", async () => {
    const body = await buildArchive({ files: { "app.js": workflow("x") } });
    const path = at("No%20Slug", "/builds");
    const response = await platform.send({ method: "POST", path, headers: gzip, body });
    expect(response.json.detail[0]).toMatchObject({ type: "slug_invalid", loc: ["path", "app"] });
  });
});

it("refuses a build for which there is no room, and says which option makes some", async () => {
  const full = await startTestPlatform({ processes: { most: 1 } });
  onTestFinished(() => full.close());
  expect((await deploy(full, "first", workflow("one"))).status).toBe(201);
  const refused = await deploy(full, "second", workflow("two"));
  expect(refused.status).toBe(409);
  expect(refused.json.detail[0]).toMatchObject({
    type: "no_room",
    loc: ["body"],
    msg: expect.stringMatching(/this server runs 1 of at most 1\..+--max-processes/),
  });
  // A new build of the first takes the room of the one before.
  expect((await deploy(full, "first", workflow("three"))).status).toBe(201);
  expect(await callService(full, "first")).toEqual({ status: 200, text: "three" });
});

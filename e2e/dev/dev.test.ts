import type { ApplicationSchema } from "@agate/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal, runAgate } from "../run-agate.ts";
import { runInProcess } from "../run-in-process.ts";
import { BEST, BOTH, call, traceOf } from "./call.ts";
import { type DevProject, makeProject } from "./dev-project.ts";
import { type RunningAgate, startAgate } from "./running-agate.ts";

/** Types are checked in type-errors.long.test.ts: the compiler takes longer than everything else here. */
const DEV = ["dev", "--port", "0", "--no-typecheck"];

/** The document that the platform answers with. */
async function read<Document>(url: string): Promise<Document> {
  return (await (await fetch(url)).json()) as Document;
}

describe("agate dev", () => {
  let project: DevProject;
  let dev: RunningAgate;
  beforeAll(async () => {
    project = await makeProject();
    dev = await startAgate([...DEV, "--otlp-grpc", "0"], { cwd: project.folder });
    await dev.printed(/Ready in/);
  });
  afterAll(async () => {
    await dev?.[Symbol.asyncDispose]();
    await project[Symbol.asyncDispose]();
  });

  it("says where everything is, on few lines and without colours in a pipe", () => {
    const lines = dev.text().trimEnd().split("\n");
    expect(lines).toEqual([
      "Starting support.",
      `support is at ${dev.url}`,
      `Try it in a browser: ${dev.url}/apps/support/playground`,
      expect.stringMatching(/^OTLP over gRPC is taken at http:\/\/127\.0\.0\.1:\d+$/),
      "",
      "  POST /run              with the configuration that is live in development",
      "  POST /playground/run   with any configuration",
      "  GET  /docs             API reference",
      "",
      expect.stringMatching(/^Ready in \S+ m?s\. Save a file to reload, Ctrl-C to stop\.$/),
    ]);
  });

  it("answers with all defaults, deployed to development, at three addresses", async () => {
    const calls = ["/run", "/generate_deployed", "/services/support/run"].map(async (path) => {
      const { status, data, traceId } = await call(dev.url + path);
      expect({ path, status, data }).toEqual({ path, status: 200, data: BOTH });
      expect(await traceOf(dev.url, traceId), path).toMatchObject({
        environment: "development",
        variant: { variant_name: "default", revision: 1 },
        metadata: { application: "support" },
        children: [{ name: "pick-sentences", environment: "development" }],
      });
    });
    await Promise.all(calls);
  });

  it.each(["/playground/run", "/generate", "/services/support/playground/run"])(
    "answers at %s with any configuration",
    async (path) => {
      const { status, data } = await call(dev.url + path, { config: { sentences: 1 } });
      expect({ status, data }).toEqual({ status: 200, data: BEST });
    },
  );

  it("prints a line with its trace for every call, and none for the platform's own requests", async () => {
    const { traceId } = await call(`${dev.url}/run`);
    await dev.printed(new RegExp(`POST /run  200 +\\S+ m?s  ${traceId}\n`));
    await traceOf(dev.url, traceId);
    expect(dev.text()).not.toMatch(/v1\/traces|observability|registry/);
  });

  it("has told the registry the routes of the code", async () => {
    const schema = await read<ApplicationSchema>(`${dev.url}/registry/applications/support/schema`);
    expect(schema.routes).toMatchObject([
      { route: "/", config: { sentences: { default: 2, minimum: 1, maximum: 10 } } },
    ]);
  });

  it("ends with 0 at Ctrl-C, keeps traces and registry, and changes nothing in it when it starts again", async () => {
    const { traceId } = await call(`${dev.url}/run`);
    const environment = "/registry/applications/support/environments/development";
    const before = await read(dev.url + environment);
    expect(await dev.end("SIGINT")).toEqual({ code: 0, signal: null });
    expect(dev.text()).toMatch(/Stopping\. .*\n$/);
    dev = await startAgate(DEV, { cwd: project.folder });
    await dev.printed(/Ready in/);
    await traceOf(dev.url, traceId);
    expect(await read(dev.url + environment)).toEqual(before);
  });

  it("has what the program prints for agate logs, and for its followers", async () => {
    const logs = (...args: string[]) =>
      runInProcess(["logs", "support", "--url", dev.url, ...args]);
    await project.edit(
      "app.ts",
      "export const app =",
      'console.log("loaded");\nexport const app =',
    );
    await dev.printed(/loaded\n[\s\S]*Reloaded in/);
    await expect.poll(async () => (await logs()).stdout).toMatch(/ dev loaded\n/);
    const { code, stdout } = await logs("--build", "0", "--json");
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual({
      time: expect.any(String),
      build: 0,
      environment: "development",
      stream: "stdout",
      line: "loaded",
    });
    expect(stdout).toMatch(/"stream":"platform","line":"Serving, as process \d+\."/);
    expect(await logs("--build", "7")).toMatchObject({ code: 1 });
    await project.edit("app.ts", 'console.log("loaded");\n', "");
    await dev.printed(/Reloaded in/);
  });

  it("serves what is saved, and keeps registry and traces", async () => {
    const before = await call(`${dev.url}/run`);
    await project.edit("app.ts", "default: 2, ge: 1", "default: 1, ge: 1");
    await dev.printed(/Reloaded in/);
    expect((await call(`${dev.url}/run`)).data).toBe(BEST);
    const schema = await read<ApplicationSchema>(`${dev.url}/registry/applications/support/schema`);
    expect(schema.routes[0]?.config.sentences?.default).toBe(1);
    await traceOf(dev.url, before.traceId);
    await project.edit("app.ts", "default: 1, ge: 1", "default: 2, ge: 1");
    await dev.printed(/Reloaded in/);
    expect((await call(`${dev.url}/run`)).data).toBe(BOTH);
  });

  it("is refused where the port is taken, or the file does not exist", async () => {
    const { port } = new URL(dev.url);
    const again = ["dev", "--port", port, "--data-dir", "other"];
    expectRefusal(await runAgate(again, { cwd: project.folder }), 1, /in use by another program/);
    const missing = ["dev", "nowhere.ts", "--port", "0"];
    expectRefusal(
      await runAgate(missing, { cwd: project.folder }),
      1,
      /File not found: nowhere\.ts/,
    );
  });
});

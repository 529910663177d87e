import { once } from "node:events";
import { rename } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectRefusal, runAgate } from "../run-agate.ts";
import { call } from "./call.ts";
import { type DevProject, makeProject } from "./dev-project.ts";
import { startAgate } from "./running-agate.ts";

let project: DevProject;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project[Symbol.asyncDispose]());

describe("agate serve", () => {
  it("prints calls as JSON, after the address", async () => {
    const args = ["serve", "app.ts", "--port", "0", "--json"];
    await using served = await startAgate(args, { cwd: project.folder });
    const { traceId } = await call(`${served.url}/playground/run`);
    const line = await served.printed(/^(\{"event":"call".*\})$/m);
    expect(JSON.parse(line)).toMatchObject({
      method: "POST",
      path: "/playground/run",
      status: 200,
      trace_id: traceId,
    });
  });

  it("names the port that is taken", async () => {
    const blocker = createServer().listen(0, "127.0.0.1");
    await once(blocker, "listening");
    const { port } = blocker.address() as AddressInfo;
    const ended = await runAgate(["serve", "--port", String(port)], { cwd: project.folder });
    blocker.close();
    expectRefusal(ended, 1, new RegExp(`Port ${port} on 127.0.0.1 is in use`));
  });

  it.each([
    [["serve", "nowhere.ts"], 1, /File not found: nowhere\.ts/],
    [["serve", "--app", "Not A Slug"], 1, /"Not A Slug" is not a valid name/],
    [["serve", "--port", "many"], 2, /Must be a port/],
    [["serve", "--host", "192.0.2.1"], 1, /no address 192\.0\.2\.1/],
  ])("refuses agate %j", async (args, code, reason) => {
    expectRefusal(await runAgate(args, { cwd: project.folder }), code, reason);
  });

  it("says what it looked for where no file is named", async () => {
    await using empty = await makeProject();
    await empty.edit("package.json", '"type": "module",', '"type": "module", "main": "start.js",');
    await rename(join(empty.folder, "app.ts"), join(empty.folder, "elsewhere.ts"));
    const ended = await runAgate(["serve"], { cwd: empty.folder });
    expectRefusal(ended, 1, /There is no app\.ts, src\/app\.ts or start\.js in /);
  });
});

it("agate dev runs beside an eval file that throws", async () => {
  const evals = `import "./app.ts";\nconsole.log("evaluated");\nthrow new Error("not today");\n`;
  await project.write("app.eval.ts", evals);
  const args = ["dev", "app.ts", "--port", "0"];
  await using dev = await startAgate(args, { cwd: project.folder });
  await dev.printed(/Ready in/);
  expect((await call(`${dev.url}/playground/run`)).status).toBe(200);
  expect(dev.text()).not.toMatch(/evaluated|not today/);
});

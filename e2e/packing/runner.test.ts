import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "./free-port.fixture.ts";
import { startBuild } from "./running-build.fixture.ts";
import { ECHO, installSdk, makeFolder, type UserFolder } from "./user-project.fixture.ts";

const RUN = 'import { endWithParent, run } from "@agate/sdk/runner"; endWithParent();';

let folder: UserFolder;

beforeAll(async () => {
  folder = await makeFolder({ "package.json": { type: "module" } });
  await installSdk(folder.path);
});
afterAll(() => folder[Symbol.asyncDispose]());

/** Writes a module and a program that runs it, and starts that as the platform would. */
async function start(name: string, source: string, environment: Record<string, string> = {}) {
  await folder.write({
    [`${name}.ts`]: source,
    [`run-${name}.ts`]: `${RUN}
      import * as module from "./${name}.ts";
      await run(module, { file: "${name}.ts" });`,
  });
  return startBuild(folder.path, `run-${name}.ts`, environment);
}

describe("run", () => {
  it.each([
    ["routes of the default app", ECHO],
    ["an app that is exported as app", `${appOf("/echo")}export const app = own;`],
    ["an app that is exported by default", `${appOf("/echo")}export default own;`],
    [
      "the one that has routes",
      `${ECHO}export default ag.createApp(); export const app = { fetch() {} };`,
    ],
    ["an app that it serves by itself", `${appOf("/echo")}void ag.serve({ app: own, port: 1 });`],
  ])("serves %s", async (what, source) => {
    await using running = await start(what.replaceAll(" ", "-"), source);
    expect(await running.call("/echo", { text: "hi" })).toBe(">hi");
  });

  it("leaves a program that serves late with the one that is served already", async () => {
    await using running = await start(
      "late",
      `${ECHO}
      export async function main() {
        await new Promise((resolve) => setTimeout(resolve, 1));
        const { url, port } = await ag.serve({ port: 4101 });
        console.log(url === process.env.AGATE_LISTEN, port);
        process.kill(process.pid, "SIGTERM");
      }
      main();`,
    );
    expect(await running.ended).toMatchObject({ output: "true 0\n", signal: "SIGTERM" });
  });

  it("says what to write where no route is declared", async () => {
    await using running = await start(
      "empty",
      'import * as ag from "@agate/sdk"; export const x = ag;',
    );
    const { code, output } = await running.ended;
    expect(code).toBe(1);
    expect(output).toContain(
      "empty.ts declares no route. Write one, export const hello = ag.route(",
    );
  });
});

describe("AGATE_LISTEN", () => {
  it("takes a socket, on which every host is welcome", async () => {
    await using running = await start("socket", ECHO);
    const { status } = await running.get("/health", { host: "elsewhere.example" });
    expect(status).toBe(200);
  });

  it("takes an address, before options and other variables", async () => {
    const port = await freePort();
    await folder.write({ "address.ts": `${ECHO}await ag.serve({ port: 1 });` });
    const child = fork(folder.at("address.ts"), {
      env: { AGATE_LISTEN: `tcp:127.0.0.1:${port}`, PORT: "1", HOST: "192.0.2.1" },
    });
    const health = () => fetch(`http://127.0.0.1:${port}/health`).then(({ ok }) => ok);
    await expect.poll(() => health().catch(() => false)).toBe(true);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([null, "SIGTERM"]);
  });

  it.each([
    ["4101", "is no address: write tcp:127.0.0.1:4101"],
    ["unix:/no/such/folder/app.sock", "cannot be made"],
    ["tcp:192.0.2.1:4101", "is no address of this machine. Name one in AGATE_LISTEN"],
  ])("is refused when it is %s", async (AGATE_LISTEN, reason) => {
    await using running = await start("refused", ECHO, { AGATE_LISTEN });
    const { code, output } = await running.ended;
    expect(output).toContain(reason);
    expect(code).toBe(1);
  });
});

describe("a program whose platform is gone", () => {
  it("answers what is running and ends", async () => {
    await using running = await start(
      "slow",
      `${ECHO}
      export const slow = ag.route("/slow", EchoConfig)(async () => {
        process.send!("called");
        await new Promise((resolve) => process.once("disconnect", () => setTimeout(resolve, 20)));
        return "answered";
      });`,
    );
    const answer = running.call("/slow", {});
    await once(running.child, "message");
    running.child.disconnect();
    expect(await answer).toBe("answered");
    expect(await running.ended).toMatchObject({ signal: "SIGTERM" });
  });

  it("ends even while it is being loaded", async () => {
    await folder.write({
      "parent.ts": RUN,
      "hangs.ts": `import "./parent.ts";
        setInterval(() => {}, 1000);
        process.send!("loading");
        await new Promise(() => {});`,
    });
    const child = fork(folder.at("hangs.ts"), { execPath: process.execPath });
    await once(child, "message");
    child.disconnect();
    expect(await once(child, "exit")).toEqual([null, "SIGTERM"]);
  });

  it("is not kept alive by waiting for that", async () => {
    await folder.write({ "idle.ts": RUN });
    await using running = await startBuild(folder.path, "idle.ts");
    expect(await running.ended).toMatchObject({ code: 0 });
  });

  it("is not looked for where there is no channel", async () => {
    await folder.write({ "alone.ts": `${RUN}console.log("done");` });
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder.path, "alone.ts")]);
    expect(stdout).toBe("done\n");
  });
});

function appOf(path: string): string {
  return `import * as ag from "@agate/sdk";
    class EchoConfig extends ag.BaseModel { prefix = ag.Field(ag.str, { default: ">" }); }
    const own = ag.createApp();
    own.route("${path}", EchoConfig)(async ({ text }: { text: string }, { config }) => config.prefix + text);
  `;
}

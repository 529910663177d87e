import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "./free-port.fixture.ts";
import { appOf, RUN, startProgram } from "./runner-program.fixture.ts";
import { startBuild } from "./running-build.fixture.ts";
import { ECHO, installSdk, makeFolder, type UserFolder } from "./user-project.fixture.ts";

let folder: UserFolder;

beforeAll(async () => {
  folder = await makeFolder({ "package.json": { type: "module" } });
  await installSdk(folder.path);
});
afterAll(() => folder[Symbol.asyncDispose]());

describe("run", () => {
  it.each([
    ["routes of the default app", ECHO],
    ["an app that is exported as app", `${appOf("/echo")}export const app = own;`],
  ])("serves %s", async (what, source) => {
    await using running = await startProgram(folder, what.replaceAll(" ", "-"), source);
    expect(await running.call("/echo", { text: "hi" })).toBe(">hi");
  });

  it("says what to write where no route is declared", async () => {
    await using running = await startProgram(
      folder,
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
    await using running = await startProgram(folder, "socket", ECHO);
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

  it("is refused when it is no address", async () => {
    const environment = { AGATE_LISTEN: "4101" };
    await using running = await startProgram(folder, "refused", ECHO, environment);
    const { code, output } = await running.ended;
    expect(output).toContain("is no address: write tcp:127.0.0.1:4101");
    expect(code).toBe(1);
  });
});

describe("a program whose platform is gone", () => {
  it("answers what is running and ends", async () => {
    await using running = await startProgram(
      folder,
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

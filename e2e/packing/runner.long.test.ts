import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appOf, startProgram } from "./runner-program.fixture.ts";
import { ECHO, installSdk, makeFolder, type UserFolder } from "./user-project.fixture.ts";

let folder: UserFolder;

beforeAll(async () => {
  folder = await makeFolder({ "package.json": { type: "module" } });
  await installSdk(folder.path);
});
afterAll(() => folder[Symbol.asyncDispose]());

describe("run", () => {
  it.each([
    ["an app that is exported by default", `${appOf("/echo")}export default own;`],
    [
      "the one that has routes",
      `${ECHO}export default ag.createApp(); export const app = { fetch() {} };`,
    ],
    ["an app that it serves by itself", `${appOf("/echo")}void ag.serve({ app: own, port: 1 });`],
  ])("serves %s", async (what, source) => {
    await using running = await startProgram(folder, what.replaceAll(" ", "-"), source);
    expect(await running.call("/echo", { text: "hi" })).toBe(">hi");
  });

  it("leaves a program that serves late with the one that is served already", async () => {
    await using running = await startProgram(
      folder,
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
});

describe("AGATE_LISTEN", () => {
  it.each([
    ["unix:/no/such/folder/app.sock", "cannot be made"],
    ["tcp:192.0.2.1:4101", "is no address of this machine. Name one in AGATE_LISTEN"],
  ])("is refused when it is %s", async (AGATE_LISTEN, reason) => {
    await using running = await startProgram(folder, "refused", ECHO, { AGATE_LISTEN });
    const { code, output } = await running.ended;
    expect(output).toContain(reason);
    expect(code).toBe(1);
  });
});

import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installSdk, makeFolder, type UserFolder } from "../packing/user-project.fixture.ts";
import type { RunningServer } from "../running-server.ts";
import { startServer } from "../running-server.ts";
import type { AgateClient } from "./agate-client.ts";
import { clientOf, hasTerminals, inTerminal } from "./agate-client.ts";
import { CRASH, workflow } from "./loud-workflow.fixture.ts";

let server: RunningServer;
let user: UserFolder;
let agate: AgateClient;

beforeAll(async () => {
  server = await startServer();
  agate = clientOf(server.url);
  user = await makeFolder({
    "package.json": { name: "loud", type: "module", dependencies: { "@agate/sdk": "*" } },
    "app.ts": workflow(5),
    "crash.ts": CRASH,
  });
  await installSdk(user.path);
});
afterAll(async () => {
  await user[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

describe("agate deploy", () => {
  it("refuses eval files that do not compile, unless they are left out", async () => {
    await user.write({ "app.eval.ts": "const broken = ;\n" });
    const deploy = ["deploy", user.at("app.ts"), "--app", "loud"];
    const refused = await agate(...deploy);
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toMatch(
      /agate: The eval files cannot be packed\. Fix them, or deploy without them \(--no-evals\):\n.*app\.eval\.ts:1:/s,
    );
    expect((await agate(...deploy, "--no-evals")).code).toBe(0);
    await rm(user.at("app.eval.ts"));
  });

  it.runIf(hasTerminals)("asks a person, who may mean development", async () => {
    await agate("deployments", "promote", "loud", "development", "production");
    const deploy = ["deploy", user.at("app.ts"), "--app", "loud"];
    const declined = await inTerminal(server.url, deploy, "n");
    expect(declined).toMatch(/production +build 1 with default@1/);
    expect(declined).toMatch(/Deploy to development\? \[y\/N\] /);
    expect(declined).toMatch(/Nothing was changed\. Name the environment with --environment\./);
    expect(await inTerminal(server.url, deploy, "y")).toMatch(
      /Build 1 with default@1 is live in development/,
    );
  });

  it("has the build's own last words in its JSON where it crashes", async () => {
    const ended = await agate(
      "deploy",
      user.at("crash.ts"),
      "--app",
      "loud",
      "--environment",
      "staging",
      "--json",
    );
    expect(JSON.parse(ended.stderr)).toMatchObject({
      error: { status: 422, detail: [{ type: "build_unusable" }], log: ["\u001b[2Jno database"] },
    });
  });
});

describe("the files of a build", () => {
  it("are those that package.json names, and a missing one is explained", async () => {
    const reading = `${workflow(5)}
      import { readFile } from "node:fs/promises";
      export const read = ag.route("/read", NoConfig)(({ file }: { file: string }) =>
        readFile(new URL(file, import.meta.url), "utf8"),
      );`;
    await using reader = await makeFolder({
      "package.json": {
        name: "reader",
        type: "module",
        dependencies: { "@agate/sdk": "*" },
        agate: { include: ["prompts"] },
      },
      "app.ts": reading,
      "prompts/kind.md": "Be kind.",
      "data.csv": "1",
    });
    await installSdk(reader.path);
    expect(await agate("deploy", reader.at("app.ts"))).toMatchObject({ code: 0 });
    const read = (file: string) =>
      agate(
        ...["run", "read", "--app", "reader", "--environment", "development"],
        "--input",
        `file=${file}`,
      );
    expect((await read("prompts/kind.md")).stdout).toBe("Be kind.\n");
    expect((await read("data.csv")).code).toBe(1);
    await expect
      .poll(async () => (await agate("logs", "reader")).stdout)
      .toContain(
        'agate: "data.csv" is not in this build. If the program needs it, add "agate": {"include": ["data.csv"]} to package.json and deploy again.',
      );
    // Neither the SDK's own file nor a source, which Node looks for in stack traces.
    expect((await agate("logs", "reader")).stdout.match(/is not in this build/g)).toHaveLength(1);
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installSdk, makeFolder, type UserFolder } from "../packing/user-project.fixture.ts";
import type { RunningServer } from "../running-server.ts";
import { startServer } from "../running-server.ts";
import type { AgateClient } from "./agate-client.ts";
import { clientOf, spawnedClientOf, startAgate } from "./agate-client.ts";

/** A workflow whose field has this upper bound. */
function workflow(le: number): string {
  return `import * as ag from "@agate/sdk";
class ShoutConfig extends ag.BaseModel {
  marks = ag.Field(ag.int, { default: 1, ge: 0, le: ${le} });
}
class NoConfig extends ag.BaseModel {}
export const shout = ag.route("/shout", ShoutConfig)(
  async ({ text }: { text: string }, { config }) => {
    console.log("\\u001b[31mshouting\\u001b[0m " + text);
    if (text === "") throw new ag.HttpError(422, "Say something.", { type: "nothing_said" });
    return text.toUpperCase() + "!".repeat(config.marks);
  },
);
export const spell = ag.route("/spell", NoConfig)(async function* ({ text }: { text: string }) {
  for (const letter of text) {
    if (letter === "?") throw new Error("I cannot spell that.");
    yield letter;
  }
});
`;
}

let server: RunningServer;
let user: UserFolder;
let agate: AgateClient;

beforeAll(async () => {
  server = await startServer();
  agate = clientOf(server.url);
  user = await makeFolder({
    "package.json": { name: "loud", type: "module", dependencies: { "@agate/sdk": "*" } },
    "app.ts": workflow(5),
    "stricter.ts": workflow(2),
    "crash.ts": `${workflow(5)}\nconsole.error("\\u001b[2Jno database");\nprocess.exit(3);\n`,
    "broken.ts": "const answer = ;\n",
  });
  await installSdk(user.path);
});
afterAll(async () => {
  await user[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const STEPS = [
  "pack",
  "upload",
  "unpack",
  "install packages",
  "start",
  "check configurations",
  "switch",
];

describe("agate deploy", () => {
  it("tells every step on standard error, and on standard output where it is served", async () => {
    const deploy = ["deploy", user.at("app.ts"), "--app", "loud", "-m", "first"];
    const ended = await spawnedClientOf(server.url)(...deploy);
    expect(ended.stdout).toBe(
      [
        "Build 1 serves loud.",
        "default@1 is live in production.",
        `  ${server.url}/services/loud/run/shout`,
        `  ${server.url}/services/loud/run/spell`,
        "",
      ].join("\n"),
    );
    const told = ended.stderr.trimEnd().split("\n");
    expect(told.map((line) => /^✓ (.*?) {2,}[\d.]+ m?s\b/.exec(line)?.[1])).toEqual(
      expect.arrayContaining(STEPS),
    );
    expect(ended.code).toBe(0);
  });

  it("is one JSON document with --json, and nothing else", async () => {
    const ended = await agate(
      "deploy",
      user.at("app.ts"),
      "--app",
      "loud",
      "--code-only",
      "--json",
    );
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(ended.stdout)).toMatchObject({
      application: { slug: "loud" },
      build: { number: 2, status: "live" },
      deployment: null,
    });
  });

  it("is refused by what is live, and the build before goes on", async () => {
    await agate("revisions", "commit", "loud", "default", "--set", "/shout.marks=4");
    await agate("deployments", "create", "loud", "production", "default");
    const ended = await agate("deploy", user.at("stricter.ts"), "--app", "loud", "--code-only");
    expect([ended.code, ended.stdout]).toEqual([1, ""]);
    expect(ended.stderr).toMatch(
      /\n✗ check configurations .*\nagate: production runs default@2, whose \/shout\.marks is 4, and must be 2 or less\./,
    );
    expect((await agate("run", "shout", "--app", "loud", "--input", "text=hi")).stdout).toBe(
      "HI!!!!\n",
    );
  });

  it("is refused with the build's own last words where it crashes", async () => {
    const ended = await agate("deploy", user.at("crash.ts"), "--app", "loud");
    expect([ended.code, ended.stdout]).toEqual([1, ""]);
    expect(ended.stderr).toMatch(
      /\n✗ start .*\nagate: .*code 3.*\n\nLast lines of the build's log:\n {2}no database\n/,
    );
    const json = await agate("deploy", user.at("crash.ts"), "--app", "loud", "--json");
    expect(JSON.parse(json.stderr)).toMatchObject({
      error: { status: 422, detail: [{ type: "build_unusable" }], log: ["\u001b[2Jno database"] },
    });
  });

  it("shows the line of a mistake, and sends nothing", async () => {
    const before = await agate("builds", "loud", "--json");
    const ended = await agate("deploy", user.at("broken.ts"), "--app", "loud");
    expect([ended.code, ended.stdout]).toEqual([1, ""]);
    expect(ended.stderr).toMatch(/broken\.ts:1:16: .*\n {2}1 \| const answer = ;\n/);
    expect(await agate("builds", "loud", "--json")).toEqual(before);
  });
});

describe("agate run", () => {
  const run = (...args: string[]) => agate("run", ...args);

  it("prints text as text, and the trace on standard error", async () => {
    const ended = await run("/shout", "--app", "loud", "--input", "text=hi");
    expect(ended).toEqual({
      code: 0,
      stdout: "HI!!!!\n",
      stderr: expect.stringMatching(/^trace [0-9a-f]{32}\n$/),
    });
  });

  it("finds the only application, and calls another revision or the playground", async () => {
    expect((await run("shout", "--variant", "default@1", "--input", "text=hi")).stdout).toBe(
      "HI!\n",
    );
    expect((await run("shout", "--config", "marks=2", "--input", "text=hi")).stdout).toBe("HI!!\n");
    expect((await run("shout", "--playground", "--input", "text=hi")).stdout).toBe("HI!\n");
  });

  it("takes inputs from standard input, and options over them", async () => {
    await using piped = startAgate(server.url, ["run", "/shout", "--inputs", "-"]);
    piped.stdin.end('{"text": "piped"}');
    expect(await piped.ended).toEqual({ code: 0, signal: null });
    expect(piped.output()).toBe("PIPED!!!!\n");
  });

  it("prints the pieces of a stream, as events with --json", async () => {
    expect((await run("spell", "--stream", "--input", "text=hey")).stdout).toBe("hey\n");
    const { stdout } = await run("spell", "--stream", "--input", "text=hi", "--json");
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { event: "chunk", data: "h" },
      { event: "chunk", data: "i" },
      { event: "done", data: { trace_id: expect.any(String), span_id: expect.any(String) } },
    ]);
  });

  it("fails where the stream does, after what came before", async () => {
    const ended = await run("spell", "--stream", "--input", "text=ab?c");
    expect(ended).toMatchObject({ code: 1, stdout: "ab\n" });
    expect(ended.stderr).toMatch(
      /^agate: The function failed\. Trace [0-9a-f]{32} has the details\.\n/,
    );
  });

  it("tells the workflow's errors as they are, with their place and trace", async () => {
    const own = await run("shout", "--input", 'text=""');
    expect(own).toMatchObject({ code: 1, stdout: "" });
    expect(own.stderr).toMatch(/^agate: Say something\.\ntrace [0-9a-f]{32}\n$/);
    const wrong = await run("shout", "--config", "marks=9", "--config", "mraks=1");
    expect(wrong.stderr).toMatch(/reasons:\n {2}config\.marks: .*5.*9.*\n {2}config\.mraks: /);
    const nowhere = await run("nowhere", "--app", "loud");
    expect(nowhere.stderr).toMatch(/^agate: There is nothing at .*nowhere/);
    const unknown = await run("shout", "--app", "nobody");
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('"nobody"')]);
  });
});

describe("agate builds and agate logs", () => {
  it("list what was deployed, refused builds with their reason", async () => {
    const { stdout } = await agate("builds", "loud");
    expect(stdout).toMatch(/\n +2 +live .*\n/);
    expect(stdout).toMatch(/\n +1 +retired .* first\n/);
    expect(stdout).toMatch(/ refused .*code 3/);
  });

  it("show what builds print, without what a terminal would obey", async () => {
    const { code, stdout } = await agate("logs", "loud", "--build", "2");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d{4}-\d\d-\d\d .*Z #2 shouting hi$/m);
    expect(stdout).not.toContain("\u001b");
  });

  it("follow what is printed, and end by Ctrl-C", async () => {
    await using followed = startAgate(server.url, ["logs", "loud", "--follow", "--tail", "1"]);
    await followed.prints(/\n/);
    await agate("run", "shout", "--app", "loud", "--input", "text=again");
    await followed.prints(/ #2 shouting again\n/);
    followed.signal("SIGINT");
    expect(await followed.ended).toEqual({ code: null, signal: "SIGINT" });
  });

  it("let an earlier build serve, and none", async () => {
    const activated = await agate("builds", "activate", "loud", "1");
    expect(activated.stdout).toMatch(/^Build 1 serves loud\.\n/);
    expect(activated.stderr).toMatch(/✓ start /);
    const stopped = await agate("builds", "stop", "loud", "--yes");
    expect(stopped).toEqual({ code: 0, stdout: "No build serves loud now.\n", stderr: "" });
    const call = await agate("run", "shout", "--app", "loud", "--input", "text=hi");
    expect([call.code, call.stderr]).toEqual([1, expect.stringMatching(/No build serves loud/)]);
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
      agate("run", "read", "--app", "reader", "--input", `file=${file}`);
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

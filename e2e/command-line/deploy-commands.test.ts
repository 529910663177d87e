import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installSdk, makeFolder, type UserFolder } from "../packing/user-project.fixture.ts";
import type { RunningServer } from "../running-server.ts";
import { startServer } from "../running-server.ts";
import type { AgateClient } from "./agate-client.ts";
import { clientOf, spawnedClientOf, startAgate } from "./agate-client.ts";
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
    "asking.ts": workflow(5, "?"),
    "stricter.ts": workflow(2),
    "fieldless.ts": workflow(5)
      .replace("marks =", "signs =")
      .replace("config.marks", "config.signs"),
    "crash.ts": CRASH,
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
  "check configuration",
  "switch",
];

describe("agate deploy", () => {
  it("goes to development, with every step on standard error, and says where it is served", async () => {
    const deploy = ["deploy", user.at("app.ts"), "--app", "loud", "-m", "first"];
    // The variable is of the environment that a build runs in.
    const ended = await spawnedClientOf(server.url, { AGATE_ENVIRONMENT: "production" })(...deploy);
    expect(ended.stdout).toBe(
      [
        "Build 1 with default@1 is live in development of loud.",
        `  ${server.url}/services/loud@development/run/shout`,
        `  ${server.url}/services/loud@development/run/spell`,
        "",
      ].join("\n"),
    );
    const told = ended.stderr.trimEnd().split("\n");
    expect(told.map((line) => /^✓ (.*?) {2,}[\d.]+ m?s\b/.exec(line)?.[1])).toEqual(
      expect.arrayContaining(STEPS),
    );
    expect(ended.code).toBe(0);
  });

  it("is promoted with its configuration, step by step", async () => {
    const promoted = await agate("deployments", "promote", "loud", "development", "production");
    expect(promoted.stdout).toMatch(
      /^Build 1 with default@1 is live in production of loud \(dep_\w+\)\.\nNothing was live there before\.\n$/,
    );
    expect(promoted.stderr).toMatch(/^✓ start .*\n✓ check configuration /m);
    expect(promoted.code).toBe(0);
  });

  it("asks for the environment where production is live, and sends nothing", async () => {
    const before = await agate("deployments", "loud", "--json");
    const ended = await agate("deploy", user.at("app.ts"), "--app", "loud");
    expect([ended.code, ended.stdout]).toEqual([1, ""]);
    expect(ended.stderr).toMatch(
      /\nagate: production of loud is live, and no --environment was given\. Name one with --environment: development, staging, production\.\n$/,
    );
    const earlier = await agate("deploy", "--build", "1", "--app", "loud");
    expect([earlier.code, earlier.stderr]).toEqual([1, expect.stringContaining("Name one with")]);
    expect(await agate("deployments", "loud", "--json")).toEqual(before);
  });

  it("is one JSON document with --json, and leaves other environments alone", async () => {
    const ended = await agate(
      ...["deploy", user.at("asking.ts"), "--app", "loud", "--environment", "production", "--json"],
    );
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(ended.stdout)).toMatchObject({
      application: { slug: "loud" },
      build: { number: 2, status: "live", environments: ["production"] },
      deployment: { environment: "production", build: { number: 2 }, kind: "deploy" },
      notes: [],
    });
    const { stdout } = await agate("environments", "loud");
    expect(stdout).toMatch(/\ndevelopment +1 +default@1 /);
    expect(stdout).toMatch(/\nproduction \(default\) +2 +default@1 /);
  });

  it("is refused by what is live in its environment alone, and the build before goes on", async () => {
    await agate("revisions", "commit", "loud", "default", "--set", "/shout.marks=4");
    await agate("deployments", "create", "loud", "production", "default");
    const deploy = ["deploy", user.at("stricter.ts"), "--app", "loud", "--environment"];
    const ended = await agate(...deploy, "production");
    expect([ended.code, ended.stdout]).toEqual([1, ""]);
    expect(ended.stderr).toMatch(
      /\n✗ check configuration .*\nagate: .*production would run default@2, whose \/shout\.marks is 4, and must be 2 or less\./,
    );
    expect((await agate("run", "shout", "--app", "loud", "--input", "text=hi")).stdout).toBe(
      "HI????\n",
    );
    expect((await agate(...deploy, "staging", "--variant", "strict")).stdout).toMatch(
      /^Build \d+ with strict@1 is live in staging of loud\.\n/,
    );
  });

  it("is refused where it would drop a value in use, unless that is intended", async () => {
    const deploy = [
      ...["deploy", user.at("fieldless.ts"), "--app", "loud", "--environment", "production"],
    ];
    const ended = await agate(...deploy);
    expect([ended.code, ended.stderr]).toEqual([
      1,
      expect.stringMatching(
        /agate: production would run a revision that sets \/shout\.marks to 4, and the build has no such field\. Allow it if that is intended \(--allow-breaking\)/,
      ),
    ]);
    const { stdout } = await agate(...deploy, "--allow-breaking");
    expect(stdout).toMatch(
      /^Build \d+ with default@2 is live in production of loud\.\nIgnored fields of default@2, not in the code: \/shout\.marks\.\nDefaults of the code, not set in default@2: \/shout\.signs=1\.\n/,
    );
  });

  it("is rolled back, the code alone or with its configuration", async () => {
    const rollback = ["deployments", "rollback", "loud", "production"];
    const code = await agate(...rollback, "--code-only");
    expect(code.stdout).toMatch(
      /^Build 2 with default@2 is live in production of loud \(dep_\w+\)\.\nBuild \d+ → build 2\n$/,
    );
    expect(code.stderr).toMatch(/✓ start /);
    const config = await agate(...rollback, "--config-only");
    expect(config.stdout).toMatch(/^Build 2 with default@1 .*\ndefault@2 → default@1\n/);
    expect(config.stderr).not.toContain("start");
    const both = await agate(...rollback, "--code-only", "--config-only");
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining("--config-only")]);
    expect((await agate("deployments", "create", "loud", "production", "default@2")).code).toBe(0);
  });

  it("promotes only what was looked at, where that is said", async () => {
    const promote = ["deployments", "promote", "loud", "staging", "production"];
    const ended = await agate(...promote, "--expect", "dep_of_yesterday");
    expect([ended.code, ended.stderr]).toEqual([
      1,
      expect.stringMatching(/staging runs deployment dep_\w+ by now/),
    ]);
  });

  it("is refused with the build's own last words where it crashes", async () => {
    const ended = await agate(
      ...["deploy", user.at("crash.ts"), "--app", "loud", "--environment", "production"],
    );
    expect([ended.code, ended.stdout]).toEqual([1, ""]);
    expect(ended.stderr).toMatch(
      /\n✗ start .*\nagate: .*code 3.*\n\nLast lines of the build's log:\n {2}no database\n/,
    );
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
      stdout: "HI????\n",
      stderr: expect.stringMatching(/^trace [0-9a-f]{32}\n$/),
    });
  });

  it("calls what is live in another environment", async () => {
    const development = ["--environment", "development", "--input", "text=hi"];
    expect((await run("shout", ...development)).stdout).toBe("HI!\n");
    const variant = await run("shout", ...development, "--variant", "default@2");
    expect(variant.stdout).toBe("HI!!!!\n");
    const nowhere = await run("shout", "--environment", "nowhere", "--input", "text=hi");
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining("nowhere")]);
  });

  it("finds the only application, and calls another revision or the playground", async () => {
    expect((await run("shout", "--variant", "default@1", "--input", "text=hi")).stdout).toBe(
      "HI?\n",
    );
    expect((await run("shout", "--config", "marks=2", "--input", "text=hi")).stdout).toBe("HI!!\n");
    expect((await run("shout", "--playground", "--input", "text=hi")).stdout).toBe("HI!\n");
  });

  it("takes inputs from standard input, and options over them", async () => {
    await using piped = startAgate(server.url, ["run", "/shout", "--inputs", "-"]);
    piped.stdin.end('{"text": "piped"}');
    expect(await piped.ended).toEqual({ code: 0, signal: null });
    expect(piped.output()).toBe("PIPED????\n");
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
    expect(stdout).toMatch(/\n +2 +live +production +.*\n/);
    expect(stdout).toMatch(/\n +1 +live +development +.* first\n/);
    expect(stdout).toMatch(/ refused +– .*code 3/);
  });

  it("show what builds print, without what a terminal would obey", async () => {
    const { code, stdout } = await agate("logs", "loud", "--environment", "production");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d{4}-\d\d-\d\d .*Z production #2 shouting hi$/m);
    expect(stdout).not.toContain("\u001b");
    expect(stdout).not.toContain("development");
  });

  it("follow what is printed, and end by Ctrl-C", async () => {
    await using followed = startAgate(server.url, ["logs", "loud", "--follow", "--tail", "1"]);
    await followed.prints(/\n/);
    await agate("run", "shout", "--app", "loud", "--input", "text=again");
    await followed.prints(/ production #2 shouting again\n/);
    followed.signal("SIGINT");
    expect(await followed.ended).toEqual({ code: null, signal: "SIGINT" });
  });

  it("let an earlier build serve an environment, and none", async () => {
    const unnamed = await agate("builds", "activate", "loud", "1");
    expect([unnamed.code, unnamed.stderr]).toEqual([2, expect.stringContaining("--environment")]);
    const activate = ["builds", "activate", "loud", "1", "--environment", "production"];
    const activated = await agate(...activate);
    expect(activated.stdout).toMatch(/^Build 1 with default@2 is live in production of loud\.\n/);
    expect(activated.stderr).toMatch(/✓ start /);
    const stopped = await agate("builds", "stop", "loud", "--environment", "production", "--yes");
    expect(stopped).toEqual({
      code: 0,
      stdout: "Nothing is live in production of loud.\n",
      stderr: "",
    });
    const call = ["run", "shout", "--app", "loud", "--input", "text=hi"];
    expect((await agate(...call)).code).toBe(1);
    expect((await agate(...call, "--environment", "development")).stdout).toBe("HI!\n");
  });

  it("refuse a configuration for an environment without code", async () => {
    const create = ["deployments", "create", "loud", "production", "default"];
    const ended = await agate(...create);
    expect([ended.code, ended.stderr]).toEqual([
      1,
      expect.stringMatching(/\nagate: No code is deployed to "production".*agate deploy app\.ts/),
    ]);
  });
});

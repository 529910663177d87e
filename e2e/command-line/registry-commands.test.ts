import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import * as ag from "@agate/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningServer } from "../running-server.ts";
import { startServer } from "../running-server.ts";
import type { AgateClient } from "./agate-client.ts";
import { clientOf, spawnedClientOf, startAgate } from "./agate-client.ts";

class SummarizeConfig extends ag.BaseModel {
  temperature = ag.Field(ag.float, { default: 0.5, ge: 0, le: 2 });
  prompt = ag.Field(ag.str, { default: "Be brief." });
}

let server: RunningServer;
let agate: AgateClient;
let workflow: Awaited<ReturnType<typeof ag.serve>>;

beforeAll(async () => {
  server = await startServer();
  agate = clientOf(server.url);
  const app = ag.createApp({ application: "support" });
  app.route("/summarize", SummarizeConfig)((input: unknown) => input);
  workflow = await ag.serve({ app, port: 0 });
});
afterAll(async () => {
  await workflow.close();
  await server[Symbol.asyncDispose]();
});

/** It said this on standard output, nothing on standard error, and succeeded. */
async function expectOutput(args: string[], stdout: string | RegExp): Promise<void> {
  const ended = await agate(...args);
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  expect(ended.stdout).toMatch(stdout);
}

/** The same of a command that shows its steps on standard error. */
async function expectChange(args: string[], stdout: RegExp): Promise<void> {
  const ended = await agate(...args);
  expect(ended.stdout).toMatch(stdout);
  expect(ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/^✓ /) });
}

async function expectRefusal(args: string[], reason: string | RegExp): Promise<void> {
  const ended = await agate(...args);
  expect(ended).toMatchObject({ code: 1, stdout: "" });
  expect(ended.stderr).toMatch(reason);
}

describe("from an application to a rollback", () => {
  it("says what to do while there is nothing", async () => {
    const { code, stdout, stderr } = await agate("apps");
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toMatch(/^No applications\. `agate deploy/);
  });

  it("makes an application and a variant, and learns its fields from the workflow", async () => {
    await expectOutput(["apps", "create", "support"], /^Created support \(app_/);
    await expectOutput(["variants", "create", "support", "default"], /^Created default \(var_/);
    await expectOutput(
      ["apps", "register", "support", "--from", workflow.url],
      '/summarize\n  temperature  number  0.5          >= 0, <= 2\n  prompt       string  "Be brief."\n',
    );
    await expectOutput(["apps"], /^APPLICATION .*\nsupport +1 +\/summarize +\d{4}-\d\d-\d\d /);
  });

  it("commits fields, a file and standard input, and refuses what the schema forbids", async () => {
    const commit = ["revisions", "commit", "support", "default"];
    await expectOutput(
      [...commit, "--set", "/summarize.temperature=0.2", "-m", "calm"],
      "Committed default@2.\n",
    );
    const file = join(server.dataDirectory, "params.json");
    await writeFile(
      file,
      JSON.stringify({ "/summarize": { temperature: 0.9, prompt: "Be\nbrief." } }),
    );
    await expectOutput([...commit, "--params", file, "--base", "2"], "Committed default@3.\n");
    await using fromStdin = startAgate(server.url, [
      ...commit,
      "--params",
      "-",
      "--unset",
      "/summarize.prompt",
    ]);
    fromStdin.stdin.end('{"/summarize": {"temperature": 1, "prompt": "x"}}');
    expect(await fromStdin.ended).toEqual({ code: 0, signal: null });
    await expectOutput(
      ["revisions", "show", "support", "default", "--json"],
      '"params":{"/summarize":{"temperature":1,"prompt":"Be brief."}}',
    );
    await expectRefusal(
      [...commit, "--set", "/summarize.temperature=3", "--set", "/summarize.tone=x"],
      /reasons:\n {2}\/summarize\.temperature: .*2.*3.*\n {2}\/summarize\.tone: /,
    );
    await expectRefusal(
      [...commit, "--set", "/summarize.temperature=0", "--environment", "nowhere"],
      /^agate: .*"nowhere"/,
    );
    await expectRefusal(
      [...commit, "--params", `${file}.gone`],
      /params\.json\.gone cannot be read: file not found/,
    );
  });

  it("says who was faster", async () => {
    await expectRefusal(
      [
        "revisions",
        "commit",
        "support",
        "default",
        "--set",
        "/summarize.temperature=0",
        "--base",
        "2",
      ],
      /^agate: default@4 was committed by local .* after revision 2\. See what changed with `agate revisions diff support default@2 default@4`/,
    );
  });

  it("compares revisions, and exits as git does where that is asked for", async () => {
    const diff = ["revisions", "diff", "support", "default@2", "default@3"];
    const difference = [
      "default@2 → default@3",
      "/summarize",
      "  ~ prompt",
      '    - "Be brief."',
      "    + Be",
      "    + brief.",
      "  ~ temperature  0.2 → 0.9",
      "",
    ].join("\n");
    await expectOutput(diff, difference);
    expect(await spawnedClientOf(server.url)(...diff, "--exit-code")).toEqual({
      code: 1,
      stdout: difference,
      stderr: "",
    });
    const same = await agate(
      "revisions",
      "diff",
      "support",
      "default@2",
      "default@2",
      "--exit-code",
    );
    expect(same).toEqual({
      code: 0,
      stdout: "default@2 and default@2 are the same.\n",
      stderr: "",
    });
  });

  it("refuses to deploy to an environment without code", async () => {
    const ended = await agate("deployments", "create", "support", "staging", "default@2");
    expect([ended.code, ended.stdout]).toEqual([1, ""]);
    expect(ended.stderr).toMatch(/agate: No code is deployed to "staging"/);
  });

  it("deploys, promotes and rolls back, and shows what that changed", async () => {
    const register = ["apps", "register", "support", "--from", workflow.url];
    await expectOutput([...register, "--environment", "staging"], /^\/summarize\n/);
    await expectChange(
      ["deployments", "create", "support", "staging", "default@2"],
      /^Build 1 \(external\) with default@2 is live in staging of support \(dep_\w+\)\.\ndefault@4 → default@2\n/,
    );
    await expectChange(
      ["deployments", "promote", "support", "staging", "production"],
      /^Build 1 \(external\) with default@2 is live in production.*\ndefault@1 → default@2\n/,
    );
    await expectChange(
      ["deployments", "create", "support", "staging", "default"],
      /temperature {2}0\.2 → 1\n$/,
    );
    await expectChange(
      ["deployments", "promote", "support", "staging", "production"],
      /default@2 → default@4\n/,
    );
    await expectChange(
      ["deployments", "promote", "support", "staging", "production"],
      /\nThe same was live there before\.\n$/,
    );
    await expectChange(
      ["deployments", "rollback", "support", "production", "-m", "too wild"],
      /^Build 1 \(external\) with default@2 is live in production.*\ndefault@4 → default@2\n/,
    );
    await expectOutput(
      ["environments", "support"],
      /\nproduction \(default\) +1 +default@2 +off .* local +too wild\n/,
    );
    const playground = ["environments", "playground", "support", "production"];
    await expectOutput([...playground, "off"], "The playground of production is off.\n");
    await expectOutput(["environments", "support"], /\nproduction \(default\) +1 +default@2 +off /);
    await expectOutput([...playground, "on"], "The playground of production is on.\n");
    await expectOutput(
      ["deployments", "support", "production"],
      /^DEPLOYMENT .*\ndep_\w+ +production +1 +default@2 .* live +back to dep_\w+ +local +too wild\n/,
    );
    await expectOutput(
      ["apps", "show", "support"],
      /\ndefault +production\ndevelopment +nothing is live\nstaging +build 1 \(external\) with default@4 since .*\nproduction +build 1 \(external\) with default@2 since /,
    );
    await expectOutput(
      ["builds", "support"],
      /\n +1 +live +staging production +.* runs elsewhere\n/,
    );
  });

  it("takes the application as an option, too, before or after the other arguments", async () => {
    for (const args of [
      ["deployments", "--app", "support", "production"],
      ["deployments", "production", "--app=support"],
      ["deployments", "list", "production", "--app", "support"],
    ]) {
      await expectOutput(args, /^DEPLOYMENT .*\ndep_\w+ +production +1 /);
    }
    await expectOutput(["apps", "show", "--app", "support"], /^application +support\n/);
    const [argument, option] = await Promise.all([
      agate("revisions", "show", "support", "default@1", "--json"),
      agate("revisions", "show", "default@1", "--app", "support", "--json"),
    ]);
    expect(option).toEqual(argument);
    const twice = await agate("logs", "support", "--app", "support");
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining("Too many arguments")]);
  });

  it("pages through a history", async () => {
    const { stderr, stdout } = await agate("deployments", "support", "--limit", "2");
    expect(stdout.trimEnd().split("\n")).toHaveLength(3);
    const [, cursor = ""] = /^More: --cursor (\S+)\n$/.exec(stderr) ?? [];
    const next = await agate("deployments", "support", "--limit", "10", "--cursor", cursor);
    expect(next.stdout.trimEnd().split("\n")).toHaveLength(7);
  });

  it("refuses to delete what is live, with every reason, and needs to be told in a script", async () => {
    await expectRefusal(
      ["apps", "delete", "support", "--yes"],
      /Rejected for 2 reasons:\n.*staging.*\n.*production/,
    );
    const { code, stderr } = await agate("variants", "delete", "support", "default");
    expect([code, stderr]).toEqual([2, expect.stringContaining("pass --yes to confirm")]);
  });

  it("forks, renames, takes down and deletes", async () => {
    await expectOutput(
      ["variants", "fork", "support", "default@1", "shorter"],
      "Created shorter@1 from default@1.\n",
    );
    await expectOutput(
      ["variants", "rename", "support", "shorter", "brief"],
      "Renamed shorter to brief.\n",
    );
    await expectOutput(["variants", "support"], /\nbrief +1 +default@1 /);
    await expectOutput(["variants", "delete", "support", "brief", "--yes"], "Deleted brief.\n");
    await expectOutput(["environments", "create", "support", "preview"], /^Created preview/);
    await expectOutput(
      ["environments", "rename", "support", "preview", "canary"],
      "Renamed preview to canary.\n",
    );
    await expectOutput(["environments", "delete", "support", "canary", "-y"], "Deleted canary.\n");
    for (const environment of ["staging", "production"]) {
      await expectOutput(
        ["deployments", "take-down", "support", environment, "--yes"],
        "Nothing is live",
      );
    }
    await expectOutput(
      ["apps", "rename", "support", "help-desk"],
      "Renamed support to help-desk.\n",
    );
    await expectOutput(["apps", "delete", "help-desk", "--yes"], "Deleted help-desk.\n");
  });
});

describe("--json", () => {
  it("prints the API's own bytes", async () => {
    await agate("apps", "create", "exact");
    for (const [args, path] of [
      [["apps"], "/registry/applications"],
      [["apps", "show", "exact"], "/registry/applications/exact"],
      [["environments", "exact"], "/registry/applications/exact/environments"],
      [["projects"], "/registry/projects"],
    ] as const) {
      const answer = await (await fetch(server.url + path)).text();
      expect(await agate(...args, "--json")).toEqual({
        code: 0,
        stdout: `${answer}\n`,
        stderr: "",
      });
    }
  });

  it("prints null where the API answers without a body", async () => {
    await agate("variants", "create", "exact", "gone");
    const ended = await agate("variants", "delete", "exact", "gone", "--yes", "--json");
    expect(ended).toEqual({ code: 0, stdout: "null\n", stderr: "" });
  });

  it("tells an error as JSON on standard error", async () => {
    const { code, stdout, stderr } = await agate("apps", "show", "nowhere", "--json");
    expect([code, stdout]).toEqual([1, ""]);
    expect(JSON.parse(stderr)).toEqual({
      error: {
        message: expect.stringContaining('No application "nowhere"'),
        status: 404,
        detail: [{ loc: ["path", "app"], msg: expect.any(String), type: "application_not_found" }],
      },
    });
  });
});

describe("projects", () => {
  it("are apart from each other, and --project chooses one", async () => {
    await expectOutput(["projects", "create", "team-b"], /^Created team-b \(prj_/);
    await expectOutput(["apps", "create", "theirs", "--project", "team-b"], /^Created theirs/);
    await expectOutput(["--project", "team-b", "apps"], /\ntheirs /);
    await expectRefusal(["apps", "show", "theirs"], /No application "theirs"/);
    await expectRefusal(["projects", "delete", "team-b", "--yes"], /theirs|application/);
    await expectRefusal(["apps", "--project", "team-c"], /team-c/);
  });
});

describe("colours", () => {
  it("are for terminals; FORCE_COLOR and NO_COLOR are obeyed", async () => {
    const [plain, forced, none] = await Promise.all([
      spawnedClientOf(server.url)("apps"),
      spawnedClientOf(server.url, { FORCE_COLOR: "1" })("apps"),
      spawnedClientOf(server.url, { NO_COLOR: "1" })("apps"),
    ]);
    expect(plain.stdout).not.toContain("\u001b");
    expect(none.stdout).toBe(plain.stdout);
    expect(stripVTControlCharacters(forced.stdout)).toBe(plain.stdout);
    expect(forced.stdout).toContain("\u001b[1mexact");
  });
});

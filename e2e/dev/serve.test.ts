import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runAgate } from "../run-agate.ts";
import { startServer } from "../running-server.ts";
import { call, traceOf } from "./call.ts";
import { type DevProject, makeProject } from "./dev-project.ts";
import { startAgate } from "./running-agate.ts";

let project: DevProject;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project[Symbol.asyncDispose]());

const serve = (file = "app.ts", ...flags: string[]) => ["serve", file, "--port", "0", ...flags];

describe("agate serve", () => {
  it("serves a workflow alone, decorators and all", async () => {
    await project.write(
      "decorated.ts",
      `import * as ag from "@agate/sdk";
class GreetConfig extends ag.BaseModel {
  greeting = ag.Field(ag.str, { default: "Hello" });
}
export class Desk {
  @ag.route("/greet", GreetConfig)
  static async greet({ text }: { text: string }, { config }: ag.Call<GreetConfig>) {
    return \`\${config.greeting}, \${text.slice(0, 5)}\`;
  }
}
`,
    );
    await using served = await startAgate(serve("decorated.ts"), { cwd: project.folder });
    const answer = await call(`${served.url}/playground/run/greet`, { config: { greeting: "Hi" } });
    expect(answer).toMatchObject({ status: 200, data: "Hi, Agate" });
  });

  it("runs beside an eval file that throws", async () => {
    const evals = `import "./app.ts";\nconsole.log("evaluated");\nthrow new Error("not today");\n`;
    await project.write("app.eval.ts", evals);
    await using served = await startAgate(serve(), { cwd: project.folder });
    expect((await call(`${served.url}/playground/run`)).status).toBe(200);
    expect(served.text()).not.toMatch(/evaluated|not today/);
  });

  it("shows each call with its trace, also one that its client has left, but no probes", async () => {
    await project.write(
      "hangs.ts",
      `import * as ag from "@agate/sdk";
class None extends ag.BaseModel {}
export const quick = ag.entrypoint(None)(() => "done");
export const hang = ag.route("/hang", None)(async () => {
  console.log("hanging");
  await new Promise(() => {});
});
`,
    );
    await using served = await startAgate(serve("hangs.ts"), { cwd: project.folder });
    await fetch(`${served.url}/health`);
    const { traceId } = await call(`${served.url}/playground/run`);
    await served.printed(new RegExp(`POST /playground/run  200 +\\S+ m?s  ${traceId}`));
    await call(`${served.url}/nowhere?secret=1`);
    await served.printed(/POST \/nowhere {2}404 /);
    const leaving = new AbortController();
    const left = fetch(`${served.url}/playground/run/hang`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"inputs": {}}',
      signal: leaving.signal,
    });
    await served.printed(/hanging/);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await served.printed(/POST \/playground\/run\/hang {2}cancelled /);
    expect(served.text()).not.toContain("/health");
    expect(served.text()).not.toContain("secret");
  });

  it("sends its traces to the platform that the environment names, under the project's name", async () => {
    await using platform = await startServer();
    const env = { AGATE_BASE_URL: platform.url };
    await using served = await startAgate(serve(), { cwd: project.folder, env });
    const { traceId } = await call(`${served.url}/playground/run`);
    expect(await served.end()).toEqual({ code: null, signal: "SIGTERM" });
    expect(await traceOf(platform.url, traceId)).toMatchObject({
      name: "invoke_workflow /",
      metadata: { application: "support" },
      children: [{ name: "pick-sentences" }],
    });
  });

  it("reads the project's .env, where the environment does not say otherwise", async () => {
    await project.write(
      "shows-env.ts",
      `import * as ag from "@agate/sdk";
class None extends ag.BaseModel {}
export const show = ag.entrypoint(None)(() => [process.env.FROM_FILE, process.env.FROM_BOTH]);
`,
    );
    await project.write(".env", "FROM_FILE=file\nFROM_BOTH=file\n");
    const env = { FROM_BOTH: "environment" };
    await using served = await startAgate(serve("shows-env.ts"), { cwd: project.folder, env });
    expect((await call(`${served.url}/playground/run`)).data).toEqual(["file", "environment"]);
    await project.write(".env", "");
  });

  it("ends as SIGINT would, after the call that is running", async () => {
    await project.write(
      "slow.ts",
      `import * as ag from "@agate/sdk";
class None extends ag.BaseModel {}
export const wait = ag.entrypoint(None)(async () => {
  console.log("waiting");
  await new Promise((resolve) => process.once("SIGINT", () => setTimeout(resolve, 50)));
  return "done";
});
`,
    );
    await using served = await startAgate(serve("slow.ts"), { cwd: project.folder });
    const running = call(`${served.url}/playground/run`);
    await served.printed(/waiting/);
    const ended = served.end("SIGINT");
    expect((await running).data).toBe("done");
    expect(await ended).toEqual({ code: null, signal: "SIGINT" });
  });

  it("shows a syntax error with its line", async () => {
    await project.write("broken.ts", 'import * as ag from "@agate/sdk";\nconst wrong = ;\n');
    const ended = await runAgate(serve("broken.ts"), { cwd: project.folder });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("broken.ts:2:15: ");
    expect(ended.stderr).toContain("  2 | const wrong = ;\n");
    expect(ended.stderr).toContain("agate: broken.ts cannot be built");
  });

  it("shows what the program threw with its own lines, and ends", async () => {
    await project.write(
      "throws.ts",
      `import * as ag from "@agate/sdk";
setInterval(() => {}, 1000);
function connect(): never {
  throw new Error("There is no database.");
}
connect();
`,
    );
    const ended = await runAgate(serve("throws.ts"), { cwd: project.folder });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(
      /^Error: There is no database\.\n +at connect \(.*\/throws\.ts:4:9\)\n/,
    );
    expect(ended.stderr).not.toContain("agate.js");
  });
});

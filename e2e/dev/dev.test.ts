import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ApplicationSchema } from "@agate/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHAT_USAGE, startFakeOpenAi } from "../clients/fake-openai.ts";
import { expectRefusal, runAgate } from "../run-agate.ts";
import { runInProcess } from "../run-in-process.ts";
import { call, traceOf } from "./call.ts";
import { type DevProject, makeProject } from "./dev-project.ts";
import { type RunningAgate, startAgate } from "./running-agate.ts";

const DEV = ["dev", "--port", "0"];
/** The compiler takes longer than everything else at a reload. */
const UNCHECKED = [...DEV, "--no-typecheck"];
const BOTH =
  "Agate is a stone with bands. Agate grows in lava, where water leaves bands of silica in bubbles.";
const BEST = "Agate grows in lava, where water leaves bands of silica in bubbles.";

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

  it("reports type errors in the background, serves all the same, and tells when they are gone", async () => {
    const wrong = 'export const wrong: number = "text";\n';
    await project.edit("app.ts", "export const app =", `${wrong}export const app =`);
    await dev.printed(
      /app\.ts:\d+:14: TS2322: Type 'string' is not assignable to type 'number'\.\n +\d+ \| export const wrong/,
    );
    await dev.printed(/1 type error\. The workflow is still served\.\n/);
    expect((await call(`${dev.url}/run`)).data).toBe(BOTH);
    // A change of types alone leaves the program as it is: nothing is reloaded for it.
    await project.edit("app.ts", "wrong: number", "wrong: string");
    await dev.printed(/No type errors left\.\n/);
    // The reloads before may have been printed after the messages of the compiler, which takes its time.
    await project.edit("app.ts", wrong.replace("number", "string"), 'console.log("fixed");\n');
    await dev.printed(/fixed\n[\s\S]*Reloaded in/);
    await project.edit("app.ts", 'console.log("fixed");\n', "");
    await dev.printed(/Reloaded in/);
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
    dev = await startAgate(UNCHECKED, { cwd: project.folder });
    await dev.printed(/Ready in/);
    await traceOf(dev.url, traceId);
    expect(await read(dev.url + environment)).toEqual(before);
  });

  it("warns once of a file that it reads and that a deployed build would not have", async () => {
    const good = await project.read("app.ts");
    const reading = `import { readFileSync } from "node:fs";\nconsole.log(readFileSync(new URL("data/a.csv", import.meta.url), "utf8"));\n`;
    await mkdir(join(project.folder, "data"));
    await project.write("data/a.csv", "a,b");
    await project.write("app.ts", reading + good);
    await dev.printed(
      /The program reads data\/a\.csv, which a deployed build would not have\. Add "agate": {"include": \["data\/a\.csv"\]} to package\.json\.\n/,
    );
    await project.write("app.ts", `${reading}console.log("again");\n${good}`);
    await dev.printed(/again\n[\s\S]*Reloaded in/);
    await project.write("app.ts", good);
    await dev.printed(/Reloaded in/);
    expect(dev.text().match(/which a deployed build/g)).toHaveLength(1);
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

  it("follows the files that the program imports", async () => {
    await project.write("shout.ts", "export const shout = (text: string) => text.toUpperCase();\n");
    const good = await project.read("app.ts");
    const shouting = good
      .replace('from "@agate/sdk";', 'from "@agate/sdk";\nimport { shout } from "./shout.ts";')
      .replace('picked.join(" ")', 'shout(picked.join(" "))');
    await project.write("app.ts", shouting);
    await dev.printed(/Reloaded in/);
    expect((await call(`${dev.url}/run`)).data).toBe(BOTH.toUpperCase());
    await project.edit("shout.ts", "text.toUpperCase()", 'text + "!"');
    await dev.printed(/Reloaded in/);
    expect((await call(`${dev.url}/run`)).data).toBe(`${BOTH}!`);
    await project.write("app.ts", good);
    await dev.printed(/Reloaded in/);
    expect((await call(`${dev.url}/run`)).data).toBe(BOTH);
  });

  it.each([
    ["a syntax error", "const broken = ;\n", /app\.ts:1:16: .*\n {2}1 \| const broken = ;\n/],
    [
      "an import that is not there",
      'import "./missing.ts";\n',
      /app\.ts:1:8: Could not resolve "\.\/missing\.ts"\n {2}1 \| import "\.\/missing\.ts";\n/,
    ],
    [
      "an error at the start",
      "throw new Error('no database');\n",
      /app\.ts:1:7: Error: no database\n {2}1 \| throw new Error\('no database'\);\n {4}\| {7}\^\nIt ended with code 1 before it answered\.\n/,
    ],
    [
      "a declaration that makes no sense",
      "ag.Field(ag.int, { default: 2 });\nag.route('/a b', ag.BaseModel);\n",
      /app\.ts:2:4: DeclarationError: .*\n {2}2 \| ag\.route\('\/a b', ag\.BaseModel\);\n/,
    ],
  ])("shows %s with its line, and keeps serving until it is fixed", async (_, line, shown) => {
    // Each case fixes it with the other default, so that the answer tells which version serves.
    const good = await project.read("app.ts");
    const [now, then] = good.includes("default: 2, ge: 1") ? [2, 1] : [1, 2];
    const answers = { 1: BEST, 2: BOTH } as Record<number, string>;
    await project.write("app.ts", line + good);
    await dev.printed(shown);
    await dev.printed(/The last good version keeps serving\.\n/);
    expect((await call(`${dev.url}/run`)).data).toBe(answers[now]);
    await project.write(
      "app.ts",
      good.replace(`default: ${now}, ge: 1`, `default: ${then}, ge: 1`),
    );
    await dev.printed(/Reloaded in/);
    expect((await call(`${dev.url}/run`)).data).toBe(answers[then]);
  });

  it("starts a workflow again that has ended, and passes on what it printed", async () => {
    const good = await project.read("app.ts");
    const fatal =
      'if (text === "crash") {\n      console.log("last words");\n      process.exit(3);\n    }\n    if (typeof';
    await project.write("app.ts", good.replace("if (typeof", fatal));
    await dev.printed(/Reloaded in/);
    const crashed = await call(`${dev.url}/playground/run`, { inputs: { text: "crash" } });
    expect(crashed).toMatchObject({ status: 502, detail: [{ type: "service_failed" }] });
    await dev.printed(/last words\n/);
    await dev.printed(/It ended with code 3\.\nRestarting/);
    expect((await call(`${dev.url}/run`)).data).toBe(BOTH);
    await project.write("app.ts", good);
    await dev.printed(/Reloaded in/);
  });

  it("takes a new .env", async () => {
    const good = await project.read("app.ts");
    await project.write("app.ts", good.replace('picked.join(" ")', "process.env.MOTTO"));
    await dev.printed(/Reloaded in/);
    await project.write(".env", "MOTTO=Per aspera\n");
    await dev.printed(/Reloaded in/);
    expect((await call(`${dev.url}/run`)).data).toBe("Per aspera");
    await project.write("app.ts", good);
    await dev.printed(/Reloaded in/);
  });

  it("calls a model, where .env has its key and the call asks for it", async () => {
    await using openai = await startFakeOpenAi();
    const key = "sk-a-key-that-nobody-may-see";
    await project.write(".env", `OPENAI_BASE_URL=${openai.baseUrl}\nOPENAI_API_KEY=${key}\n`);
    await dev.printed(/Reloaded in/);
    const config = { model: "gpt-5-mini", prompt: "Be brief." };
    const { data, traceId } = await call(`${dev.url}/playground/run`, { config });
    expect(data).toMatch(/^Agate: Be brief\. Write at most 2 sentences\./);
    const trace = await traceOf(dev.url, traceId);
    expect(trace.children).toMatchObject([
      {
        name: "chat",
        spankind: "LLM",
        metadata: {
          model: "gpt-5-mini",
          usage: {
            input_tokens: CHAT_USAGE.prompt_tokens,
            output_tokens: CHAT_USAGE.completion_tokens,
          },
          cost: expect.any(Number),
        },
      },
    ]);
    expect(JSON.stringify(trace) + dev.text()).not.toContain(key);
  });

  it("warns of a configuration that is live and no longer fits, and takes the schema all the same", async () => {
    const app = `${dev.url}/registry/applications/support`;
    const post = async (path: string, body: object) => {
      const response = await fetch(app + path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(201);
    };
    const params = { "/": { sentences: 8 } };
    await post("/variants/default/revisions", { params, base_revision: 1 });
    await post("/environments/development/deployments", { variant: "default" });
    await project.edit("app.ts", "ge: 1, le: 10", "ge: 1, le: 5");
    await dev.printed(/development.*sentences.*8/);
    await dev.printed(/Reloaded in/);
    expect((await call(`${dev.url}/run`)).status).toBe(422);
    const schema = await read<ApplicationSchema>(`${app}/schema`);
    expect(schema.routes[0]?.config.sentences?.maximum).toBe(5);
    await project.edit("app.ts", "ge: 1, le: 5", "ge: 1, le: 10");
    await dev.printed(/Reloaded in/);
    expect((await call(`${dev.url}/run`)).status).toBe(200);
  });

  it("loses no call while it is reloaded, however often", async () => {
    const good = await project.read("app.ts");
    const statuses: number[] = [];
    let isOver = false;
    const callers = Array.from({ length: 8 }, async () => {
      while (!isOver) statuses.push((await call(`${dev.url}/playground/run`)).status);
    });
    for (let round = 1; round <= 3; round++) {
      await project.write("app.ts", `${good}\nexport const round = ${round};\n`);
      await dev.printed(/Reloaded in/);
      const answered = statuses.length;
      await expect.poll(() => statuses.length).toBeGreaterThan(answered + callers.length);
    }
    isOver = true;
    await Promise.all(callers);
    expect(new Set(statuses)).toEqual(new Set([200]));
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

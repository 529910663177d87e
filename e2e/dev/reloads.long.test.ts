import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ApplicationSchema } from "@agate/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHAT_USAGE, startFakeOpenAi } from "../clients/fake-openai.ts";
import { BEST, BOTH, call, traceOf } from "./call.ts";
import { type DevProject, makeProject } from "./dev-project.ts";
import { type RunningAgate, startAgate } from "./running-agate.ts";

describe("agate dev", () => {
  let project: DevProject;
  let dev: RunningAgate;
  beforeAll(async () => {
    project = await makeProject();
    dev = await startAgate(["dev", "--port", "0", "--no-typecheck", "--otlp-grpc", "off"], {
      cwd: project.folder,
    });
    await dev.printed(/Ready in/);
  });
  afterAll(async () => {
    await dev?.[Symbol.asyncDispose]();
    await project[Symbol.asyncDispose]();
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
    const schema = (await (await fetch(`${app}/schema`)).json()) as ApplicationSchema;
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
});

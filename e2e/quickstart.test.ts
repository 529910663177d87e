import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";
import type { Run, SpanRecord } from "@agate/protocol";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { codeBlocks } from "./code-blocks.ts";
import { traceOf } from "./dev/call.ts";
import {
  evaluate,
  evaluateExample,
  example,
  promoteStaging,
  type Started,
  withPrograms,
} from "./quickstart.fixture.ts";
import { startServer } from "./running-server.ts";

const run = withPrograms();

async function post(url: string, body: object): Promise<{ status: number; body: Answer }> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Answer };
}

interface Answer {
  readonly data: { readonly answer: string; readonly sources: readonly { title: string }[] };
  readonly trace_id: string;
  readonly trace: SpanRecord;
  readonly detail: readonly { readonly msg: string }[];
}

async function runsOf(platform: string): Promise<readonly Run[]> {
  const { items } = (await (await fetch(`${platform}/registry/runs`)).json()) as { items: Run[] };
  return items;
}

/** Names and kinds, nested as the spans are. */
function outline({ name, spankind, children }: SpanRecord): unknown {
  return [`${name} ${spankind}`, ...(children ?? []).map(outline)];
}

describe("npm start", () => {
  let folder: string;
  let start: Started;
  let command: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "agate-start-"));
    // It builds everything first, which is no part of what a test waits for.
    start = run("npm", ["start", "--", "--port", "0", "--data-dir", folder]);
    command = await start.printed(/^ +(curl .*\/run .*)$/m);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("prints a command that answers, keeps its trace, and loses no span at Ctrl-C", async () => {
    const platform = await start.printed(/Dashboard +(http:\/\/\S+)/);
    const workflow = `${platform}/services/quickstart`;
    const production = { environment: "production", inputs: { question: "What is agate?" } };

    const { stdout } = await promisify(execFile)("bash", ["-euc", command]);
    const answer = JSON.parse(stdout) as Answer;
    expect(answer.data).toMatchObject({
      answer: expect.stringMatching(/bands/),
      sources: [{ title: "How agates get their bands" }],
    });
    const trace = await traceOf(platform, answer.trace_id);
    expect(trace).toMatchObject({
      environment: "production",
      variant: { variant_name: "concise", revision: 1 },
      content: { outputs: answer.data },
      metadata: { application: "quickstart", cost: null, total: { cost: null } },
    });
    expect(outline(trace)).toEqual([
      "invoke_workflow / WORKFLOW",
      ["invoke_workflow retrieve WORKFLOW", ["embeddings EMBEDDING"]],
      ["invoke_workflow summarize WORKFLOW", ["chat LLM"]],
    ]);
    expect(start.log()).toContain(`Playground   ${platform}/playground\n`);
    // Its evaluation is carried out once, beside all this, and prints nothing.
    await vi.waitFor(
      async () => {
        expect(await runsOf(platform)).toMatchObject([
          {
            application: "quickstart",
            evaluation: "answers",
            status: "finished",
            verdict: { verdict: "passed" },
            columns: [{ variant: "experimental" }, { variant: "concise" }],
          },
        ]);
      },
      { timeout: 30_000, interval: 100 },
    );
    expect(start.log()).not.toMatch(/evaluated|Gates/);

    expect((await promoteStaging(platform)).status).toBe(201);
    await vi.waitFor(
      async () => {
        const { body } = await post(`${workflow}/run`, production);
        expect(body.data.sources).toHaveLength(3);
      },
      { timeout: 60_000, interval: 20 },
    );

    const last = await post(`${workflow}/run`, production);
    process.kill(-start.child.pid!, "SIGINT");
    await start.ended;
    await expect(fetch(platform)).rejects.toThrow();
    await using server = await startServer({ dataDirectory: folder });
    expect(outline(await traceOf(server.url, last.body.trace_id))).toEqual(outline(trace));
    await evaluate(server.url);
    expect(await runsOf(server.url)).toHaveLength(1);
  });
});

describe("the quickstart", () => {
  let url: string;
  beforeAll(async () => {
    url = await runExample({});
  });

  /** Runs the example without a platform; it is ended with the others. */
  function runExample(env: NodeJS.ProcessEnv): Promise<string> {
    const app = run(process.execPath, [join(example, "app.ts")], {
      PORT: "0",
      AGATE_CONFIG_FILE: join(example, "agate.config.json"),
      AGATE_BASE_URL: "",
      ...env,
    });
    return app.printed(/running at (\S+)/);
  }

  async function ask(config: object, question = "How do agates get their bands?") {
    const { body } = await post(`${url}/playground/run`, { config, inputs: { question } });
    return body.data;
  }

  it("answers as it is configured", async () => {
    const plain = await ask({ sentences: 1, topK: 1 });
    expect(plain.sources).toHaveLength(1);
    const formal = await ask({ sentences: 1, topK: 1, tone: "formal" });
    expect(formal.answer).toBe(`The sources state the following. ${plain.answer}`);
    const bullets = await ask({ sentences: 3, topK: 1, bullets: true });
    expect(bullets.answer.match(/^- /gm)).toHaveLength(3);
    expect((await ask({ topK: 3 })).sources).toHaveLength(3);
    expect((await ask({ topK: 3, minScore: 0.2 })).sources).toHaveLength(1);
    const brief = await ask({ sentences: 10, maxTokens: 20 });
    expect(brief.answer.split(" ").length).toBeLessThanOrEqual(20);
    const unknown = await ask({ fallback: "No idea." }, "Who won the football match?");
    expect(unknown).toEqual({ answer: "No idea.", sources: [] });
  });

  it.each([
    ["What is agate?", "What agate is"],
    ["Is moss agate alive?", "Moss agate"],
    ["How is a cameo made?", "Onyx and cameos"],
    ["How old are Lake Superior agates?", "Lake Superior agates"],
    ["Why are so many agates dyed?", "Dyed agate"],
  ])("finds what answers %j", async (question, title) => {
    expect((await ask({}, question)).sources[0]?.title).toBe(title);
  });

  it("answers differently in each environment", async () => {
    const inputs = { question: "How do agates get their bands?" };
    const answers = await Promise.all(
      ["development", "staging", "production"].map(async (environment) => {
        const { body } = await post(`${url}/run`, { environment, inputs });
        return body.data.answer;
      }),
    );
    expect(new Set(answers).size).toBe(3);
  });

  it.each(
    codeBlocks("examples/quickstart/README.md").filter(({ code }) => code.startsWith("curl")),
  )("does what its README says: $code", async ({ code }) => {
    const command = code.replaceAll("http://127.0.0.1:4101", url);
    const { stdout } = await promisify(execFile)("bash", ["-euc", command]);
    expect(stdout).toMatch(/^\{"data":|^event: chunk\n(.*\n)*event: done\n/);
  });

  it("has an evaluation that passes without a key, and compares variants", async () => {
    const concise = await evaluateExample(run);
    expect(concise.log).toContain("✓ Passed.");
    expect(concise.code).toBe(0);
    const compared = await evaluateExample(
      run,
      "--",
      "--baseline",
      "thorough",
      "--reporter",
      "json",
    );
    expect(JSON.parse(compared.log).evaluations).toMatchObject([
      { columns: { candidate: "concise", baseline: "thorough" }, failed_scores: [] },
    ]);
  });

  it("asks for a question", async () => {
    const { status, body } = await post(`${url}/run`, { inputs: {} });
    expect(status).toBe(422);
    expect(body.detail[0]?.msg).toContain("Ask something");
  });

  it("calls a model, and keeps its key to itself", async () => {
    await using openai = await startModel();
    const key = "sk-very-secret-key";
    const remote = await runExample({ OPENAI_BASE_URL: openai.url, OPENAI_API_KEY: key });
    const config = { model: "gpt-5-mini", maxTokens: 50, bullets: true };
    const inputs = { question: "What is agate?" };
    const { body } = await post(`${remote}/playground/run`, { config, inputs });
    expect(body.data.answer).toBe("Agate is a stone.");
    const [, summarize] = body.trace.children ?? [];
    expect(summarize?.children?.[0]).toMatchObject({
      spankind: "LLM",
      content: {
        inputs: { model: "gpt-5-mini", max_completion_tokens: 50 },
        outputs: "Agate is a stone.",
      },
      metadata: {
        model: "gpt-5-mini",
        provider: new URL(openai.url).host,
        usage: { input_tokens: 100, output_tokens: 20, cached_input_tokens: 60 },
        cost: null,
      },
    });
    expect(openai.keys).toEqual(new Set([`Bearer ${key}`]));

    const failed = await post(`${remote}/playground/run`, {
      inputs: { question: "overloaded" },
    });
    expect(failed.status).toBe(502);
    expect(failed.body.detail[0]?.msg).toContain("answered 429");
    expect(JSON.stringify([body, failed.body])).not.toContain(key);
  });
});

it("runs the README's route", async () => {
  // Inside this package, so that it finds the SDK.
  const folder = await mkdtemp(join(import.meta.dirname, ".guide-"));
  try {
    const [route, ...others] = codeBlocks("README.md").filter(({ info }) => info === "ts");
    expect(others).toEqual([]);
    await writeFile(join(folder, "app.ts"), route?.code ?? "");
    const app = run(process.execPath, [join(folder, "app.ts")], { PORT: "0" });
    const url = await app.printed(/^Running at (\S+)$/m);
    const answer = await post(`${url}/playground/run/summarize`, {
      config: { sentences: 1, tone: "loud" },
      inputs: { text: "Agate is a stone. It has bands." },
    });
    expect(answer).toMatchObject({ status: 200, body: { data: "AGATE IS A STONE" } });
    const bad = await post(`${url}/playground/run/summarize`, { config: { sentences: 0 } });
    expect(bad).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "config", "sentences"] }] },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** A server that speaks the two calls of OpenAI's that the example makes. */
async function startModel() {
  const keys = new Set<string | undefined>();
  const server = createServer((request, response) => {
    keys.add(request.headers.authorization);
    void answerAsModel(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    keys,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function answerAsModel(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = (await json(request)) as { input?: string[] };
  if (body.input?.includes("overloaded")) {
    // As careless servers do.
    response.writeHead(429).end(`Too many calls with ${request.headers.authorization}`);
    return;
  }
  if (request.url === "/v1/embeddings") {
    const data = body.input?.map((text) => ({
      embedding: text.includes("What") ? [1, 0] : [0, 1],
    }));
    response.end(JSON.stringify({ data, usage: { prompt_tokens: 8 } }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const content of ["Agate ", "is a stone."]) {
    response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
  }
  const prompt_tokens_details = { cached_tokens: 60 };
  const usage = { prompt_tokens: 100, completion_tokens: 20, prompt_tokens_details };
  response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
}

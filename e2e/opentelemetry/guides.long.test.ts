import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FakeOpenAi } from "../clients/fake-openai.ts";
import { startFakeOpenAi } from "../clients/fake-openai.ts";
import { outline, readTrace, withoutProject } from "../clients/read-back.ts";
import { codeBlocks } from "../code-blocks.ts";
import type { RunningServer } from "../running-server.ts";
import { startServer } from "../running-server.ts";
import { post } from "./post.ts";
import { startProgram } from "./running-program.ts";

let server: RunningServer;
/** What the guides call your own backend. */
let backend: RunningServer;
let openai: FakeOpenAi;
let folder: string;
const trees = new Map<string, string>();

beforeAll(async () => {
  [server, backend, openai] = await Promise.all([startServer(), startServer(), startFakeOpenAi()]);
  // Inside this package, so that the programs find what they import.
  folder = await mkdtemp(join(import.meta.dirname, "..", ".guide-"));
  for (const page of ["instrumented-libraries", "existing-opentelemetry"]) {
    for (const { info, code } of codeBlocks(`docs/guide/${page}.md`)) {
      const [, kind, name = ""] = /^\w+ (file|tree)=(\S+)$/.exec(info) ?? [];
      if (kind === "tree") trees.set(name, code.trimEnd());
      if (kind !== "file") continue;
      const program = code.replaceAll("http://127.0.0.1:4318", backend.url);
      await writeFile(join(folder, name), program);
    }
  }
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await Promise.all([server, backend, openai].map((each) => each[Symbol.asyncDispose]()));
});

/** Starts one of the guides' programs as they say. */
function start(program: string, nodeFlags: string[] = [], env: Record<string, string> = {}) {
  return startProgram(program, {
    folder,
    nodeFlags,
    env: {
      AGATE_BASE_URL: server.url,
      OPENAI_BASE_URL: openai.baseUrl,
      OPENAI_API_KEY: "key-of-the-guide",
      ...env,
    },
  });
}

const WITH_MOCK = ["--import", "../mock-default-model.ts"];
const QUESTION = { inputs: { question: "What is agate?" } };

describe("the guide to instrumented libraries", () => {
  it.each([
    ["ai-sdk.ts", "ai-sdk.ts", { input_tokens: 12, output_tokens: 3 }],
    ["every-library.ts", "ai-sdk.ts", { input_tokens: 12, output_tokens: 3 }],
    ["openinference.ts", "openinference.ts", { input_tokens: 100, output_tokens: 20 }],
    ["openllmetry.ts", "none", { input_tokens: 100, output_tokens: 20 }],
  ])("shows a program that works: %s", async (program, tree, usage) => {
    await using running = await start(program, WITH_MOCK);
    const { body } = await post(`${running.url}/playground/run/answer`, QUESTION);
    expect(await running.end()).toMatchObject({ signal: "SIGTERM", stderr: "" });
    const trace = await readTrace(server.url, body.trace_id);
    const shown = trees.get(tree) ?? "WORKFLOW invoke_workflow answer\n  LLM chat gpt-5-mini";
    expect(outline(trace)).toBe(shown);
    expect(trace.metadata.total).toMatchObject({ usage });
    expect(body.trace).toEqual(withoutProject(trace));
  });
});

describe("the guide to existing set-ups", () => {
  it("shows NodeSDK with both backends having the whole trace", async () => {
    // NodeSDK sends metrics as well, which the platform does not take.
    const env = { OTEL_METRICS_EXPORTER: "none" };
    await using running = await start("app.ts", [...WITH_MOCK, "--import", "./tracing.ts"], env);
    const { body } = await post(`${running.url}/playground/run/answer`, QUESTION);
    expect(await running.end()).toMatchObject({ code: 0, stderr: "" });
    for (const { url } of [server, backend]) {
      expect(outline(await readTrace(url, body.trace_id))).toBe(trees.get("app.ts"));
    }
  });

  it("shows Sentry, with every call at Agate and errors at both", async () => {
    await using sentry = await startFakeSentry();
    const env = { SENTRY_DSN: sentry.dsn, SENTRY_TRACES_SAMPLE_RATE: "1" };
    await using running = await start("watched.ts", ["--import", "./instrument.ts"], env);
    const call = (stone: string) =>
      post(`${running.url}/playground/run/describe`, { inputs: { stone } });
    const good = await call("Agate");
    const bad = await call("");
    const error = await sentry.nextError;
    expect(error).toMatchObject({ contexts: { trace: { trace_id: bad.body.trace_id } } });
    expect([good.status, bad.status]).toEqual([200, 500]);
    expect(await running.end()).toMatchObject({ code: 0 });
    for (const { body } of [good, bad]) {
      const tree = "WORKFLOW invoke_workflow describe\n  RETRIEVER lookUp";
      expect(outline(await readTrace(server.url, body.trace_id))).toBe(tree);
    }
    expect(sentry.received()).toContain(good.body.trace_id);
    expect(sentry.received()).not.toContain("/v1/traces");
  });
});

/** Takes what Sentry's client sends. */
async function startFakeSentry() {
  const error = Promise.withResolvers<unknown>();
  let received = "";
  const http = createServer(async (request, response) => {
    const envelope = await text(request);
    received += envelope;
    const lines = envelope.split("\n");
    const type = lines.findIndex((line) => line.startsWith('{"type":"event"'));
    if (type >= 0) error.resolve(JSON.parse(lines[type + 1] ?? "null"));
    response.end("{}");
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as { port: number };
  return {
    dsn: `http://key@127.0.0.1:${port}/1`,
    nextError: error.promise,
    received: () => received,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

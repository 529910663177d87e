import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FakeOpenAi, startFakeOpenAi } from "../clients/fake-openai.ts";
import { outline, readTrace, spansOf } from "../clients/read-back.ts";
import { type RunningServer, startServer } from "../running-server.ts";
import { post } from "./post.ts";
import { startRecordingProxy } from "./recording-proxy.ts";
import { startProgram } from "./running-program.ts";

const CARD = "4111222233334444";
const EMAIL = "ada@stones.example";
const PROMPT = "Sell me the blue agate";
const QUESTION = `${PROMPT} with ${JSON.stringify({ cardNumber: CARD, email: EMAIL })} please`;
const REDACT = ["cardNumber", "email"];
const ROUTES = [
  "agent",
  "stream",
  "refused-tool",
  "refused",
  "embed",
  "openai",
  "openai-stream",
  "openai-refused",
] as const;

let server: RunningServer;
let openai: FakeOpenAi;
beforeAll(async () => {
  [server, openai] = await Promise.all([startServer(), startFakeOpenAi()]);
});
afterAll(async () => {
  await openai[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** Calls every route, and gives what was sent, what was answered, and what is stored. */
async function recorded(
  args: readonly string[],
  options: object,
  variables: Record<string, string> = {},
) {
  await using proxy = await startRecordingProxy(server.url);
  const env = {
    AGATE_BASE_URL: proxy.url,
    AGATE_CONFIG_FILE: "agate.config.json",
    OPENAI_BASE_URL: openai.baseUrl,
    OPENAI_API_KEY: "none",
    OPTIONS: JSON.stringify(options),
    ...variables,
  };
  await using program = await startProgram("sensitive.ts", { args, env });
  const inputs = { question: QUESTION, cardNumber: CARD, email: EMAIL };
  const answers = new Map<string, Awaited<ReturnType<typeof post>>["body"]>();
  for (const route of ROUTES) {
    const { body } = await post(`${program.url}/playground/run/${route}`, { inputs, config: {} });
    answers.set(route, body);
  }
  const ended = await program.end();
  expect(ended.code, ended.stderr).toBe(0);
  const traces = new Map<string, Awaited<ReturnType<typeof readTrace>>>();
  for (const [route, { trace_id }] of answers) {
    traces.set(route, await readTrace(server.url, trace_id));
  }
  const trees = JSON.stringify([...answers.values()].map(({ trace }) => trace));
  return { sent: proxy.sent().toString(), trees, traces };
}

/** The libraries made their spans, with all that is not content. */
function expectWhole({ traces }: Awaited<ReturnType<typeof recorded>>, chat: string) {
  const of = (route: string) => traces.get(route)!;
  expect(outline(of("openai"))).toBe(
    ["WORKFLOW invoke_workflow openai", `  LLM ${chat}`, `  LLM ${chat}`].join("\n"),
  );
  expect(of("openai").metadata.total).toMatchObject({
    usage: { input_tokens: 200, output_tokens: 40 },
  });
  for (const route of ["agent", "stream", "refused-tool"]) {
    const kinds = spansOf(of(route)).map(({ spankind }) => spankind);
    expect(kinds.filter((kind) => kind === "LLM" || kind === "TOOL")).toEqual([
      "LLM",
      "TOOL",
      "LLM",
    ]);
  }
  expect(of("agent").metadata.total).toMatchObject({
    usage: { input_tokens: 120, output_tokens: 15 },
    cost: expect.any(Number),
  });
  for (const trace of traces.values()) {
    const models = spansOf(trace).filter(({ spankind }) => spankind === "LLM");
    for (const { metadata } of models) {
      expect(metadata.model).toMatch(/^(?:gpt-4o-mini|quoting)/);
      expect(metadata.latency).toBeGreaterThan(0);
    }
  }
  expect(of("refused").status).toBe("ERROR");
  expect(of("openai-refused").status).toBe("ERROR");
}

const OPENINFERENCE = "OpenAI Chat Completions";
const OPENLLMETRY = "chat gpt-4o-mini";

describe("what the AI SDK, OpenInference and OpenLLMetry record", () => {
  const byVariable = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "NO_CONTENT" };

  it.each([
    ["OpenInference, AI SDK", "given", "openinference", "current", OPENINFERENCE, {}],
    ["OpenLLMetry, older AI SDK", "given", "openllmetry", "legacy", OPENLLMETRY, byVariable],
    ["in a set-up of the process", "setup", "openinference", "legacy", OPENINFERENCE, {}],
  ])("has neither prompt nor card number without content: %s", async (...how) => {
    const [, spans, library, ai, chat, variables] = how;
    const args = ["--spans", spans, "--openai", library, "--ai", ai];
    const options = variables === byVariable ? {} : { captureContent: false, redact: REDACT };
    const calls = await recorded(args, options, variables);
    for (const text of [calls.sent, calls.trees]) {
      for (const hidden of [PROMPT, "blue agate", CARD, EMAIL]) expect(text).not.toContain(hidden);
    }
    expectWhole(calls, chat);
  });

  it.each([
    ["OpenInference, older AI SDK", "given", "openinference", "legacy", OPENINFERENCE],
    ["in a set-up of the process", "setup", "openllmetry", "current", OPENLLMETRY],
  ])("has the prompt, but no value of redacted keys: %s", async (_, spans, library, ai, chat) => {
    const args = ["--spans", spans, "--openai", library, "--ai", ai];
    const calls = await recorded(args, { redact: REDACT });
    for (const text of [calls.sent, calls.trees]) {
      expect(text).not.toContain(CARD);
      expect(text).not.toContain(EMAIL);
      expect(text).toContain(PROMPT);
    }
    expectWhole(calls, chat);
  });

  it("has all of it without these settings: a search that finds nothing would prove nothing", async () => {
    const args = ["--spans", "given", "--openai", "openinference", "--ai", "legacy"];
    const { sent, trees } = await recorded(args, {});
    for (const text of [sent, trees]) {
      for (const hidden of [PROMPT, CARD, EMAIL]) {
        expect(text.split(hidden).length).toBeGreaterThan(20);
      }
    }
  });
});

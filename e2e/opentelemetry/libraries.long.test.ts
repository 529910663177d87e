import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FakeOpenAi } from "../clients/fake-openai.ts";
import { startFakeOpenAi } from "../clients/fake-openai.ts";
import { outline, readTrace, spansOf, withoutProject } from "../clients/read-back.ts";
import type { RunningServer } from "../running-server.ts";
import { startServer } from "../running-server.ts";
import type { LibraryCalls } from "./call-libraries.ts";
import { callLibraries } from "./call-libraries.ts";
import { spansPrinted, statisticsPrinted } from "./printed.ts";
import { runProgram } from "./running-program.ts";

let server: RunningServer;
let openai: FakeOpenAi;
beforeAll(async () => {
  [server, openai] = await Promise.all([startServer(), startFakeOpenAi()]);
});
afterAll(async () => {
  await openai[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const IDENTITY = {
  variant: { variant_id: "concise", variant_name: "concise", revision: 1 },
  environment: "production",
};
const AGENT = [
  "WORKFLOW invoke_workflow agent",
  "  AGENT invoke_agent gpt-4o-mini",
  "    TASK step 1",
  "      LLM chat gpt-4o-mini",
  "      TOOL execute_tool findStone",
  // A function of the user's own, called by the AI SDK.
  "        RETRIEVER find stone",
  "    TASK step 2",
  "      LLM chat gpt-4o-mini",
];
const AI_STREAM = [
  "WORKFLOW invoke_workflow ai-stream",
  "  AGENT invoke_agent gpt-4o-mini",
  "    TASK step 1",
  "      LLM chat gpt-4o-mini",
];

/** The whole trees, with each kind of set-up. */
function expectWholeTraces({ deployed, playground, sent, ended }: LibraryCalls, chat: string) {
  const trees = {
    openai: ["WORKFLOW invoke_workflow openai", "  CHAIN ask", `    LLM ${chat}`],
    "openai-stream": ["WORKFLOW invoke_workflow openai-stream", `  LLM ${chat}`],
    agent: AGENT,
    "ai-stream": AI_STREAM,
  };
  for (const route of ["openai", "openai-stream", "agent", "ai-stream"] as const) {
    const { stored, answered } = playground[route];
    expect(outline(deployed[route])).toBe(trees[route].join("\n"));
    expect(outline(stored)).toBe(trees[route].join("\n"));
    // The answer had it all before anything was sent.
    expect(answered).toEqual(withoutProject(stored));
    for (const span of spansOf(deployed[route])) {
      expect(span, span.name).toMatchObject(IDENTITY);
      expect(span.metadata.application, span.name).toBe("geology");
    }
  }
  expect(deployed.openai.metadata.total).toMatchObject({
    usage: { input_tokens: 100, output_tokens: 20 },
    cost: expect.any(Number),
  });
  expect(deployed.agent.metadata.total).toMatchObject({
    usage: { input_tokens: 120, output_tokens: 15 },
    cost: 0.0000255,
  });
  expect(deployed["ai-stream"].metadata.total).toMatchObject({
    usage: { input_tokens: 50, output_tokens: 10 },
    cost: 0.00001275,
  });
  // The platform would hide a span that is sent twice.
  expect(sent).toBe(storedSpans({ deployed, playground }).length);
  expect(ended).toMatchObject({ code: 0, stderr: "" });
}

function storedSpans({ deployed, playground }: Pick<LibraryCalls, "deployed" | "playground">) {
  const traces = Object.values(playground).map(({ stored }) => stored);
  return [...Object.values(deployed), ...traces].flatMap(spansOf);
}

function links(spans: readonly { id: string; parentId: string | null; traceId: string }[]) {
  return spans.map(({ id, parentId, traceId }) => `${traceId} ${parentId} ${id}`).sort();
}

function storedLinks(calls: LibraryCalls) {
  const spans = storedSpans(calls).map(({ id, trace_id, parent_span_id }) => ({
    id,
    traceId: trace_id,
    parentId: parent_span_id ?? null,
  }));
  return links(spans);
}

const OPENINFERENCE = "OpenAI Chat Completions";
const OPENLLMETRY = "chat gpt-4o-mini";

describe("a process without an OpenTelemetry set-up", () => {
  it.each([
    ["are given Agate's tracer provider", ["--spans", "given"], OPENINFERENCE],
    ["are given it, OpenLLMetry", ["--spans", "given", "--openai", "openllmetry"], OPENLLMETRY],
    ["use the global one, which it was made", ["--spans", "global"], OPENINFERENCE],
  ])("has the spans of libraries that %s", async (_, args, chat) => {
    const calls = await callLibraries(server.url, openai.baseUrl, { args });
    expectWholeTraces(calls, chat);
  });
});

describe("a process with NodeSDK and an exporter of its own", () => {
  const WITH_PROCESSOR = "./node-sdk-with-processor.ts";
  const WITHOUT = "./node-sdk.ts";
  const before = (setup: string) => ({
    nodeFlags: ["--import", setup],
    args: ["--spans", "setup"],
  });
  const after = (setup: string) => ({ args: ["--spans", "setup", "--later", setup] });

  it.each([
    ["before the SDK is imported", before(WITH_PROCESSOR)],
    ["after", after(WITH_PROCESSOR)],
  ])("shares whole traces with Agate by ag.spanProcessor(): set up %s", async (_, options) => {
    const calls = await callLibraries(server.url, openai.baseUrl, options);
    expectWholeTraces(calls, OPENINFERENCE);
    // The same spans, with the same ids and parents, each once.
    expect(links(calls.exported)).toEqual(storedLinks(calls));
  });

  it("counts a span once when its library was given Agate's provider as well", async () => {
    const options = { ...before(WITH_PROCESSOR), args: ["--spans", "given"] };
    const calls = await callLibraries(server.url, openai.baseUrl, options);
    expectWholeTraces(calls, OPENINFERENCE);
    expect(links(calls.exported)).toEqual(storedLinks(calls));
  });

  it.each([
    ["before the SDK is imported", before(WITHOUT)],
    ["after", after(WITHOUT)],
  ])(
    "keeps its spans without the processor, and is reminded once: set up %s",
    async (_, options) => {
      const calls = await callLibraries(server.url, openai.baseUrl, options);
      // What its libraries made is there as ever, with Agate's spans around it.
      const byId = new Map(calls.exported.map((span) => [span.id, span]));
      expect(byId.size).toBe(calls.exported.length);
      for (const { parentId, name } of calls.exported) {
        expect(
          parentId === null ? "invoke_workflow" : byId.get(parentId)?.name,
          name,
        ).toBeDefined();
      }
      const path = (id: string | null): string[] => {
        const span = id === null ? undefined : byId.get(id);
        return span === undefined ? [] : [...path(span.parentId), span.name];
      };
      const paths = calls.exported.map(({ id }) => path(id).join(" > "));
      expect(paths).toContain(`invoke_workflow openai > ask > ${OPENINFERENCE}`);
      expect(paths).toContain(
        "invoke_workflow agent > invoke_agent gpt-4o-mini > step 1 > execute_tool findStone > find stone",
      );
      // Agate has its own, and none of the others.
      expect(outline(calls.deployed.openai)).toBe("WORKFLOW invoke_workflow openai\n  CHAIN ask");
      expect(outline(calls.deployed.agent)).toBe(
        "WORKFLOW invoke_workflow agent\n  RETRIEVER find stone",
      );
      const own = calls.exported.filter(({ scope }) => scope === "@agate/sdk");
      const ids = storedSpans(calls).map(({ id }) => id);
      expect(own.map(({ id }) => id).sort()).toEqual(ids.sort());
      expect(calls.sent).toBe(own.length);
      expect(calls.ended.stderr).toMatch(
        /^\[agate\] This process has an [^\n]*ag\.spanProcessor\(\)[^\n]*\n$/,
      );
    },
  );

  it.each(["ours", "theirs"])("loses nothing when both are shut down, %s first", async (first) => {
    const env = { AGATE_BASE_URL: server.url, OTEL_METRICS_EXPORTER: "none" };
    const ended = await runProgram("two-shutdowns.ts", { args: [first], env });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const exported = spansPrinted(ended);
    expect(exported.map(({ name }) => name).sort()).toEqual(["describe", "look up"]);
    const trace = await readTrace(server.url, exported[0]?.traceId ?? "");
    expect(outline(trace)).toBe("TASK look up\n  TASK describe");
    expect(statisticsPrinted(ended)).toMatchObject({ exported: 2, dropped: 0 });
  });
});

import * as ag from "@agate/sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { TestRegistry } from "../../packages/sdk/src/config-source/test-registry.fixture.ts";
import {
  outline,
  readSpan,
  readTrace,
  spanNamed,
  spansOf,
  withoutProject,
} from "../clients/read-back.ts";
import { type RunningServer, startServer } from "../running-server.ts";
import { DEFAULTS, Desk } from "./summarize-desk.ts";

const registry = new TestRegistry();
let platform: RunningServer;
let workflow: ag.Serving;

beforeAll(async () => {
  platform = await startServer();
  await registry.listen();
  registry.commit({}, "concise", "desk");
  registry.deploy(
    "production",
    { "/summarize": { temperature: 0.2, tone: "formal" } },
    "concise",
    "desk",
  );
  process.env.AGATE_BASE_URL = platform.url;
  const configSource = ag.httpConfigSource({ baseUrl: registry.baseUrl });
  ag.init({ application: "desk", configSource, onError: () => {} });
  new Desk();
  workflow = await ag.serve({ port: 0, signals: false });
});

afterAll(async () => {
  await workflow.close();
  await registry.die();
  await platform[Symbol.asyncDispose]();
  delete process.env.AGATE_BASE_URL;
});

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape.
type Body = any;

async function call(path: string, body: object): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${workflow.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

const inputs = { text: "agates", user: "ada" };

it("records a deployed call as contract 2.1 and 2.2 say, field by field", async () => {
  const before = new Date().toISOString();
  const { status, body } = await call("/run/summarize", { environment: "production", inputs });
  const after = new Date().toISOString();
  expect(status).toBe(200);
  expect(body).not.toHaveProperty("trace");
  await ag.flush();

  const record = await readTrace(platform.url, body.trace_id);
  expect(await readSpan(platform.url, body.span_id)).toEqual(record);
  const { children, metadata, created_at, ...fields } = record;
  expect(fields).toEqual({
    id: body.span_id,
    trace_id: body.trace_id,
    parent_span_id: null,
    name: "invoke_workflow summarize",
    project_id: "default",
    variant: { variant_id: "id-of-concise", variant_name: "concise", revision: 2 },
    environment: "production",
    spankind: "WORKFLOW",
    status: "OK",
    user_id: "ada",
    content: { inputs, internals: { rewritten: "AGATES" }, outputs: body.data },
    config: { ...DEFAULTS, temperature: 0.2, tone: "formal" },
  });
  expect(body.data).toEqual({
    summary: "Summarize: done",
    documents: ["agates", "document"],
    found: 6,
    tone: "formal",
  });
  expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  expect(created_at > before.slice(0, 19) && created_at.slice(0, 19) <= after).toBe(true);

  const { start_time, end_time, latency, resource, scope, ...figures } = metadata;
  expect([start_time, end_time]).toEqual([
    expect.stringMatching(/\.\d{9}Z$/),
    expect.stringMatching(/\.\d{9}Z$/),
  ]);
  expect(start_time.slice(0, 26)).toBe(created_at.slice(0, 26));
  expect(latency).toBeGreaterThanOrEqual(0);
  expect(resource).toMatchObject({ "telemetry.sdk.language": expect.any(String) });
  expect(scope).toMatchObject({ name: "@agate/sdk", version: expect.any(String) });
  expect(figures).toEqual({
    model: null,
    provider: null,
    usage: null,
    cost: null,
    session_id: "session of ada",
    application: "desk",
    status_message: null,
    events: [],
    links: [],
    attributes: {
      "ag.call.origin": "deployed",
      "ag.route": "/summarize",
      "gen_ai.operation.name": "invoke_workflow",
      "gen_ai.workflow.name": "summarize",
      plan: "team",
    },
    otel: expect.any(Object),
    total: {
      usage: {
        input_tokens: 130,
        output_tokens: 30,
        total_tokens: 160,
        cached_input_tokens: null,
        reasoning_tokens: null,
      },
      cost: expect.closeTo(0.3, 10),
    },
  });
  expect(children?.map(({ name }) => name)).toEqual(["retrieve", "search", "complete"]);
});

it("records what is below it, other libraries' spans too, each with the call's identity", async () => {
  const { body } = await call("/run/summarize", { variant: { slug: "concise" }, inputs });
  await ag.flush();
  const record = await readTrace(platform.url, body.trace_id);
  expect(outline(record)).toBe(
    [
      "WORKFLOW invoke_workflow summarize",
      "  RETRIEVER retrieve",
      "  UNKNOWN search",
      "    RERANKER rank",
      "  LLM complete",
    ].join("\n"),
  );
  for (const span of spansOf(record)) {
    expect(span, span.name).toMatchObject({
      trace_id: body.trace_id,
      variant: { variant_id: "id-of-concise", variant_name: "concise", revision: 2 },
      environment: null,
      metadata: { application: "desk" },
    });
  }
  expect(spanNamed(record, "retrieve")).toMatchObject({
    parent_span_id: body.span_id,
    status: "OK",
    user_id: null,
    config: null,
    content: { inputs: ["agates", 2], internals: null, outputs: ["agates", "document"] },
    children: null,
  });
  expect(spanNamed(record, "search")).toMatchObject({
    parent_span_id: body.span_id,
    status: "UNSET",
    content: { inputs: null, internals: null, outputs: null },
    metadata: {
      attributes: { "search.question": "agates" },
      scope: { name: "search-library", version: "1.2.3" },
      otel: { kind: "CLIENT" },
      usage: null,
      total: { usage: { input_tokens: 10 }, cost: 0.05 },
    },
  });
  expect(spanNamed(record, "rank")).toMatchObject({
    parent_span_id: spanNamed(record, "search").id,
    content: { inputs: "agates", outputs: 6 },
  });
  const complete = spanNamed(record, "complete");
  expect(complete).toMatchObject({
    content: { inputs: "Summarize:", outputs: "Summarize: done" },
    metadata: { cost: 0.25, usage: { input_tokens: 120, output_tokens: 30, total_tokens: 150 } },
  });
  expect(complete.metadata.total).toEqual({
    usage: complete.metadata.usage,
    cost: complete.metadata.cost,
  });
});

it("answers a playground call with the tree that the platform has", async () => {
  const { body } = await call("/playground/run/summarize", { config: { tone: "formal" }, inputs });
  expect(body.trace).toMatchObject({
    config: { ...DEFAULTS, tone: "formal" },
    variant: { variant_id: null, variant_name: null, revision: null },
    environment: null,
    metadata: { application: "desk", attributes: { "ag.call.origin": "playground" } },
  });
  await ag.flush();
  const record = await readTrace(platform.url, body.trace_id);
  expect(spansOf(record)).toHaveLength(5);
  expect(body.trace).toEqual(withoutProject(record));
});

it("records a call that fails, of a method that needs its object", async () => {
  const fine = await call("/run/classify", { inputs: { ticket: "a complaint" } });
  expect([fine.status, fine.body.data]).toEqual([200, "complaint"]);
  const other = await call("/run/classify", { inputs: { ticket: "?" } });
  expect(other.body.data).toBe("other");

  const { status, body } = await call("/run/classify", { inputs: { ticket: "" } });
  const told = `The function failed. Trace ${body.trace_id} has the details.`;
  expect([status, body.detail[0].msg]).toEqual([500, told]);
  await ag.flush();
  const record = await readTrace(platform.url, body.trace_id);
  expect(record).toMatchObject({
    id: body.span_id,
    name: "invoke_workflow classify",
    status: "ERROR",
    environment: "production",
    content: { inputs: { ticket: "" }, outputs: null },
    config: { labels: "question,complaint" },
    metadata: {
      status_message: "There is nothing to classify.",
      attributes: { "http.response.status_code": 500 },
      events: [
        {
          name: "exception",
          attributes: {
            "exception.type": "Error",
            "exception.message": "There is nothing to classify.",
            "exception.stacktrace": expect.stringContaining("summarize-desk"),
          },
        },
      ],
    },
  });
});

it("records a call that was refused, with what was sent", async () => {
  const { status, body } = await call("/playground/run/summarize", {
    config: { temperature: 9 },
    inputs,
  });
  expect(status).toBe(422);
  await ag.flush();
  expect(await readTrace(platform.url, body.trace_id)).toMatchObject({
    id: body.span_id,
    status: "ERROR",
    config: { temperature: 9 },
    content: { inputs, outputs: null },
    metadata: { attributes: { "http.response.status_code": 422 }, application: "desk" },
  });
});

it("records which configuration a call with wrong inputs was for", async () => {
  class Tone extends ag.BaseModel {
    tone = ag.Field(ag.str, { default: "plain" });
  }
  const app = ag.createApp({
    application: "desk",
    baseUrl: platform.url,
    configSource: ag.httpConfigSource({ baseUrl: registry.baseUrl }),
  });
  app.route("/say", { config: Tone, input: z.object({ text: z.string() }) })(() => "said");
  const request = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ environment: "production", inputs: { text: 5 } }),
  };
  const answer = await app.fetch(new Request("http://workflow.test/run/say", request));
  const { trace_id } = (await answer.json()) as Body;
  expect(answer.status).toBe(422);
  await app.shutdown();
  expect(await readTrace(platform.url, trace_id)).toMatchObject({
    status: "ERROR",
    environment: "production",
    variant: { variant_name: "concise" },
    config: { tone: "plain" },
    content: { inputs: { text: 5 } },
  });
});

it("answers with an error when the registry could not be asked", async () => {
  class NoConfig extends ag.BaseModel {}
  const resolved = {
    application: { id: "id-of-desk", slug: "desk" },
    variant: { id: "id-of-concise", slug: "concise", revision: 2 },
    environment: "production",
    params: {},
  };
  const app = ag.createApp({
    baseUrl: platform.url,
    configSource: {
      resolve: () => ({ kind: "resolved", resolved, stale: true }),
      close: async () => {},
    },
  });
  app.route("/say", NoConfig)(() => "served");
  const request = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
  const answer = await app.fetch(new Request("http://workflow.test/run/say", request));
  const { data, trace_id } = (await answer.json()) as Body;
  expect(data).toBe("served");
  await app.shutdown();
  expect(await readTrace(platform.url, trace_id)).toMatchObject({
    environment: "production",
    // Where the workflow has no name of its own, it is the registry's.
    metadata: { application: "desk", attributes: { "ag.config.stale": true } },
  });
});

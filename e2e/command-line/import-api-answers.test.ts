import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ListedSpan, SpanRecord } from "@agate/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningServer, startServer } from "../running-server.ts";
import { type AgateClient, clientOf } from "./agate-client.ts";

let server: RunningServer;
let agate: AgateClient;
let folder: string;
beforeAll(async () => {
  server = await startServer();
  agate = clientOf(server.url);
  folder = await mkdtemp(join(tmpdir(), "agate-import-"));
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function fileOf(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const lines = (...rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

async function traceOf(id: string): Promise<SpanRecord> {
  const response = await fetch(`${server.url}/observability/traces/${id}/`);
  expect(response.status).toBe(200);
  return (await response.json()) as SpanRecord;
}

it("imports what Langfuse's API answers: version 2 of observations, version 3 of scores", async () => {
  const observation = {
    id: "support-chat-7-gen",
    traceId: "support-chat-7",
    startTime: "2025-12-17T16:09:00.875Z",
    projectId: "p",
    parentObservationId: null,
    type: "GENERATION",
    endTime: "2025-12-17T16:09:01.456Z",
    name: "llm-generation",
    level: "DEFAULT",
    statusMessage: "",
    version: "",
    environment: "default",
    completionStartTime: "2025-12-17T16:09:00.995Z",
    input: '{"messages":[{"role":"user","content":"Perfect."}]}',
    output: '{"role":"assistant","content":"You are all set."}',
    metadata: {},
    providedModelName: "gpt-4o",
    modelParameters: { temperature: 0.2 },
    usageDetails: { input: 98, output: 68, total: 166 },
    inputUsage: 98,
    costDetails: { input: 0.00049, output: 0.00204, total: 0.00253 },
    totalCost: 0.00253,
    promptId: "",
    promptName: "",
    promptVersion: null,
    latency: 0.581,
    inputPrice: "0.000005",
    totalPrice: null,
    // Of the trace there is only what was asked for.
    tags: ["support", "chat"],
    release: "v1.4.2",
  };
  const observations = { data: [observation], meta: { cursor: "eyJsYXN0" } };
  const core = {
    projectId: "p",
    source: "API",
    timestamp: "2025-12-17T16:10:00.000Z",
    environment: "default",
  };
  const subject = { kind: "observation", id: observation.id, traceId: observation.traceId };
  const trace = { kind: "trace", id: observation.traceId };
  const scores = {
    data: [
      { ...core, id: "a", name: "polite", value: true, dataType: "BOOLEAN", subject },
      { ...core, id: "b", name: "tone", value: "calm", dataType: "CATEGORICAL", subject: trace },
      { ...core, id: "c", name: "fast", value: 0.5, dataType: "NUMERIC", subject: trace },
      {
        ...core,
        id: "d",
        name: "x",
        value: 1,
        dataType: "NUMERIC",
        subject: { kind: "session", id: "s" },
      },
      { ...core, id: "e", name: "x", value: 1, dataType: "NUMERIC" },
    ],
    meta: { limit: 100 },
  };
  const files = [
    await fileOf("v2.json", JSON.stringify(observations)),
    await fileOf("v3.json", JSON.stringify(scores)),
  ] as const;
  expect(await agate("import", "langfuse", ...files)).toEqual({
    code: 0,
    stdout: "Imported 1 span and 3 scores.\n",
    stderr: `Skipped 1: a score of a session or a dataset run, not of a trace (first: ${files[1]}, row 4)
Skipped 1: a score without its subject: export scores with fields=details,subject (first: ${files[1]}, row 5)
`,
  });
  const response = await fetch(`${server.url}/observability/traces/?name=llm-generation`);
  const { items } = (await response.json()) as { items: ListedSpan[] };
  expect(items).toMatchObject([
    {
      parent_span_id: null,
      spankind: "LLM",
      content: { inputs: { messages: [{ role: "user", content: "Perfect." }] } },
      config: { temperature: 0.2 },
      metadata: {
        model: "gpt-4o",
        usage: { input_tokens: 98, output_tokens: 68 },
        cost: 0.00253,
        latency: 581,
      },
    },
  ]);
  expect(items[0]?.metadata.scores).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ name: "polite", value: 1, label: "yes" }),
      expect.objectContaining({ name: "tone", value: null, label: "calm" }),
      expect.objectContaining({ name: "fast", value: 0.5 }),
    ]),
  );
});

it("imports OTLP as Phoenix's API has it, with null for what is missing", async () => {
  const value = (given: object) => ({
    array_value: null,
    bool_value: null,
    bytes_value: null,
    double_value: null,
    int_value: null,
    kvlist_value: null,
    string_value: null,
    ...given,
  });
  const span = {
    attributes: [
      { key: "openinference.span.kind", value: value({ string_value: "LLM" }) },
      { key: "llm.model_name", value: value({ string_value: "gpt-4o-mini" }) },
      { key: "llm.token_count.prompt", value: value({ int_value: 1000 }) },
      { key: "llm.token_count.completion", value: value({ int_value: 200 }) },
      { key: "input.value", value: value({ string_value: "What is agate?" }) },
      {
        key: "tag.tags",
        value: value({ array_value: { values: [value({ string_value: "a" })] } }),
      },
    ],
    dropped_attributes_count: null,
    dropped_events_count: null,
    dropped_links_count: null,
    end_time_unix_nano: "1780062380963000064",
    events: [
      {
        attributes: [{ key: "exception.message", value: value({ string_value: "overloaded" }) }],
        dropped_attributes_count: null,
        name: "exception",
        time_unix_nano: "1780062380500000000",
      },
    ],
    flags: null,
    kind: null,
    links: null,
    name: "ask phoenix",
    parent_span_id: null,
    span_id: "1111222233338888",
    start_time_unix_nano: "1780062379963000064",
    status: { code: 2, message: null },
    trace_id: "aaaabbbbccccddddaaaabbbb00001111",
    trace_state: null,
  };
  const document = {
    id: "RG9j",
    span_id: span.span_id,
    document_position: 0,
    name: "relevant",
    annotator_kind: "LLM",
    result: { label: null, score: 1, explanation: null },
    identifier: "",
  };
  const page = JSON.stringify({ data: [span], next_cursor: null });
  // Times are numbers there, of more digits than JavaScript's have.
  const spans = await fileOf("otlpv1.json", page.replaceAll(/"(\d{19})"/g, "$1"));
  const annotations = await fileOf("documents.jsonl", lines(document));
  expect(await agate("import", "phoenix", spans, annotations)).toEqual({
    code: 0,
    stdout: "Imported 1 span.\n",
    stderr: `Skipped 1: an annotation of a retrieved document, not of a span (first: ${annotations}, row 1)\n`,
  });
  expect(await traceOf(span.trace_id)).toMatchObject({
    name: "ask phoenix",
    parent_span_id: null,
    spankind: "LLM",
    status: "ERROR",
    content: { inputs: "What is agate?" },
    metadata: {
      start_time: "2026-05-29T13:46:19.963000064Z",
      model: "gpt-4o-mini",
      usage: { input_tokens: 1000, output_tokens: 200 },
      status_message: "overloaded",
      attributes: { "tag.tags": ["a"] },
    },
  });
});

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { ListedSpan, SpanRecord } from "@agate/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

async function traceOfUser(user: string): Promise<SpanRecord> {
  const response = await fetch(`${server.url}/observability/traces/?user_id=${user}`);
  const { items } = (await response.json()) as { items: ListedSpan[] };
  return traceOf(items[0]?.trace_id ?? "");
}

describe("agate import langfuse", () => {
  const TRACE = "11111111-2222-4333-8444-555555555555";
  const ID = TRACE.replaceAll("-", "");
  const root = {
    id: "aaaaaaaaaaaaaaaa",
    trace_id: TRACE,
    project_id: "p",
    environment: "production",
    type: "SPAN",
    parent_observation_id: "",
    start_time: "2026-05-29 13:46:19.963000",
    end_time: "2026-05-29 13:46:21.463000",
    name: "answer",
    metadata: { team: "stones" },
    level: "DEFAULT",
    input: '{"question":"What is agate?"}',
    output: "A stone.",
    usage_details: {},
    cost_details: {},
    total_cost: 0,
    user_id: "u-1",
    session_id: "s-1",
    trace_name: "answer",
    tags: ["a", "b"],
  };
  const call = {
    ...root,
    id: "observation-2",
    type: "GENERATION",
    parent_observation_id: root.id,
    start_time: "2026-05-29 13:46:20.000000",
    name: "chat",
    provided_model_name: "gpt-4o-mini",
    model_parameters: '{"temperature":0.5}',
    usage_details: { input: 600, output: 200, total: 1200, input_cached_tokens: 400 },
    cost_details: { input: 0.001, output: 0.002, total: 0.003 },
  };
  const failed = {
    ...root,
    id: "bbbbbbbbbbbbbbbb",
    type: "TOOL",
    parent_observation_id: root.id,
    name: "find",
    level: "ERROR",
    status_message: "The index is gone.",
  };
  const score = {
    id: "score-1",
    timestamp: "2026-05-29 13:50:00.000000",
    trace_id: TRACE,
    observation_id: "observation-2",
    name: "helpful",
    value: 0.8,
    data_type: "NUMERIC",
    source: "ANNOTATION",
    comment: "Short.",
  };
  const label = {
    ...score,
    id: "score-2",
    observation_id: null,
    name: "tone",
    value: 1,
    string_value: "calm",
    data_type: "CATEGORICAL",
  };

  it("imports observations and scores of a blob storage, and again without doubling any", async () => {
    const observations = await fileOf(
      "observations.jsonl.gz",
      gzipSync(lines(root, call, { ...root, id: "x", start_time: null }, failed)),
    );
    const scores = await fileOf(
      "scores.json",
      JSON.stringify([score, label, { ...score, id: "s3", trace_id: null }]),
    );
    const expected = {
      code: 0,
      stdout: "Imported 3 spans and 2 scores.\n",
      stderr: `Skipped 1: an observation without a start_time (first: ${observations}, row 3)
Skipped 1: a score of a session or a dataset run, not of a trace (first: ${scores}, row 3)
`,
    };
    expect(await agate("import", "langfuse", observations, scores)).toEqual(expected);
    const trace = await traceOf(ID);
    expect(trace).toMatchObject({
      id: root.id,
      name: "answer",
      spankind: "WORKFLOW",
      user_id: "u-1",
      environment: "production",
      content: { inputs: { question: "What is agate?" }, outputs: "A stone." },
      metadata: {
        start_time: "2026-05-29T13:46:19.963000000Z",
        latency: 1500,
        session_id: "s-1",
        total: { usage: { input_tokens: 1000, output_tokens: 200 }, cost: 0.003 },
        scores: [{ name: "tone", label: "calm", value: null }],
      },
      children: [
        { name: "find", spankind: "TOOL", status: "ERROR" },
        {
          name: "chat",
          spankind: "LLM",
          config: { temperature: 0.5 },
          metadata: {
            model: "gpt-4o-mini",
            usage: { cached_input_tokens: 400 },
            scores: [
              { name: "helpful", value: 0.8, explanation: "Short.", source: { kind: "human" } },
            ],
          },
        },
      ],
    });
    expect(trace.children?.[0]?.metadata.status_message).toBe("The index is gone.");
    expect(await agate("import", "langfuse", observations, scores)).toEqual(expected);
    expect(await traceOf(ID)).toEqual(trace);
  });

  it("puts observations below their trace where its row has user, session and content", async () => {
    const trace = {
      id: "order-17",
      timestamp: "2026-05-29T13:46:19.000Z",
      name: "order",
      userId: "u-2",
      sessionId: "s-2",
      input: { order: 17 },
      output: "shipped",
      latency: 2.5,
      observations: [
        {
          id: "o-1",
          type: "GENERATION",
          startTime: "2026-05-29T13:46:20.000Z",
          name: "ask",
          model: "m",
        },
      ],
      scores: [{ id: "s-9", name: "fast", value: 1, dataType: "BOOLEAN" }],
    };
    const file = await fileOf("trace.json", JSON.stringify({ data: [trace], meta: { page: 1 } }));
    expect(await agate("import", "langfuse", file, "--json")).toMatchObject({
      code: 0,
      stdout: '{"spans":2,"scores":1,"skipped":[]}\n',
    });
    expect(await traceOfUser("u-2")).toMatchObject({
      name: "order",
      content: { inputs: { order: 17 }, outputs: "shipped" },
      metadata: { latency: 2500, session_id: "s-2", scores: [{ name: "fast", label: "yes" }] },
      children: [{ name: "ask", spankind: "LLM" }],
    });
  });

  it("reads CSV, where objects are JSON in cells", async () => {
    const csv = `id,traceId,type,startTime,endTime,name,input,usageDetails,userId,traceTags
c1,csv-trace,GENERATION,2026-05-29T13:46:19.963Z,2026-05-29T13:46:20.963Z,chat,"two
lines","{""input"":5,""output"":7}",u-3,"[""a""]"
`;
    const file = await fileOf("observations.csv", csv);
    expect((await agate("import", "langfuse", file)).stdout).toBe("Imported 1 span.\n");
    expect(await traceOfUser("u-3")).toMatchObject({
      content: { inputs: "two\nlines" },
      metadata: {
        usage: { input_tokens: 5, output_tokens: 7 },
        latency: 1000,
        attributes: { "langfuse.trace.tags": ["a"] },
      },
    });
  });
});

describe("agate import phoenix", () => {
  const TRACE = "aaaabbbbccccddddaaaabbbbccccdddd";
  const span = {
    id: "U3Bhbjox",
    name: "chat",
    context: { trace_id: TRACE, span_id: "1111222233334444" },
    span_kind: "LLM",
    parent_id: null,
    start_time: "2026-05-29T13:46:19.963000+00:00",
    end_time: "2026-05-29T13:46:20.963000+00:00",
    status_code: "ERROR",
    status_message: "",
    attributes: {
      "llm.model_name": "gpt-4o-mini",
      "llm.token_count.prompt": 1000,
      "llm.token_count.completion": 200,
      "session.id": "s-7",
      metadata: { team: "stones" },
      llm: { input_messages: [{ "message.role": "user", "message.content": "What is agate?" }] },
    },
    events: [
      {
        name: "exception",
        timestamp: "2026-05-29T13:46:20.5+00:00",
        attributes: { "exception.message": "overloaded" },
      },
    ],
  };
  const annotation = {
    id: "1",
    span_id: "1111222233334444",
    name: "helpful",
    annotator_kind: "HUMAN",
    result: { label: "good", score: 0.9, explanation: null },
    identifier: "",
  };

  it("imports spans and annotations, and again without doubling any", async () => {
    const spans = await fileOf("spans.json", JSON.stringify({ data: [span], next_cursor: null }));
    const other = { ...annotation, span_id: "9999999999999999" };
    const annotations = await fileOf("annotations.jsonl", lines(annotation, other));
    for (let times = 0; times < 2; times++) {
      expect(await agate("import", "phoenix", spans, annotations)).toEqual({
        code: 0,
        stdout: "Imported 1 span and 1 score.\n",
        stderr:
          'Skipped 1: an annotation: There is no span "9999999999999999" yet. Send it before its annotations.\n',
      });
    }
    expect(await traceOf(TRACE)).toMatchObject({
      spankind: "LLM",
      status: "ERROR",
      content: { inputs: { messages: [{ role: "user", content: "What is agate?" }] } },
      metadata: {
        model: "gpt-4o-mini",
        cost: 0.00027,
        session_id: "s-7",
        status_message: "overloaded",
        attributes: { metadata: '{"team":"stones"}' },
        scores: [{ name: "helpful", value: 0.9, label: "good", source: { kind: "human" } }],
      },
      children: null,
    });
  });

  it("imports rows of a dataframe, and OTLP", async () => {
    const row = {
      "context.trace_id": "aaaabbbbccccddddaaaabbbbcccceeee",
      "context.span_id": "1111222233335555",
      name: "find",
      span_kind: "RETRIEVER",
      parent_id: null,
      start_time: 1_780_062_379_963,
      end_time: 1_780_062_380_963,
      status_code: "OK",
      "attributes.input.value": "agate",
      "attributes.retrieval.documents": [{ "document.content": "Agate is banded." }],
      "attributes.llm.model_name": null,
    };
    const otlp = {
      resourceSpans: [
        {
          resource: { attributes: [{ key: "service.name", value: { stringValue: "stones" } }] },
          scopeSpans: [
            {
              scope: { name: "own" },
              spans: [
                {
                  traceId: "aaaabbbbccccddddaaaabbbbccccffff",
                  spanId: "1111222233336666",
                  name: "ask",
                  startTimeUnixNano: "1780062379963000000",
                  endTimeUnixNano: "1780062380963000000",
                },
                { traceId: "nothing", spanId: "1111222233337777", name: "bad" },
              ],
            },
          ],
        },
      ],
    };
    const file = await fileOf("mixed.jsonl", lines(row, otlp));
    const { code, stdout, stderr } = await agate("import", "phoenix", file);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Imported 2 spans.\n" });
    expect(stderr).toMatch(/^Skipped 1: .*traceId must be 32 hex digits/);
    expect(await traceOf(row["context.trace_id"])).toMatchObject({
      spankind: "RETRIEVER",
      content: { inputs: "agate" },
      metadata: { latency: 1000 },
    });
    expect((await traceOf("aaaabbbbccccddddaaaabbbbccccffff")).metadata.scope?.name).toBe("own");
  });
});

describe("many and large rows", () => {
  const trace = "cccccccccccccccccccccccccccccccc";
  const observation = (n: number, input = "") => ({
    id: n.toString(16).padStart(16, "0"),
    trace_id: trace,
    type: "SPAN",
    user_id: "u-9",
    start_time: "2026-05-29 13:46:19.963000",
    parent_observation_id: n === 1 ? "" : "1".padStart(16, "0"),
    input,
  });

  it("are sent in several requests", async () => {
    const spans = Array.from({ length: 501 }, (_, n) => observation(n + 1));
    const scores = Array.from({ length: 201 }, (_, n) => ({
      id: `score-${n}`,
      trace_id: trace,
      name: "helpful",
      value: n,
      data_type: "NUMERIC",
    }));
    const file = await fileOf("many.jsonl", lines(...spans, ...scores));
    expect((await agate("import", "langfuse", file)).stdout).toBe(
      "Imported 501 spans and 201 scores.\n",
    );
    const top = await traceOf(trace);
    expect(top.children).toHaveLength(500);
    expect(top.metadata.scores).toHaveLength(201);
  });

  it("are sent apart where they are too large together, and skipped where one is by itself", async () => {
    await using small = await startServer({ flags: ["--max-body", "1mb"] });
    const sizes = [10, 600_000, 600_000, 1_200_000, 10, 600_000, 600_000];
    const spans = sizes.map((size, n) => observation(n + 1, "x".repeat(size)));
    const file = await fileOf("large.json", JSON.stringify(spans));
    expect(await clientOf(small.url)("import", "langfuse", file)).toEqual({
      code: 0,
      stdout: "Imported 6 spans.\n",
      stderr: "Skipped 1: a span that is larger than the platform takes\n",
    });
  });
});

describe("a file that cannot be imported", () => {
  it.each([
    [
      "other.json",
      '[{"rows":1,"cells":2}]',
      "has no observations, traces or scores of Langfuse. The fields of its first row: rows, cells.",
    ],
    ["cut.json", '[{"id":"a"', "ends inside of object 1: the file is not complete."],
    ["empty.jsonl", "", "is empty."],
    ["list.json", "[]", "has no rows."],
    ["file.parquet", "PAR1....", "is Parquet, which Agate does not read."],
  ])("is named with the reason: %s", async (name, content, reason) => {
    const file = await fileOf(name, content);
    const { code, stdout, stderr } = await agate("import", "langfuse", file);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(`${file} ${reason}`);
  });

  it("may be missing, or of a product that is not known", async () => {
    const missing = await agate("import", "phoenix", join(folder, "none.json"));
    expect(missing).toMatchObject({ code: 1 });
    expect(missing.stderr).toContain("does not exist.");
    expect((await agate("import", "weave", "x.json")).code).toBe(2);
    const csv = await fileOf("spans.csv", "name,start_time\na,b\n");
    expect((await agate("import", "phoenix", csv)).stderr).toContain("to_json");
  });
});

import { gzipSync } from "node:zlib";
import type { Score } from "@agate/protocol";
import { JsonLogsSerializer, ProtobufLogsSerializer } from "@opentelemetry/otlp-transformer";
import { emptyResource } from "@opentelemetry/resources";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Dice, mutateBytes, mutateJson } from "../../ingest/otlp/testing/mutations.fixture.ts";
import { spanIdOf, storedSpan, traceIdOf } from "../../stores/contract/stored-span.fixture.ts";
import {
  loggedText,
  MOST_CONTENT_BYTES,
  MOST_LOGGED_CHARACTERS,
} from "../../stores/logged-content.ts";
import {
  callOver,
  EXPORT_LOGS,
  framed,
  openHttp2,
  startGrpcPlatform,
} from "../grpc/grpc-platform.fixture.ts";
import type { TestResponse } from "../testing/send-request.fixture.ts";
import type { TestPlatform } from "../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../testing/test-platform.fixture.ts";

const PROTOBUF = "application/x-protobuf";
const JSON_TYPE = "application/json";
const LIMIT = 100_000;
// One object of each: exporters group records by them.
const RESOURCE = emptyResource();
const SCOPE = { name: "judge" };
const RESULT = "gen_ai.evaluation.result";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ maxBodyBytes: LIMIT, maxDecompressedBytes: 2 * LIMIT });
});
afterAll(() => platform.close());

interface Record {
  readonly trace?: number;
  readonly span?: number;
  readonly eventName?: string | undefined;
  readonly seconds?: number;
  readonly observed?: number;
  readonly attributes?: { readonly [name: string]: string | number | boolean };
  readonly body?: unknown;
}

/** Log records as the OpenTelemetry SDK hands them to its exporters, in their encoding of them. */
function serialize(encoding: "protobuf" | "json", records: readonly Record[]): Uint8Array {
  const { serializeRequest } = encoding === "json" ? JsonLogsSerializer : ProtobufLogsSerializer;
  const given = records.map((record) => ({
    hrTime: [record.seconds ?? 1_793_534_400, 1000] as [number, number],
    hrTimeObserved: [record.observed ?? 1_793_534_401, 0] as [number, number],
    resource: RESOURCE,
    instrumentationScope: SCOPE,
    ...(record.trace !== undefined && {
      spanContext: {
        traceId: traceIdOf(record.trace),
        spanId: spanIdOf(record.span ?? record.trace),
        traceFlags: 1,
      },
    }),
    ...("eventName" in record
      ? record.eventName && { eventName: record.eventName }
      : { eventName: RESULT }),
    body: record.body ?? "An evaluation.",
    attributes: record.attributes ?? HELPFUL,
    droppedAttributesCount: 0,
  }));
  return serializeRequest(given as Parameters<typeof serializeRequest>[0]) as Uint8Array;
}

const HELPFUL = {
  "gen_ai.evaluation.name": "helpful",
  "gen_ai.evaluation.score.value": 0.5,
} as const;

const TYPES = { protobuf: PROTOBUF, json: JSON_TYPE } as const;

function post(
  type: string,
  body: string | Uint8Array,
  headers: { [name: string]: string } = {},
  target = platform,
): Promise<TestResponse> {
  const all = { "content-type": type, ...headers };
  return target.send({ method: "POST", path: "/v1/logs", headers: all, body });
}

async function scoresOf(trace: number, target = platform): Promise<Score[]> {
  await target.append([storedSpan({ traceId: traceIdOf(trace), id: spanIdOf(trace) })]);
  return (await target.get(`/observability/traces/${traceIdOf(trace)}/`)).json.metadata.scores;
}

describe.each(["protobuf", "json"] as const)("log records as %s", (encoding) => {
  const first = encoding === "json" ? 100 : 200;

  it("become scores of the spans that they name", async () => {
    const body = serialize(encoding, [
      {
        trace: first,
        attributes: {
          "gen_ai.evaluation.name": "Answer relevance",
          "gen_ai.evaluation.score.value": 0.75,
          "gen_ai.evaluation.score.label": "good",
          "gen_ai.evaluation.explanation": "Says what was asked.",
        },
      },
      { trace: first, attributes: { "gen_ai.evaluation.name": "safe", "error.type": "timeout" } },
      // Of before there was a field for the name, and of a clock that tells nothing.
      {
        trace: first,
        eventName: undefined,
        seconds: 0,
        attributes: { ...HELPFUL, "event.name": RESULT },
      },
    ]);
    const response = await post(TYPES[encoding], gzipSync(body), { "content-encoding": "gzip" });
    expect(response.status).toBe(200);
    expect(response.headers["content-type"]).toBe(TYPES[encoding]);
    expect(response.body.toString()).toBe(encoding === "json" ? "{}" : "");
    const judged = { trace_id: traceIdOf(first), span_id: spanIdOf(first) };
    const scores = (await scoresOf(first)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    expect(scores).toMatchObject([
      {
        ...judged,
        name: "answer-relevance",
        value: 0.75,
        label: "good",
        explanation: "Says what was asked.",
        status: "ok",
        created_at: "2026-11-01T12:00:00.000001Z",
        source: { kind: "code" },
      },
      { ...judged, name: "helpful", value: 0.5 },
      { ...judged, name: "safe", value: null, status: "failed", error: "timeout" },
    ]);
  });

  it("of other names, without ids and without a judgement are rejected, and the others kept", async () => {
    const trace = first + 1;
    const fresh = await startTestPlatform();
    const body = serialize(encoding, [
      { trace, eventName: "app.started" },
      { trace, eventName: undefined },
      {},
      { trace, attributes: { "gen_ai.evaluation.name": "helpful" } },
      { trace },
    ]);
    const response = await post(TYPES[encoding], body, {}, fresh);
    expect(response.status).toBe(200);
    const message =
      /^4 log records rejected: trace_?Id must be .* \(1\); only log records of spans with the event name gen_ai.evaluation.result or one of a GenAI message are stored, and this is said once \(2\); an evaluation result needs gen_ai.evaluation.name, .* \(1\)$/i;
    if (encoding === "json") {
      expect(response.json.partialSuccess).toEqual({
        rejectedLogRecords: "4",
        errorMessage: expect.stringMatching(message),
      });
    } else {
      const { partialSuccess } = ProtobufLogsSerializer.deserializeResponse(response.body) ?? {};
      expect(Number(partialSuccess?.rejectedLogRecords)).toBe(4);
      expect(partialSuccess?.errorMessage).toMatch(message);
    }
    expect(await scoresOf(trace, fresh)).toMatchObject([{ name: "helpful", value: 0.5 }]);
    // What Agate does not store is said once; faults of what it stores are said every time.
    // A message that was logged outside of any span is none of the sender's faults.
    const others = [{ eventName: "gen_ai.user.message" }, { trace, eventName: undefined }];
    const again = await post(TYPES[encoding], serialize(encoding, others), {}, fresh);
    expect(again.body.toString()).toBe(encoding === "json" ? "{}" : "");
    const faulty = await post(JSON_TYPE, serialize("json", [...others, {}]), {}, fresh);
    expect(faulty.json.partialSuccess).toMatchObject({ rejectedLogRecords: "1" });
    const counts = (await fresh.logLines()).map(({ not_kept }) => not_kept);
    expect(counts.filter((count) => count !== undefined)).toEqual([2, 2, 2]);
    await fresh.close();
  });
});

it("stores the same scores of both encodings, and of an event on the span", async () => {
  const value = fc.oneof(fc.double(), fc.integer(), fc.boolean(), fc.string());
  const attributes = fc.record(
    {
      "gen_ai.evaluation.name": fc.oneof(fc.constantFrom("a", "b", "A b", "!"), fc.integer()),
      "gen_ai.evaluation.score.value": value,
      "gen_ai.evaluation.score.label": value,
      "gen_ai.evaluation.explanation": fc.string({ unit: "grapheme" }),
      "error.type": value,
    },
    { requiredKeys: [] },
  );
  let trace = 10_000;
  await fc.assert(
    fc.asyncProperty(fc.array(attributes, { maxLength: 6 }), async (records) => {
      const kept: unknown[] = [];
      for (const encoding of ["protobuf", "json"] as const) {
        trace++;
        const own = records.map((given) => ({ trace, attributes: given }));
        expect((await post(TYPES[encoding], serialize(encoding, own))).status).toBe(200);
        kept.push(withoutIds(await scoresOf(trace)));
      }
      trace++;
      const events = JSON.parse(
        Buffer.from(
          serialize(
            "json",
            records.map((given) => ({ trace, attributes: given })),
          ),
        ).toString(),
      ).resourceLogs?.[0]?.scopeLogs[0].logRecords.map((record: { attributes: unknown }) => ({
        ...record,
        name: RESULT,
      }));
      const span = { traceId: traceIdOf(trace), spanId: spanIdOf(trace), events };
      await platform.send({
        method: "POST",
        path: "/v1/traces",
        headers: { "content-type": JSON_TYPE },
        body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
      });
      kept.push(withoutIds(await scoresOf(trace)));
      expect(kept[1]).toEqual(kept[0]);
      expect(kept[2]).toEqual(kept[0]);
    }),
    { numRuns: 25 },
  );
});

function withoutIds(scores: readonly Score[] = []): readonly unknown[] {
  const bare = scores.map(({ id: _, trace_id: _t, span_id: _s, ...score }) => score);
  return bare.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

describe("messages of a call", () => {
  /** As OpenTelemetry's instrumentation of OpenAI for Python logs them. */
  const messagesOf = (trace: number): Record[] => [
    {
      trace,
      eventName: "gen_ai.system.message",
      attributes: { "gen_ai.system": "openai" },
      body: { content: "Be kind" },
    },
    {
      trace,
      // Of before there was a field for the name.
      eventName: undefined,
      attributes: { "gen_ai.system": "openai", "event.name": "gen_ai.user.message" },
      body: { content: "Hello" },
    },
    {
      trace,
      eventName: "gen_ai.choice",
      attributes: { "gen_ai.system": "openai" },
      body: {
        index: 0,
        finish_reason: "stop",
        message: { role: "assistant", content: "Write to ada@example.com" },
      },
    },
  ];
  const read = async (trace: number) =>
    (await platform.get(`/observability/traces/${traceIdOf(trace)}/`)).json;
  const append = (trace: number) =>
    platform.append([storedSpan({ traceId: traceIdOf(trace), id: spanIdOf(trace) })]);
  const CONTENT = {
    inputs: {
      messages: [
        { role: "system", content: "Be kind" },
        { role: "user", content: "Hello" },
      ],
    },
    internals: null,
    outputs: {
      messages: [
        { role: "assistant", content: "Write to ada@example.com", index: 0, finish_reason: "stop" },
      ],
    },
  };

  it.each([
    ["protobuf", "before"],
    ["protobuf", "after"],
    ["json", "before"],
    ["json", "after"],
  ] as const)("are the content of their span, as %s, %s the span", async (encoding, when) => {
    const trace = 500 + ["protobuf", "json"].indexOf(encoding) + (when === "before" ? 10 : 20);
    const body = serialize(encoding, messagesOf(trace));
    if (when === "after") await append(trace);
    // A request that is sent again adds nothing.
    for (let n = 0; n < 2; n++) {
      const response = await post(TYPES[encoding], body);
      expect([response.status, response.body.toString()]).toEqual([
        200,
        encoding === "json" ? "{}" : "",
      ]);
    }
    if (when === "before") await append(trace);
    expect((await read(trace)).content).toEqual(CONTENT);
  });

  it("may come in several requests, and be whole sides", async () => {
    const [system, user, choice] = messagesOf(540) as [Record, Record, Record];
    const later = [{ ...user, seconds: 1_793_534_402 }];
    await post(PROTOBUF, serialize("protobuf", later));
    await post(PROTOBUF, serialize("protobuf", [system, choice]));
    await append(540);
    expect((await read(540)).content).toEqual(CONTENT);
    const messages = [{ role: "user", parts: [{ type: "text", content: "Hi" }] }];
    const attributes = { "gen_ai.input.messages": JSON.stringify(messages) };
    const eventName = "gen_ai.client.inference.operation.details";
    await post(JSON_TYPE, serialize("json", [{ trace: 541, eventName, attributes }]));
    await append(541);
    expect((await read(541)).content).toMatchObject({ inputs: { messages }, outputs: null });
  });

  it("are stored without what the project's rules hide", async () => {
    const put = {
      method: "PUT",
      path: "/registry/redaction",
      headers: { "content-type": JSON_TYPE },
    };
    const rules = { keys: [], patterns: ["email"], custom: [] };
    await platform.send({ ...put, body: JSON.stringify(rules) });
    await post(JSON_TYPE, serialize("json", messagesOf(550)));
    await platform.send({ ...put, body: JSON.stringify({ ...rules, patterns: [] }) });
    await append(550);
    const { outputs } = (await read(550)).content;
    expect(outputs.messages[0].content).toBe("Write to [redacted:email]");
  });

  it("of one span and request have at most 128 Ki characters", async () => {
    const target = await startTestPlatform();
    const send = async (content: string) => {
      const record = { ...(messagesOf(560)[1] as Record), body: { content } };
      return (await post(JSON_TYPE, serialize("json", [record]), {}, target)).json;
    };
    const around = loggedText({
      inputs: null,
      outputs: null,
      asked: ['{"role":"user","content":""}'],
      answered: [],
    }).length;
    const longest = "x".repeat(MOST_LOGGED_CHARACTERS - around);
    expect(await send(longest)).toEqual({});
    expect(await send(`${longest}x`)).toEqual({
      partialSuccess: {
        rejectedLogRecords: "1",
        errorMessage:
          "1 log record rejected: the messages of a span in one request have more than 131072 characters",
      },
    });
    await target.close();
  });

  it("of one span have at most 4 MiB, over HTTP and over gRPC", async () => {
    await using grpc = await startGrpcPlatform();
    const rowOf = (text: string) =>
      loggedText({
        inputs: null,
        outputs: null,
        asked: [JSON.stringify({ role: "user", content: text })],
        answered: [],
      }).length;
    const padded = (n: number) => String(n).padEnd(MOST_LOGGED_CHARACTERS - rowOf(""), ".");
    const requestOf = (encoding: "json" | "protobuf", ...texts: string[]) =>
      serialize(
        encoding,
        texts.map((content) => ({ ...(messagesOf(570)[1] as Record), body: { content } })),
      );
    const send = async (...texts: string[]) =>
      (await post(JSON_TYPE, requestOf("json", ...texts), {}, grpc.platform)).json;
    const call = async (...texts: string[]) => {
      using session = openHttp2(grpc.port);
      const message = Buffer.from(requestOf("protobuf", ...texts));
      const end = await callOver(session, { path: EXPORT_LOGS, chunks: [framed(message)] });
      return [end.status, end.body.subarray(5).toString()];
    };
    const rows = MOST_CONTENT_BYTES / MOST_LOGGED_CHARACTERS;
    for (let n = 0; n < rows - 1; n++) expect(await send(padded(n))).toEqual({});
    // The last that there is room for, to the byte.
    expect(await call(padded(rows))).toEqual(["0", ""]);
    expect(await send("one", "more")).toEqual({
      partialSuccess: {
        rejectedLogRecords: "2",
        errorMessage: "2 log records rejected: a span has at most 4194304 bytes of logged messages",
      },
    });
    const [status, refused] = await call("one more");
    expect(status).toBe("0");
    expect(refused).toContain(
      "1 log record rejected: a span has at most 4194304 bytes of logged messages",
    );
    // What is there can be sent again.
    expect(await send(padded(0))).toEqual({});
  });
});

it("hides in explanations what the project's rules hide", async () => {
  const patterns = { keys: [], patterns: ["email"], custom: [] };
  const put = {
    method: "PUT",
    path: "/registry/redaction",
    headers: { "content-type": JSON_TYPE },
  };
  expect((await platform.send({ ...put, body: JSON.stringify(patterns) })).status).toBe(200);
  const attributes = { ...HELPFUL, "gen_ai.evaluation.explanation": "Sent to ada@example.com." };
  await post(JSON_TYPE, serialize("json", [{ trace: 300, attributes }]));
  expect(await scoresOf(300)).toMatchObject([{ explanation: "Sent to [redacted:email]." }]);
  await platform.send({ ...put, body: JSON.stringify({ ...patterns, patterns: [] }) });
});

it("says how many a full trace has no room for", async () => {
  const many = (count: number, from = 0) =>
    Array.from({ length: count }, (_, n) => ({
      trace: 400,
      attributes: { ...HELPFUL, "gen_ai.evaluation.name": `n${from + n}` },
    }));
  for (let from = 0; from < 1000; from += 250) {
    const stored = await post(PROTOBUF, serialize("protobuf", many(250, from)));
    expect(stored.body).toHaveLength(0);
  }
  const refused = await post(
    JSON_TYPE,
    serialize("json", [...many(1), ...many(2, 1000), ...many(1, 1000)]),
  );
  expect(refused.json.partialSuccess).toEqual({
    rejectedLogRecords: "3",
    errorMessage:
      "3 log records rejected: the trace has 1000 scores and logged contents, the most in a trace",
  });
  expect(await scoresOf(400)).toHaveLength(1000);
});

describe("a request is refused", () => {
  it.each<[string, string, string | Uint8Array, { [name: string]: string }, number, string]>([
    ["of another type", "text/plain", "x", {}, 415, "content_type_unsupported"],
    [
      "compressed otherwise",
      PROTOBUF,
      "x",
      { "content-encoding": "br" },
      415,
      "content_encoding_unsupported",
    ],
    ["that is not protobuf", PROTOBUF, "\xff\xff", {}, 400, "body_undecodable"],
    ["that is not JSON", JSON_TYPE, "{", {}, 400, "body_undecodable"],
    ["of a wrong shape", JSON_TYPE, '{"resourceLogs": 1}', {}, 400, "body_undecodable"],
    ["that is too large", JSON_TYPE, "x".repeat(LIMIT + 1), {}, 413, "body_too_large"],
    [
      "that unpacks to too much",
      PROTOBUF,
      gzipSync(Buffer.alloc(2 * LIMIT + 1)),
      { "content-encoding": "gzip" },
      413,
      "decompressed_body_too_large",
    ],
  ])("%s", async (_, type, body, headers, status, errorType) => {
    const response = await post(type, body, headers);
    expect(response.status).toBe(status);
    expect(response.json.detail).toMatchObject([{ type: errorType }]);
  });

  it("of more records or values than the limit", async () => {
    const narrow = await startTestPlatform({ decodeLimits: { spans: 2, values: 60 } });
    const send = async (type: "protobuf" | "json", records: readonly Record[]) => {
      const response = await post(TYPES[type], serialize(type, records), {}, narrow);
      return response.status === 200 ? undefined : response.json.detail[0];
    };
    const wordy = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`a${n}`, n]));
    for (const encoding of ["protobuf", "json"] as const) {
      // Rejected records count too.
      expect(await send(encoding, [{ trace: 1 }, {}])).toBeUndefined();
      expect(await send(encoding, [{ trace: 1 }, {}, {}])).toMatchObject({
        type: "too_many_spans",
      });
      expect(await send(encoding, [{ trace: 1, attributes: wordy }])).toMatchObject({
        type: "body_too_complex",
      });
    }
    await narrow.close();
  });
});

describe("damaged requests", () => {
  const records = [{ trace: 1 }, {}, { trace: 2, eventName: undefined }];
  const protobuf = serialize("protobuf", records);
  const json = serialize("json", records);
  it.each([
    ["protobuf", (dice: Dice) => post(PROTOBUF, mutateBytes(dice, protobuf, json))],
    ["JSON bytes", (dice: Dice) => post(JSON_TYPE, mutateBytes(dice, json, protobuf))],
    [
      "JSON values",
      (dice: Dice) =>
        post(JSON_TYPE, JSON.stringify(mutateJson(dice, JSON.parse(Buffer.from(json).toString())))),
    ],
  ])("are answered, never with 5xx: %s", async (_, send) => {
    for (let seed = 0; seed < 100; seed++) {
      expect([200, 400, 413], `seed ${seed}`).toContain((await send(new Dice(seed))).status);
    }
  });
});

import { connect } from "node:net";
import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Dice, mutateBytes, mutateJson } from "../../ingest/otlp/testing/mutations.fixture.ts";
import { recordSpans } from "../../ingest/otlp/testing/recorded-spans.fixture.ts";
import type { TestRequest, TestResponse } from "../testing/send-request.fixture.ts";
import type { TestPlatform } from "../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../testing/test-platform.fixture.ts";

const PROTOBUF = "application/x-protobuf";
const JSON_TYPE = "application/json";
const LIMIT = 100_000;

const spans = recordSpans();
const protobuf = ProtobufTraceSerializer.serializeRequest(spans) as Uint8Array;
const json = JsonTraceSerializer.serializeRequest(spans) as Uint8Array;
const ids = spans.map((span) => span.spanContext().spanId);

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ maxBodyBytes: LIMIT, maxDecompressedBytes: 2 * LIMIT });
});
afterAll(() => platform.close());

function post(
  contentType: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  const request: TestRequest = {
    method: "POST",
    path: "/v1/traces",
    headers: { "content-type": contentType, ...headers },
    body,
  };
  return platform.send(request);
}

async function forget(): Promise<void> {
  for (const { traceId } of spans.map((span) => span.spanContext())) {
    await platform.send({ method: "DELETE", path: `/observability/traces/${traceId}` });
  }
}

describe("a request is kept and answered in its own encoding", () => {
  const gzip = { "content-encoding": "gzip" };
  it.each<[string, string, Uint8Array, Record<string, string>, string]>([
    ["protobuf", PROTOBUF, protobuf, {}, ""],
    ["JSON", JSON_TYPE, json, {}, "{}"],
    ["protobuf with gzip", PROTOBUF, gzipSync(protobuf), gzip, ""],
    ["JSON with gzip", JSON_TYPE, gzipSync(json), { "content-encoding": "GZIP" }, "{}"],
    ["zstd", PROTOBUF, zstdCompressSync(protobuf), { "content-encoding": "zstd" }, ""],
    ["deflate", JSON_TYPE, deflateSync(json), { "content-encoding": "deflate" }, "{}"],
    ["JSON with a charset", "Application/JSON; charset=utf-8", json, {}, "{}"],
    ["identity", PROTOBUF, protobuf, { "content-encoding": "identity" }, ""],
    ["chunks of unknown length", PROTOBUF, protobuf, { "transfer-encoding": "chunked" }, ""],
  ])("%s", async (_, type, body, headers, answer) => {
    const response = await post(type, body, headers);
    expect(response.status).toBe(200);
    expect(response.headers["content-type"]).toBe(type.includes("protobuf") ? PROTOBUF : JSON_TYPE);
    expect(response.body.toString()).toBe(answer);
    for (const id of ids)
      expect((await platform.get(`/observability/spans/${id}`)).status).toBe(200);
    await forget();
  });

  it("with the number of the build whose key it has", async () => {
    const pair = { environmentId: "env_a", buildId: "bld_a", build: 7 };
    const own = { project: "default", name: "a build", scopes: ["ingest"] as const };
    const { key } = platform.access.internalKeys.issue({ ...own, pair });
    expect((await post(PROTOBUF, protobuf, { authorization: `Bearer ${key}` })).status).toBe(200);
    for (const id of ids) {
      const { json } = await platform.get(`/observability/spans/${id}`);
      expect(json).toMatchObject({ metadata: { build: 7 } });
    }
    await forget();
  });

  it("nothing at all, as protobuf and as an empty JSON object", async () => {
    expect((await post(PROTOBUF, "")).status).toBe(200);
    expect((await post(JSON_TYPE, "{}")).body.toString()).toBe("{}");
  });

  it("at the path with a slash too", async () => {
    const headers = { "content-type": PROTOBUF };
    const response = await platform.send({ method: "POST", path: "/v1/traces/", headers });
    expect(response.status).toBe(200);
  });
});

it("says which spans were rejected, and keeps the others", async () => {
  const request = JSON.parse(Buffer.from(json).toString());
  request.resourceSpans[0].scopeSpans[0].spans[0].spanId = "0000000000000000";
  const response = await post(JSON_TYPE, JSON.stringify(request));
  expect(response.status).toBe(200);
  expect(response.json.partialSuccess).toEqual({
    rejectedSpans: "1",
    errorMessage: expect.stringMatching(/./),
  });
  expect((await platform.get(`/observability/spans/${ids.at(-1)}`)).status).toBe(200);
  await forget();
});

describe("a request is refused", () => {
  it.each<[string, string, string, Record<string, string>, number, string, string[]]>([
    [
      "of another type",
      "text/plain",
      "x",
      {},
      415,
      "content_type_unsupported",
      ["header", "content-type"],
    ],
    ["of no type", "", "x", {}, 415, "content_type_unsupported", ["header", "content-type"]],
    [
      "of a type that is a trap",
      "constructor",
      "x",
      {},
      415,
      "content_type_unsupported",
      ["header", "content-type"],
    ],
    [
      "compressed otherwise",
      PROTOBUF,
      "x",
      { "content-encoding": "br" },
      415,
      "content_encoding_unsupported",
      ["header", "content-encoding"],
    ],
    ["that is not protobuf", PROTOBUF, "\xff\xff", {}, 400, "body_undecodable", ["body"]],
    ["that is not JSON", JSON_TYPE, "{", {}, 400, "body_undecodable", ["body"]],
    ["of empty JSON", JSON_TYPE, "", {}, 400, "body_undecodable", ["body"]],
    [
      "that is not gzip",
      PROTOBUF,
      "x",
      { "content-encoding": "gzip" },
      400,
      "body_undecodable",
      ["body"],
    ],
    ["that is too large", JSON_TYPE, "x".repeat(LIMIT + 1), {}, 413, "body_too_large", ["body"]],
    [
      "that turns out too large",
      JSON_TYPE,
      "x".repeat(LIMIT + 1),
      { "transfer-encoding": "chunked" },
      413,
      "body_too_large",
      ["body"],
    ],
  ])("%s", async (_, type, body, headers, status, errorType, loc) => {
    const response = await post(type, body, headers);
    expect(response.status).toBe(status);
    expect(response.headers["content-type"]).toBe(JSON_TYPE);
    expect(response.json.detail).toMatchObject([{ type: errorType, loc }]);
    if (status === 413) expect(response.json.detail[0].msg).toContain(String(LIMIT));
  });

  it.each([
    ["gzip", gzipSync],
    ["zstd", zstdCompressSync],
    ["deflate", deflateSync],
  ])("that unpacks to more than the limit: %s", async (compression, compress) => {
    const bomb = compress(Buffer.alloc(2 * LIMIT + 1));
    expect(bomb.length).toBeLessThan(LIMIT);
    const response = await post(PROTOBUF, bomb, { "content-encoding": compression });
    expect(response.status).toBe(413);
    expect(response.json.detail).toMatchObject([{ type: "decompressed_body_too_large" }]);
    expect(response.json.detail[0].msg).toContain(String(2 * LIMIT));
  });
});

it("forgets a body that is broken off, and logs it", async () => {
  const socket = connect(platform.server.port, "127.0.0.1");
  socket.write(
    `POST /v1/traces/?broken HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${PROTOBUF}\r\ncontent-length: 1000\r\n\r\nabc`,
  );
  // Once this is answered, the server has the beginning of the other.
  await platform.get("/health");
  socket.destroy();
  await expect
    .poll(async () => (await platform.logLines()).filter(({ aborted }) => aborted === true))
    .toMatchObject([{ method: "POST", path: "/v1/traces/" }]);
});

describe("pressure", () => {
  it("turns requests away while too much waits, and says when to come back", async () => {
    const narrow = await startTestPlatform({ maxWaitingBytes: 1 });
    const requests = Array.from({ length: 20 }, () =>
      narrow.send({
        method: "POST",
        path: "/v1/traces",
        headers: { "content-type": PROTOBUF },
        body: protobuf,
      }),
    );
    const responses = await Promise.all(requests);
    const busy = responses.filter(({ status }) => status === 429);
    const kept = responses.filter(({ status }) => status === 200);
    expect(busy.length).toBeGreaterThan(0);
    expect(kept.length).toBeGreaterThan(0);
    expect(busy.length + kept.length).toBe(20);
    for (const { json: body, headers } of busy) {
      expect(body.detail).toMatchObject([{ type: "ingest_busy" }]);
      expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    }
    await narrow.close();
  });

  it("refuses a request of more spans than the limit, and one of too many values", async () => {
    const small = await startTestPlatform({ decodeLimits: { spans: spans.length - 1 } });
    const send = (target: TestPlatform) =>
      target.send({
        method: "POST",
        path: "/v1/traces",
        headers: { "content-type": PROTOBUF },
        body: protobuf,
      });
    const many = await send(small);
    expect(many.status).toBe(413);
    expect(many.json.detail).toMatchObject([{ type: "too_many_spans", loc: ["body"] }]);
    expect((await small.get(`/observability/spans/${ids[0]}`)).status).toBe(404);
    await small.close();
    const plain = await startTestPlatform({ decodeLimits: { spans: spans.length, values: 5 } });
    const complex = await send(plain);
    expect(complex.status).toBe(413);
    expect(complex.json.detail).toMatchObject([{ type: "body_too_complex", loc: ["body"] }]);
    await plain.close();
  });

  it("answers 503 when spans can no longer be written, without saying why", async () => {
    const stopped = await startTestPlatform();
    await stopped.ingest.close();
    const response = await stopped.send({
      method: "POST",
      path: "/v1/traces",
      headers: { "content-type": PROTOBUF },
    });
    expect(response.status).toBe(503);
    expect(response.json.detail).toMatchObject([{ type: "store_unavailable" }]);
    expect(Number(response.headers["retry-after"])).toBeGreaterThan(0);
    expect(await stopped.logLines()).toContainEqual(
      expect.objectContaining({ reason: expect.stringMatching(/./) }),
    );
    await stopped.close();
  });
});

describe("damaged requests", () => {
  const CASES = 150;
  it.each([
    ["protobuf", (dice: Dice) => post(PROTOBUF, mutateBytes(dice, protobuf, json))],
    ["JSON bytes", (dice: Dice) => post(JSON_TYPE, mutateBytes(dice, json, protobuf))],
    [
      "JSON values",
      (dice: Dice) =>
        post(JSON_TYPE, JSON.stringify(mutateJson(dice, JSON.parse(Buffer.from(json).toString())))),
    ],
    [
      "gzip",
      (dice: Dice) =>
        post(PROTOBUF, mutateBytes(dice, gzipSync(protobuf), protobuf), {
          "content-encoding": "gzip",
        }),
    ],
    [
      "zstd",
      (dice: Dice) =>
        post(PROTOBUF, mutateBytes(dice, zstdCompressSync(protobuf), protobuf), {
          "content-encoding": "zstd",
        }),
    ],
  ])("are answered, never with 5xx: %s", async (_, send) => {
    for (let seed = 0; seed < CASES; seed++) {
      const { status } = await send(new Dice(seed));
      expect([200, 400, 413], `seed ${seed}`).toContain(status);
    }
  });

  it("leave only records that can be read", async () => {
    let cursor: string | null = "";
    let seen = 0;
    while (cursor !== null) {
      const rest: string = cursor === "" ? "" : `?cursor=${cursor}`;
      const page: TestResponse = await platform.get(`/observability/traces/${rest}`);
      expect(page.status).toBe(200);
      for (const { trace_id } of page.json.items) {
        expect((await platform.get(`/observability/traces/${trace_id}/`)).status).toBe(200);
        seen++;
      }
      cursor = page.json.next_cursor;
    }
    expect(seen).toBeGreaterThan(0);
  });
});

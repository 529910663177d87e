import { rename } from "node:fs/promises";
import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordSpans } from "../../ingest/otlp/testing/recorded-spans.fixture.ts";
import {
  type CallEnd,
  callOver,
  EXPORT_LOGS,
  framed,
  type GrpcPlatform,
  openHttp2,
  type RawCall,
  startGrpcPlatform,
} from "./grpc-platform.fixture.ts";

const LIMIT = 100_000;
const spans = recordSpans();
const request = Buffer.from(ProtobufTraceSerializer.serializeRequest(spans) as Uint8Array);
const ids = spans.map((span) => span.spanContext().spanId);
const OK = "0";
const INVALID_ARGUMENT = "3";

let grpc: GrpcPlatform;
beforeAll(async () => {
  grpc = await startGrpcPlatform({ maxBodyBytes: LIMIT, maxDecompressedBytes: 2 * LIMIT });
});
afterAll(() => grpc[Symbol.asyncDispose]());

async function call(given: RawCall, port = grpc.port): Promise<CallEnd> {
  using session = openHttp2(port);
  return await callOver(session, given);
}

/** How many of the recorded spans are kept; they are deleted. */
async function takeKept(): Promise<number> {
  let kept = 0;
  for (const id of ids) {
    if ((await grpc.platform.get(`/observability/spans/${id}`)).status === 200) kept += 1;
  }
  for (const { traceId } of spans.map((span) => span.spanContext())) {
    await grpc.platform.send({ method: "DELETE", path: `/observability/traces/${traceId}` });
  }
  return kept;
}

describe("an export is on disk when it is answered", () => {
  const gzip = { "grpc-encoding": "gzip" };
  it.each<[string, RawCall]>([
    ["as it is", { chunks: [framed(request)] }],
    ["with gzip", { chunks: [framed(gzipSync(request), 1)], headers: gzip }],
    [
      "with zstd",
      { chunks: [framed(zstdCompressSync(request), 1)], headers: { "grpc-encoding": "zstd" } },
    ],
    [
      "with deflate",
      { chunks: [framed(deflateSync(request), 1)], headers: { "grpc-encoding": "deflate" } },
    ],
    ["uncompressed in a call with gzip", { chunks: [framed(request)], headers: gzip }],
    [
      "of the type +proto",
      { headers: { "content-type": "application/grpc+proto" }, chunks: [framed(request)] },
    ],
    ["byte by byte", { chunks: [...framed(request)].map((byte) => Uint8Array.of(byte)) }],
  ])("%s", async (_, given) => {
    const end = await call(given);
    expect(end).toMatchObject({ http: 200, status: OK, message: "" });
    // No message of OTLP's response: everything was taken.
    expect(end.body).toEqual(framed(Buffer.alloc(0)));
    expect(await takeKept()).toBe(ids.length);
  });

  it("nothing at all", async () => {
    expect(await call({})).toMatchObject({ status: OK });
  });

  it("evaluation results, which are log records", async () => {
    expect(await call({ path: EXPORT_LOGS })).toMatchObject({ status: OK });
  });

  it("metrics, which are not stored, and are counted in the log", async () => {
    // resource_metrics, scope_metrics, metrics and gauge, each the first field that holds the next; two data points.
    const gauge = [0x2a, 4, 0x0a, 0, 0x0a, 0];
    const message = Buffer.from([0x0a, 10, 0x12, 8, 0x12, 6, ...gauge]);
    const path = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";
    const { status, body } = await call({ path, chunks: [framed(message)] });
    expect(status).toBe(OK);
    expect(body.toString()).toContain("2 data points rejected");
    expect(grpc.calls.at(-1)).toMatchObject({ notKept: 2 });
  });

  it("with how many spans were rejected, and why", async () => {
    const bad = Buffer.from(request);
    const id = Buffer.from(ids[0] as string, "hex");
    bad.fill(0, bad.indexOf(id), bad.indexOf(id) + id.length);
    const { status, body } = await call({ chunks: [framed(bad)] });
    expect(status).toBe(OK);
    expect(body.toString()).toMatch(/span_id|span id/i);
    expect(await takeKept()).toBe(ids.length - 1);
  });
});

describe("a message that cannot be used is refused, for good", () => {
  const gzip = { "grpc-encoding": "gzip" };
  const bomb = gzipSync(Buffer.alloc(2 * LIMIT + 1));
  it.each<[string, RawCall, string]>([
    ["none", { chunks: [] }, "ended before its message"],
    ["half of one", { chunks: [framed(request).subarray(0, 100)] }, "ended before its message"],
    ["two", { chunks: [framed(request), framed(request)] }, "A unary call has one message"],
    ["a wrong prefix", { chunks: [framed(request, 2)] }, "must begin with 0 or 1"],
    [
      "compressed, without saying how",
      { chunks: [framed(request, 1)] },
      "grpc-encoding is missing",
    ],
    ["no gzip", { chunks: [framed(request, 1)], headers: gzip }, "not valid gzip"],
    ["no protobuf", { chunks: [framed(Buffer.from("hello"))] }, ""],
    [
      "over the limit",
      { chunks: [framed(Buffer.alloc(LIMIT + 1)), null] },
      `larger than ${LIMIT} bytes`,
    ],
    [
      "over the limit when unpacked",
      { chunks: [framed(bomb, 1)], headers: gzip },
      `decompressed body is larger than ${2 * LIMIT}`,
    ],
    ["a wrong deadline", { headers: { "grpc-timeout": "soon" } }, "grpc-timeout: Must be"],
  ])("%s", async (_, given, message) => {
    const end = await call(given);
    expect(end).toMatchObject({ http: 200, status: INVALID_ARGUMENT, details: undefined });
    expect(end.message).toContain(message);
    expect(await takeKept()).toBe(0);
  });

  it("and one of just the limit is not", async () => {
    // A field that no one knows, of just as many bytes as are allowed.
    const padding = LIMIT - request.length - 4;
    const unknown = Buffer.concat([
      Buffer.from([0x7a, (padding & 0x7f) | 0x80, ((padding >> 7) & 0x7f) | 0x80, padding >> 14]),
      Buffer.alloc(padding),
    ]);
    const exact = Buffer.concat([request, unknown]);
    expect(exact.length).toBe(LIMIT);
    expect(await call({ chunks: [framed(exact)] })).toMatchObject({ status: OK });
    const packed = gzipSync(Buffer.concat([request, Buffer.alloc(0)]));
    expect(await call({ chunks: [framed(packed, 1)], headers: gzip })).toMatchObject({
      status: OK,
    });
    expect(await takeKept()).toBe(ids.length);
  });
});

describe("calls that are none of OTLP's", () => {
  it.each([
    ["another method", { path: "/opentelemetry.proto.collector.trace.v1.TraceService/Import" }],
    ["another service", { path: "/a.B/C" }],
    ["another compression", { headers: { "grpc-encoding": "snappy" } }],
  ])("%s is UNIMPLEMENTED", async (_, given) => {
    expect(await call(given)).toMatchObject({ http: 200, status: "12" });
  });

  it("are no gRPC", async () => {
    expect(await call({ headers: { "content-type": "application/json" } })).toMatchObject({
      http: 415,
    });
    expect(await call({ headers: { ":method": "GET" }, chunks: [] })).toMatchObject({ http: 405 });
  });

  it("ask for the health, without a key", async () => {
    await using guarded = await startGrpcPlatform({ policy: "keys" });
    const { status, body } = await call({ path: "/grpc.health.v1.Health/Check" }, guarded.port);
    expect({ status, body }).toEqual({ status: OK, body: framed(Uint8Array.of(8, 1)) });
  });

  it("are told NOT_SERVING while GET /health/ready answers 503", async () => {
    const NOT_SERVING = framed(Uint8Array.of(8, 2));
    await using own = await startGrpcPlatform();
    const { platform, port } = own;
    const health = async () => {
      const { status, body } = await call({ path: "/grpc.health.v1.Health/Check" }, port);
      expect(status).toBe(OK);
      return { http: (await platform.get("/health/ready")).status, body };
    };
    const ready = { http: 200, body: framed(Uint8Array.of(8, 1)) };
    expect(await health()).toEqual(ready);
    // From here on all threads have their files open.
    expect(await call({ chunks: [framed(request)] }, port)).toMatchObject({ status: OK });
    await platform.store.searchCaughtUp();
    // The probe of the disk writes a file there.
    const elsewhere = `${platform.dataDirectory}-moved`;
    await rename(platform.dataDirectory, elsewhere);
    expect(await health()).toEqual({ http: 503, body: NOT_SERVING });
    await rename(elsewhere, platform.dataDirectory);
    expect(await health()).toEqual(ready);
    // The server drains: builds end, while their last spans are still taken.
    await platform.deployer.close();
    expect(await health()).toEqual({ http: 503, body: NOT_SERVING });
    expect(await call({ chunks: [framed(request)] }, port)).toMatchObject({ status: OK });
  });
});

describe("access is that of HTTP", () => {
  it("by keys in the metadata, in every form that HTTP takes", async () => {
    await using guarded = await startGrpcPlatform({ policy: "keys" });
    const { keys } = guarded.platform.access;
    const make = async (scope: "ingest" | "read") =>
      (await keys.create("default", { name: scope, scopes: [scope], environments: null })).key;
    const [ingest, read] = [await make("ingest"), await make("read")];
    const statusWith = async (headers: Record<string, string>) =>
      (await call({ headers }, guarded.port)).status;
    expect(await statusWith({})).toBe("16");
    expect(await statusWith({ authorization: "Bearer nonsense" })).toBe("16");
    expect(await statusWith({ authorization: `Bearer ${read}` })).toBe("7");
    expect(await statusWith({ authorization: `Bearer ${ingest}` })).toBe(OK);
    expect(await statusWith({ "x-api-key": ingest })).toBe(OK);
    expect(await statusWith({ authorization: `Bearer ${ingest}`, "agate-project": "other" })).toBe(
      "5",
    );
    // The page's cookie is no credential here.
    expect(await statusWith({ cookie: "agate_session=abc" })).toBe("16");
    expect(guarded.calls.map(({ status }) => status)).toEqual([401, 401, 403, 200, 200, 404, 401]);
    expect(guarded.calls[3]).toMatchObject({
      method: "POST",
      address: "127.0.0.1",
      caller: { name: "ingest" },
    });
  });

  it("refuses another host's name on this machine's own address", async () => {
    expect(await call({ headers: { ":authority": "evil.example:4317" } })).toMatchObject({
      status: "7",
    });
    expect(await call({ headers: { ":authority": "localhost:4317" } })).toMatchObject({
      status: OK,
    });
  });

  it("takes the credentials of another product where none are needed", async () => {
    expect(await call({ headers: { authorization: "Bearer undefined" } })).toMatchObject({
      status: OK,
    });
  });
});

describe("what may succeed later says so", () => {
  /** `google.rpc.Status`, and in it a `RetryInfo` of one second. */
  const RETRY_INFO = Buffer.from([...Buffer.from("RetryInfo"), 0x12, 4, 0x0a, 2, 8, 1]);

  it("RESOURCE_EXHAUSTED with RetryInfo while too much waits, and for a key's rate", async () => {
    await using small = await startGrpcPlatform({
      maxWaitingBytes: 1,
      policy: "keys",
      rateLimit: 1,
    });
    const { keys } = small.platform.access;
    const { key } = await keys.create("default", {
      name: "a",
      scopes: ["ingest"],
      environments: null,
    });
    const headers = { authorization: `Bearer ${key}` };
    using session = openHttp2(small.port);
    // Waits for its message, and takes the room that there is.
    const waiting = callOver(session, { headers, chunks: [framed(request).subarray(0, 50), null] });
    const refused = await callOver(session, { headers });
    expect(refused).toMatchObject({
      status: "8",
      message: expect.stringContaining("Too many requests wait"),
    });
    expect(Buffer.from(String(refused.details), "base64").indexOf(RETRY_INFO)).toBeGreaterThan(0);
    const limited = await callOver(session, { headers });
    expect(limited).toMatchObject({
      status: "8",
      message: expect.stringContaining("more often than its limit"),
    });
    expect(limited.details).toBeDefined();
    session.destroy();
    await waiting;
  });

  it("UNAVAILABLE while the store cannot write", async () => {
    await using stopped = await startGrpcPlatform();
    await stopped.platform.ingest.close();
    const end = await call({}, stopped.port);
    expect(end).toMatchObject({ status: "14", details: expect.any(String) });
    expect(stopped.calls).toMatchObject([{ status: 503 }]);
  });

  it("DEADLINE_EXCEEDED when the client's deadline has passed", async () => {
    const chunks = [framed(request).subarray(0, 50), null];
    const end = await call({ chunks, headers: { "grpc-timeout": "20m" } });
    expect(end).toMatchObject({ status: "4" });
    expect(await call({ headers: { "grpc-timeout": "99999999H" } })).toMatchObject({ status: OK });
  });
});

it("answers any bytes with a status", async () => {
  using session = openHttp2(grpc.port);
  const message = fc.oneof(
    fc.uint8Array({ maxLength: 64 }),
    fc.nat(request.length).map((n) => request.subarray(0, n)),
  );
  const bytes = fc.tuple(message, fc.constantFrom(0, 1), fc.boolean());
  await fc.assert(
    fc.asyncProperty(
      bytes,
      fc.constantFrom("gzip", "zstd", "identity"),
      async ([given, flag, isRaw], encoding) => {
        const chunks = [isRaw ? given : framed(given, flag)];
        const { http, status } = await callOver(session, {
          chunks,
          headers: { "grpc-encoding": encoding },
        });
        expect(http).toBe(200);
        expect([OK, INVALID_ARGUMENT]).toContain(status);
      },
    ),
    { numRuns: 40 },
  );
  await takeKept();
});

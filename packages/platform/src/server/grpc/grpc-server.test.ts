import { once } from "node:events";
import { constants } from "node:http2";
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordSpans } from "../../ingest/otlp/testing/recorded-spans.fixture.ts";
import type { TestPlatform } from "../testing/test-platform.fixture.ts";
import { startTestPlatform } from "../testing/test-platform.fixture.ts";
import {
  callOver,
  framed,
  listenForGrpc,
  openHttp2,
  openSocket,
  sendBytes,
  startGrpcPlatform,
} from "./grpc-platform.fixture.ts";
import { type GrpcServerOptions, startGrpcServer } from "./grpc-server.ts";

const request = Buffer.from(ProtobufTraceSerializer.serializeRequest(recordSpans()) as Uint8Array);
const OK = { http: 200, status: "0" };
const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/** A connection that never sends a frame has these settings. */
const EMPTY_SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
const GOAWAY = 7;

/** Frames that a server has sent: type and payload. */
function framesIn(bytes: Buffer): { type: number; payload: Buffer }[] {
  const frames = [];
  for (let at = 0; at + 9 <= bytes.length; ) {
    const length = bytes.readUIntBE(at, 3);
    frames.push({
      type: bytes.readUInt8(at + 3),
      payload: bytes.subarray(at + 9, at + 9 + length),
    });
    at += 9 + length;
  }
  return frames;
}

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

const listen = (options: Partial<GrpcServerOptions> = {}) => listenForGrpc(platform, options);

describe("listening", () => {
  it("names why it cannot, and the option that chooses another port", async () => {
    await using grpc = await listen();
    const options = {
      handle: () => Promise.reject(new Error("not called")),
      requests: { record: () => {}, flush: () => {} },
      onError: () => {},
      maxConnections: 1,
      httpUrl: "",
      onTls: () => {},
    };
    const inUse = await startGrpcServer({ ...options, host: "127.0.0.1", port: grpc.port });
    expect(inUse).toEqual({
      kind: "refused",
      reason: `Port ${grpc.port} on 127.0.0.1 is in use by another program. Stop it, or choose another port with --otlp-grpc.`,
    });
    const elsewhere = await startGrpcServer({ ...options, host: "203.0.113.7", port: 0 });
    expect(elsewhere).toMatchObject({ reason: expect.stringContaining("with --otlp-grpc, such") });
  });

  it("closes connections beyond the limit, and takes others when these are gone", async () => {
    await using grpc = await listen({ maxConnections: 2 });
    const first = openHttp2(grpc.port);
    using second = openHttp2(grpc.port);
    expect(await callOver(first, {})).toMatchObject(OK);
    expect(await callOver(second, {})).toMatchObject(OK);
    using third = openHttp2(grpc.port);
    expect((await callOver(third, {})).status).toBeUndefined();
    first.destroy();
    await expect.poll(() => grpc.connections()).toBe(1);
    using fourth = openHttp2(grpc.port);
    expect(await callOver(fourth, {})).toMatchObject(OK);
  });
});

describe("what a connection begins with", () => {
  it("may come byte by byte", async () => {
    await using grpc = await listen();
    const socket = await openSocket(grpc.port);
    socket.setNoDelay(true);
    for (const byte of Buffer.concat([Buffer.from(PREFACE), EMPTY_SETTINGS])) {
      socket.write(Uint8Array.of(byte));
      await new Promise(setImmediate);
    }
    const [settings] = (await once(socket, "data")) as [Buffer];
    expect(framesIn(settings)[0]?.type).toBe(4);
    socket.destroy();
  });

  it("is refused with a sentence if it is HTTP/1.1, and names the address of HTTP", async () => {
    await using grpc = await listen();
    const post = "POST /v1/traces HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\n\r\nhello";
    for (const text of [post, "GET / HTTP/1.0\r\n\r\n", "PRI * HTTP/1.1\r\n\r\n", "\0\0\0"]) {
      const answer = (await sendBytes(grpc.port, text)).toString();
      expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(answer).toContain(`HTTP/1.1 is served at ${grpc.platform.server.url}.`);
    }
  });

  it("is reported if it is TLS, which cannot be answered", async () => {
    let reported = 0;
    await using grpc = await listen({ onTls: () => (reported += 1) });
    expect(await sendBytes(grpc.port, Buffer.from([0x16, 3, 1, 2, 0, 1]))).toHaveLength(0);
    expect(reported).toBe(1);
  });

  it("must come in time", async () => {
    await using grpc = await listen({ timeouts: { preface: 30 } });
    expect(await sendBytes(grpc.port, "")).toHaveLength(0);
    expect(await sendBytes(grpc.port, PREFACE.slice(0, 10))).toHaveLength(0);
  });

  it.each([
    ["frames that are none", Buffer.alloc(200, 0xff)],
    ["a frame over the allowed size", Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1])],
    [
      "data for a call that was never begun",
      Buffer.concat([EMPTY_SETTINGS, Buffer.from([0, 0, 1, 0, 0, 0, 0, 0, 1, 7])]),
    ],
    [
      "headers that are no HPACK",
      Buffer.concat([EMPTY_SETTINGS, Buffer.from([0, 0, 4, 1, 5, 0, 0, 0, 1, 255, 255, 255, 255])]),
    ],
  ])("may be followed by %s: that connection ends, and no other", async (_, bytes) => {
    await using grpc = await listen();
    using other = openHttp2(grpc.port);
    expect(await callOver(other, {})).toMatchObject(OK);
    const answer = await sendBytes(grpc.port, Buffer.concat([Buffer.from(PREFACE), bytes]));
    expect(framesIn(answer).map(({ type }) => type)).toContain(GOAWAY);
    expect(await callOver(other, {})).toMatchObject(OK);
    await expect.poll(() => grpc.connections()).toBe(1);
  });
});

describe("a client that takes too much", () => {
  it("opens as many calls at a time as it may, and further ones later", async () => {
    await using grpc = await listen();
    using session = openHttp2(grpc.port);
    await once(session, "remoteSettings");
    expect(session.remoteSettings.maxConcurrentStreams).toBe(100);
    const calls = Array.from({ length: 1_000 }, () => callOver(session, {}));
    for (const end of await Promise.all(calls)) expect(end).toMatchObject(OK);
  });

  it("opens calls without a message: they are refused when their room is used up", async () => {
    // Of 16 KiB for each call.
    await using grpc = await startGrpcPlatform({ maxWaitingBytes: 10 * 16 * 1024 });
    using session = openHttp2(grpc.port);
    const silent = Array.from({ length: 10 }, () => callOver(session, { chunks: [null] }));
    const refused = await callOver(session, { chunks: [null] });
    expect(refused).toMatchObject({ status: "8", details: expect.any(String) });
    session.destroy();
    await Promise.all(silent);
    // They are gone with their connection, and so is what they took.
    using next = openHttp2(grpc.port);
    await expect.poll(async () => (await callOver(next, {})).status).toBe("0");
  });

  it("resets calls as fast as it can: its connection ends, and no other", async () => {
    await using grpc = await listen();
    using other = openHttp2(grpc.port);
    using session = openHttp2(grpc.port);
    await once(session, "connect");
    // Not by `once`, which an error of the connection would reject.
    const closed = new Promise<void>((resolve) => session.once("close", () => resolve()));
    const reset = () => {
      for (let n = 0; n < 50 && !session.destroyed; n += 1) {
        const stream = session.request({ ":method": "POST", ":path": "/a.B/C" });
        stream.on("error", () => {});
        stream.close(constants.NGHTTP2_CANCEL);
      }
      if (!session.destroyed) setImmediate(reset);
    };
    reset();
    await closed;
    expect(await callOver(other, { chunks: [framed(request)] })).toMatchObject(OK);
  });

  it("pings without end: its connection ends after a hundred", async () => {
    await using grpc = await listen();
    const ping = Buffer.from([0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
    const begin = Buffer.concat([Buffer.from(PREFACE), EMPTY_SETTINGS]);
    const kept = await openSocket(grpc.port);
    kept.write(Buffer.concat([begin, ...Array.from({ length: 100 }, () => ping)]));
    const answer = await sendBytes(
      grpc.port,
      Buffer.concat([begin, ...Array.from({ length: 101 }, () => ping)]),
    );
    const goaway = framesIn(answer).find(({ type }) => type === GOAWAY);
    expect(goaway?.payload.toString("latin1")).toContain("too_many_pings");
    expect(grpc.connections()).toBe(1);
    kept.destroy();
  });

  it("sends slowly: the call ends after its time, with what it took", async () => {
    await using grpc = await listen({ timeouts: { call: 30 } });
    using session = openHttp2(grpc.port);
    const end = await callOver(session, { chunks: [framed(request).subarray(0, 99), null] });
    expect(end).toMatchObject({ status: "4" });
    expect(grpc.calls).toMatchObject([{ status: 408 }]);
  });

  it("says nothing more: its connection is closed, also if it never closes its side", async () => {
    await using grpc = await listen({ timeouts: { idle: 50, linger: 50 } });
    const socket = await openSocket(grpc.port);
    const received: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => received.push(chunk));
    socket.allowHalfOpen = true;
    socket.write(Buffer.concat([Buffer.from(PREFACE), EMPTY_SETTINGS]));
    await once(socket, "end");
    expect(framesIn(Buffer.concat(received)).at(-1)?.type).toBe(GOAWAY);
    await expect.poll(() => grpc.connections()).toBe(0);
    socket.destroy();
  });
});

describe("a client that goes", () => {
  it("in the middle of a message leaves nothing behind", async () => {
    await using grpc = await startGrpcPlatform({ maxWaitingBytes: 20_000 });
    for (let n = 0; n < 5; n += 1) {
      const session = openHttp2(grpc.port);
      const broken = callOver(session, { chunks: [framed(request).subarray(0, 99), null] });
      await once(session, "connect");
      await new Promise(setImmediate);
      session.destroy();
      await broken;
    }
    using next = openHttp2(grpc.port);
    await expect.poll(async () => (await callOver(next, {})).status).toBe("0");
    await expect.poll(() => grpc.connections()).toBe(1);
  });
});

describe("closing", () => {
  it("finishes the calls under way, takes no new ones, and tells clients to go", async () => {
    await using grpc = await listen();
    using session = openHttp2(grpc.port);
    using idle = openHttp2(grpc.port);
    expect(await callOver(idle, {})).toMatchObject(OK);
    const silent = await openSocket(grpc.port);
    const stream = session.request({
      ":method": "POST",
      ":path": "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
      "content-type": "application/grpc",
    });
    const bytes = framed(request);
    stream.write(bytes.subarray(0, 50));
    // Answered in order: the call has arrived when the ping has.
    await new Promise((resolve) => session.ping(resolve));
    expect(grpc.connections()).toBe(3);
    const told = once(session, "goaway");
    const closed = grpc.stop();
    await told;
    const trailers = once(stream, "trailers");
    stream.resume();
    stream.end(bytes.subarray(50));
    expect((await trailers)[0]).toMatchObject({ "grpc-status": "0" });
    expect(await closed).toBe(0);
    await expect.poll(() => grpc.connections()).toBe(0);
    silent.destroy();
  });

  it("breaks off what is left after the grace period", async () => {
    await using grpc = await listen();
    using session = openHttp2(grpc.port);
    const open = callOver(session, { chunks: [framed(request).subarray(0, 50), null] });
    await expect.poll(() => grpc.connections()).toBe(1);
    expect(await grpc.stop(20)).toBe(1);
    expect((await open).status).toBeUndefined();
  });
});

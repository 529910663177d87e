import { once } from "node:events";
import { connect as connectHttp2, constants } from "node:http2";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../stores/contract/stored-span.fixture.ts";
import { ERROR_TYPES } from "./errors/error-types.ts";
import { connectionsWithin, descriptorLimit, startHttpServer } from "./http-server.ts";
import { createRequestLog } from "./log/request-log.ts";
import { sendRequest } from "./testing/send-request.fixture.ts";
import type { TestPlatform } from "./testing/test-platform.fixture.ts";
import { startTestPlatform } from "./testing/test-platform.fixture.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.close());

const requests = createRequestLog(100, () => {});
const END_OF_CHUNKS = "\r\n0\r\n\r\n";

async function open(port: number, text: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(text);
  return socket;
}

/** Reads until the connection ends or is reset. */
async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.on("error", () => {});
  socket.resume();
  await once(socket, "close");
  return Buffer.concat(chunks).toString();
}

/** Reads up to the end of the first answer's headers. */
async function readHead(socket: Socket): Promise<string> {
  let text = "";
  while (!text.includes("\r\n\r\n")) {
    const [chunk] = (await once(socket, "data")) as [Buffer];
    text += chunk.toString();
  }
  return text;
}

describe("listening", () => {
  it("says where it can be reached", () => {
    expect(platform.server.url).toBe(`http://127.0.0.1:${platform.server.port}`);
  });

  it("names why it cannot", async () => {
    const { app, server } = platform;
    const refused = (reason: string) => ({
      kind: "refused",
      reason: expect.stringContaining(reason),
    });
    const inUse = await startHttpServer({ app, host: "127.0.0.1", port: server.port, requests });
    expect(inUse).toEqual(refused(`Port ${server.port} on 127.0.0.1 is in use`));
    const elsewhere = await startHttpServer({ app, host: "203.0.113.7", port: 0, requests });
    expect(elsewhere).toEqual(refused("This machine has no address 203.0.113.7."));
    const nowhere = await startHttpServer({ app, host: "no.such.host.invalid", port: 0, requests });
    expect(nowhere).toEqual(refused("This machine has no address no.such.host.invalid."));
  });
});

describe("what is not a request", () => {
  const host = "host: localhost\r\n";
  it.each([
    ["no HTTP at all", "HELLO\r\n\r\n", "request_malformed"],
    ["a bad header", `GET / HTTP/1.1\r\n${host}a b: c\r\n\r\n`, "request_malformed"],
    ["no host", "GET /health HTTP/1.1\r\n\r\n", "request_malformed"],
    ["no host for a trace", "GET /observability/traces/a HTTP/1.1\r\n\r\n", "request_malformed"],
    ["a bad host", "GET /health HTTP/1.1\r\nhost: a b\r\n\r\n", "request_malformed"],
    ["a backslash", `GET /a\\b HTTP/1.1\r\n${host}\r\n`, "request_malformed"],
    [
      "huge headers",
      `GET / HTTP/1.1\r\n${host}x: ${"y".repeat(66_000)}\r\n\r\n`,
      "headers_too_large",
    ],
    ["an expectation", `GET / HTTP/1.1\r\n${host}expect: wonders\r\n\r\n`, "expectation_failed"],
  ] as const)("%s is answered with the usual body", async (_, text, type) => {
    const socket = await open(
      platform.server.port,
      text.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n"),
    );
    const answer = await readAll(socket);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${ERROR_TYPES[type].status} `));
    expect(answer.toLowerCase()).toContain("agate-version:");
    const body = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4));
    expect(body.detail).toMatchObject([{ type }]);
  });
});

it("ends a connection that begins with HTTP/2 by a GOAWAY with the reason", async () => {
  const { app } = platform;
  const onHttp2 = () => "gRPC is elsewhere.";
  const outcome = await startHttpServer({ app, host: "127.0.0.1", port: 0, requests, onHttp2 });
  if (outcome.kind !== "listening") throw new Error(outcome.reason);
  const socket = await open(outcome.server.port, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  const client = connectHttp2(outcome.server.url);
  client.on("error", () => {});
  const [code, , reason] = await once(client, "goaway");
  expect(code).toBe(constants.NGHTTP2_HTTP_1_1_REQUIRED);
  expect(reason.toString()).toBe("gRPC is elsewhere.");
  expect(await readAll(socket)).toContain("gRPC is elsewhere.");
  client.destroy();
  await outcome.server.close();
});

describe("the log", () => {
  it("has a line a request, without what the query says", async () => {
    await platform.get("/observability/traces/?q=secret&limit=0");
    await platform.get('/no%22thing"here');
    const lines = (await platform.logLines()).filter(({ msg }) => msg === "request");
    expect(lines).toContainEqual({
      level: 30,
      time: expect.any(Number),
      method: "GET",
      path: "/observability/traces/",
      status: 422,
      ms: expect.any(Number),
      address: "127.0.0.1",
      msg: "request",
    });
    expect(lines).toContainEqual(
      expect.objectContaining({ path: '/no%22thing"here', status: 404 }),
    );
    expect(JSON.stringify(lines)).not.toContain("secret");
  });

  it("names the key and the address of the connection, not what headers claim", async () => {
    const { key, id } = await platform.access.keys.create("default", {
      name: "nightly",
      scopes: ["read"],
    });
    const forwarded = { "x-forwarded-for": "203.0.113.9" };
    const headers = { ...forwarded, authorization: `Bearer ${key}` };
    const by = { key: id, key_name: "nightly", address: "127.0.0.1" };
    // The shortest way, the way of all others, a call of a workflow, and one without the scope.
    const paths = [
      `/observability/traces/${traceIdOf(7)}/`,
      "/observability/analytics/",
      "/services/nothing/run/here",
      "/registry/keys",
    ];
    for (const path of paths) await sendRequest(platform.server.port, { path, headers });
    await platform.send({ path: "/health", headers });
    const lines = (await platform.logLines()).filter(({ msg }) => msg === "request");
    for (const path of paths.slice(0, 2)) {
      expect(lines).toContainEqual(expect.objectContaining({ path, ...by }));
    }
    expect(lines).toContainEqual(expect.objectContaining({ path: "/registry/keys", ...by }));
    expect(JSON.stringify(lines)).not.toContain(key.slice(-32));
    expect(JSON.stringify(lines)).not.toContain("203.0.113.9");
  });
});

describe("closing", () => {
  const ID = traceIdOf(9);

  /** A platform with a trace too large for the buffers between server and client. */
  async function withLargeTrace(): Promise<TestPlatform> {
    const other = await startTestPlatform();
    const text = "x".repeat(100_000);
    for (let n = 1; n <= 300; n += 100) {
      const spans = Array.from({ length: 100 }, (_, m) =>
        storedSpan({ traceId: ID, id: spanIdOf(n + m), start: n + m, inputs: text }),
      );
      await other.append(spans);
    }
    return other;
  }

  it("finishes the answers under way and closes idle connections", async () => {
    const other = await withLargeTrace();
    const { port } = other.server;
    const idle = await open(port, "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n");
    expect(await readHead(idle)).toContain("200 OK");
    const slow = await open(
      port,
      `GET /observability/traces/${ID} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
    );
    let text = await readHead(slow);
    slow.pause();
    const closed = other.server.close();
    await once(idle, "close");
    const late = connect(port, "127.0.0.1");
    const [refusal] = (await once(late, "error")) as [NodeJS.ErrnoException];
    expect(refusal.code).toBe("ECONNREFUSED");
    text += await readAll(slow);
    expect(text.endsWith(END_OF_CHUNKS)).toBe(true);
    expect(text.split('"id":"')).toHaveLength(301);
    expect(await closed).toBe(0);
    await other.close().catch(() => {});
  });

  it("breaks off what does not end in time", async () => {
    const other = await withLargeTrace();
    const stuck = await open(
      other.server.port,
      `GET /observability/traces/${ID} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
    );
    await readHead(stuck);
    stuck.pause();
    stuck.on("error", () => {});
    expect(await other.server.close(1)).toBe(1);
    await other.close().catch(() => {});
  });
});

describe("an answer that cannot be finished", () => {
  it("is broken off, so that half of it never looks whole", async () => {
    const id = traceIdOf(10);
    const text = "x".repeat(120_000);
    for (let n = 1; n <= 600; n += 100) {
      await platform.append(
        Array.from({ length: 100 }, (_, m) =>
          storedSpan({ traceId: id, id: spanIdOf(5000 + n + m), start: n + m, inputs: text }),
        ),
      );
    }
    const socket = await open(
      platform.server.port,
      `GET /observability/traces/${id} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
    );
    let received = await readHead(socket);
    socket.pause();
    const path = `/observability/traces/${id}`;
    expect((await platform.send({ method: "DELETE", path })).status).toBe(204);
    received += await readAll(socket);
    expect(received.slice(0, 500).toLowerCase()).toContain("transfer-encoding: chunked");
    expect(received.length).toBeGreaterThan(1_000_000);
    expect(received.endsWith(END_OF_CHUNKS)).toBe(false);
    expect(await platform.logLines()).toContainEqual(
      expect.objectContaining({ path, aborted: true, status: 200 }),
    );
  });
});

describe("connections", () => {
  it("destroys the socket of a slow request after its 408, though the client stays", async () => {
    const outcome = await startHttpServer({
      app: platform.app,
      host: "127.0.0.1",
      port: 0,
      requests,
      timeouts: { headers: 50, request: 100, check: 20 },
    });
    if (outcome.kind !== "listening") throw new Error(outcome.kind);
    const { port } = outcome.server;
    // Each stays open on its own side after the answer.
    const sockets = [
      "GET /health HTTP/1.1\r\nhost: x",
      "POST /v1/traces HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{",
    ].map((text) => {
      const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      socket.write(text);
      return { socket, head: readHead(socket) };
    });
    for (const { head } of sockets) expect(await head).toMatch(/^HTTP\/1\.1 408 /);
    // Writing to a socket that the server has destroyed is answered with a reset.
    for (const { socket } of sockets) {
      socket.on("error", () => {});
      const gone = new Promise((resolve) => socket.once("close", resolve));
      const writing = setInterval(() => socket.write("x"), 50);
      await gone;
      clearInterval(writing);
    }
    await outcome.server.close();
  });

  it("closes connections beyond the limit at once, and takes new ones when others end", async () => {
    const outcome = await startHttpServer({
      app: platform.app,
      host: "127.0.0.1",
      port: 0,
      requests,
      maxConnections: 2,
    });
    if (outcome.kind !== "listening") throw new Error(outcome.kind);
    const { port } = outcome.server;
    const health = "GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";
    const [first, second] = [await open(port, health), await open(port, health)];
    expect(await readHead(first)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await readHead(second)).toMatch(/^HTTP\/1\.1 200 /);
    const third = connect(port, "127.0.0.1");
    expect(await readAll(third)).toBe("");
    // Kept alive, and still served.
    first.write(health);
    expect(await readHead(first)).toMatch(/^HTTP\/1\.1 200 /);
    second.destroy();
    await expect
      .poll(async () => {
        const socket = connect(port, "127.0.0.1");
        socket.on("error", () => {});
        socket.write(health.replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n"));
        return readAll(socket);
      })
      .toMatch(/^HTTP\/1\.1 200 /);
    first.destroy();
    await outcome.server.close();
  });
});

it.each([
  [Number.POSITIVE_INFINITY, 10_000, 10_000],
  [1_048_576, 10_000, 10_000],
  [20_128, 10_000, 10_000],
  [20_126, 10_000, 9_999],
  [1_024, 10_000, 448],
  [162, 10_000, 17],
  [160, 10_000, 16],
  [64, 10_000, 16],
  [64, 5, 5],
])("leaves of %d descriptors, when %d connections are wanted, %d", (descriptors, wanted, limit) => {
  expect(connectionsWithin(descriptors, wanted)).toBe(limit);
});

it("knows the limit of this process", () => {
  expect(descriptorLimit()).toBeGreaterThan(16);
});

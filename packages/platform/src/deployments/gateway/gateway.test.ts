import { once } from "node:events";
import { request, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { Worker } from "node:worker_threads";
import { expect, it, onTestFinished, vi } from "vitest";
import type { Service } from "../services.ts";
import { serveGateway } from "./testing/gateway-server.fixture.ts";
import { sendRequest } from "./testing/send-request.fixture.ts";
import { serveBytes, serveHttp } from "./testing/socket-service.fixture.ts";

const WAITS = { timeout: 60_000, interval: 5 };

/** Writes bytes to a server and gives what came back until it closed. */
async function exchangeBytes(port: number, bytes: string): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.write(bytes, "latin1");
  return text(socket.setEncoding("latin1"));
}

it("passes on who calls and what was asked, but no keys, claims of evaluations or headers of a connection", async () => {
  const service = await serveHttp((incoming, outgoing) => {
    outgoing.end(JSON.stringify({ url: incoming.url, rawHeaders: incoming.rawHeaders }));
  });
  const { port } = await serveGateway(service);
  const answer = await exchangeBytes(
    port,
    [
      "GET /run/a%20b?x=%2F&x=2 HTTP/1.1",
      "Host: agate.example:4100",
      "Authorization: Bearer key",
      "Cookie: session=1",
      "Agate-Run: %7B%22run%22%3A%22mine%22%2C%22case%22%3A%22one%22%2C%22trial%22%3A0%7D",
      "Proxy-Authorization: Basic x",
      "Connection: close, X-Mine",
      "X-Mine: 1",
      "TE: trailers",
      "Upgrade: h2c",
      "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "tracestate: a=b",
      "baggage: c=d",
      "X-Two: 1",
      "x-two: 2",
      "X-Latin: \xe9",
      "X-Forwarded-For: 203.0.113.7",
      "X-Forwarded-Proto: https",
      "\r\n",
    ].join("\r\n"),
  );
  const seen = JSON.parse(answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1));
  expect(seen).toEqual({
    url: "/run/a%20b?x=%2F&x=2",
    rawHeaders: [
      ["Host", "agate.example:4100"],
      ["traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"],
      ["tracestate", "a=b"],
      ["baggage", "c=d"],
      ["X-Two", "1"],
      ["x-two", "2"],
      ["X-Latin", "Ã©"],
      ["X-Forwarded-Proto", "https"],
      ["x-forwarded-for", "203.0.113.7, 127.0.0.1"],
      ["x-forwarded-host", "agate.example:4100"],
    ].flat(),
  });
});

it("keeps the service's cookies and the headers of its connection to itself", async () => {
  const service = await serveHttp((_, outgoing) => {
    outgoing.writeHead(
      200,
      "Very Good",
      [
        ["Set-Cookie", "session=2"],
        ["Connection", "keep-alive, X-Mine"],
        ["X-Mine", "1"],
        ["X-Two", "1"],
        ["X-Two", "2"],
      ].flat(),
    );
    outgoing.end("ok");
  });
  const { port } = await serveGateway(service);
  const { phrase, rawHeaders, headers } = await sendRequest({ options: { port } });
  expect(phrase).toBe("Very Good");
  expect(rawHeaders.join().match(/X-Two,\d/g)).toEqual(["X-Two,1", "X-Two,2"]);
  expect(headers).not.toHaveProperty("set-cookie");
  expect(headers).not.toHaveProperty("x-mine");
});

it.each([
  ["HEAD", 200, { "content-length": "5" }],
  ["GET", 204, {}],
  ["GET", 304, { etag: '"a"' }],
] as const)(
  "answers %s with %d and no body, connection after connection",
  async (method, status, headers) => {
    const service = await serveHttp((_, outgoing) => outgoing.writeHead(status, headers).end());
    const { port } = await serveGateway(service);
    for (let n = 0; n < 3; n++) {
      const answer = await sendRequest({ options: { port, method } });
      expect(answer).toMatchObject({ status, headers });
      expect(answer.body).toHaveLength(0);
    }
    expect(service.connections.size).toBe(1);
    expect(service.leases).toBe(0);
  },
);

it("passes early hints and trailers on, both ways", async () => {
  const service = await serveHttp(async (incoming, outgoing) => {
    outgoing.writeEarlyHints({ link: "</style.css>; rel=preload" });
    const body = await text(incoming);
    outgoing.writeHead(200, { trailer: "x-sum" });
    outgoing.write(`${body} ${JSON.stringify(incoming.trailers)}`);
    outgoing.addTrailers({ "x-sum": "42" });
    outgoing.end();
  });
  const { port } = await serveGateway(service);
  const answer = await sendRequest({
    options: { port, method: "POST", headers: { trailer: "x-count" } },
    body: [Buffer.from("one "), Buffer.from("two")],
    trailers: [["x-count", "2"]],
  });
  expect(answer.body.toString()).toBe('one two {"x-count":"2"}');
  expect(answer.rawTrailers).toEqual(["x-sum", "42"]);
  expect(answer.information).toEqual([103]);
});

it("lets a client that waits for it go on, and tells the service nothing of that", async () => {
  const service = await serveHttp(async (incoming, outgoing) => {
    outgoing.end(`${incoming.headers.expect} ${await text(incoming)}`);
  });
  const { port } = await serveGateway(service);
  const sending = request({
    port,
    method: "POST",
    headers: { expect: "100-continue", "content-length": 4 },
  });
  sending.flushHeaders();
  await once(sending, "continue");
  sending.end("body");
  const [answer] = await once(sending, "response");
  expect(await text(answer)).toBe("undefined body");
});

it("speaks HTTP/1.0 to who does", async () => {
  const service = await serveHttp((_, outgoing) => {
    outgoing.writeHead(200, { trailer: "x" });
    outgoing.write("a ");
    outgoing.end("stream");
  });
  const { port } = await serveGateway(service);
  const answer = await exchangeBytes(port, "GET / HTTP/1.0\r\n\r\n");
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer).toMatch(/\r\n\r\na stream$/);
});

it("sends on what a service streams as it comes, its head first", async () => {
  const responses: ServerResponse[] = [];
  const service = await serveHttp((_, outgoing) => {
    responses.push(outgoing);
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    outgoing.flushHeaders();
  });
  const { port } = await serveGateway(service);
  const sending = request({ port }).end();
  const [answer] = await once(sending, "response");
  answer.setEncoding("utf8");
  for (const event of ["one", "two", "three"]) {
    responses[0]?.write(event);
    expect(await once(answer, "data")).toEqual([event]);
  }
  responses[0]?.end();
  await once(answer, "end");
  expect(service.leases).toBe(0);
});

it("tells the service at once when the client goes away", async () => {
  const started = Promise.withResolvers<ServerResponse>();
  const service = await serveHttp((_, outgoing) => {
    outgoing.write("begun");
    started.resolve(outgoing);
  });
  const { port } = await serveGateway(service);
  const sending = request({ port })
    .on("error", () => {})
    .end();
  await once(sending, "response");
  const serving = await started.promise;
  const closed = once(serving, "close");
  sending.destroy();
  await closed;
  expect(serving.writableFinished).toBe(false);
  await vi.waitFor(() => expect(service.leases).toBe(0), WAITS);
});

it("tells the service when the client goes away in the middle of its request", async () => {
  const begun = Promise.withResolvers<void>();
  const seen = Promise.withResolvers<boolean>();
  const service = await serveHttp((incoming) => {
    incoming.resume();
    incoming.on("close", () => seen.resolve(incoming.complete));
    begun.resolve();
  });
  const { port } = await serveGateway(service);
  const sending = request({ port, method: "POST", headers: { "content-length": 1_000_000 } });
  sending.on("error", () => {});
  sending.write(Buffer.alloc(1_000));
  await begun.promise;
  sending.destroy();
  expect(await seen.promise).toBe(false);
  await vi.waitFor(() => expect(service.leases).toBe(0), WAITS);
});

it.each([
  ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbegun\r\n"],
  ["HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nbegun"],
  ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbegun\r\nnonsense\r\n"],
])("breaks off what the service breaks off: %j", async (bytes) => {
  const service = await serveBytes((socket) => {
    socket.once("data", () => socket.write(bytes, () => socket.destroy()));
  });
  const { port, problems } = await serveGateway(service);
  await expect(sendRequest({ options: { port } })).rejects.toThrow(/aborted|socket hang up/);
  expect(problems.filter(({ kind }) => kind !== "service_failed")).toEqual([]);
  expect(service.leases).toBe(0);
});

it("resets the connection of a client that could not tell a broken answer from a whole one", async () => {
  const service = await serveBytes((socket) => {
    socket.once("data", () => {
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbegun\r\n");
    });
  });
  const { port } = await serveGateway(service);
  const client = connect({ port, host: "127.0.0.1" });
  client.write("GET / HTTP/1.0\r\n\r\n");
  await once(client, "data");
  for (const socket of service.connections) socket.destroy();
  const [error] = await once(client, "error");
  expect(error.code).toBe("ECONNRESET");
});

it.each([
  ["SSH-2.0-OpenSSH\r\n\r\n", "its first line is no status line"],
  ["HTTP/1.1 200 OK\r\nA : b\r\n\r\n", "one of its headers is malformed"],
  ["HTTP/1.1 101 Switching\r\n\r\n", "it changes the protocol"],
])("fails where the service answers %j", async (bytes, reason) => {
  const service = await serveBytes((socket) => socket.once("data", () => socket.write(bytes)));
  const { port, problems } = await serveGateway(service);
  expect((await sendRequest({ options: { port } })).status).toBe(502);
  expect(problems).toEqual([
    { kind: "service_failed", reason: `support sent an answer that cannot be read: ${reason}.` },
  ]);
  expect(service.leases).toBe(0);
  await vi.waitFor(() => expect(service.connections.size).toBe(0), WAITS);
});

it("does not repeat a request that the service has read, even where it did not answer", async () => {
  let requests = 0;
  const service = await serveBytes((socket) => {
    socket.once("data", () => {
      requests++;
      socket.destroy();
    });
  });
  const { port, problems } = await serveGateway(service);
  expect((await sendRequest({ options: { port, method: "POST" } })).status).toBe(502);
  expect(requests).toBe(1);
  expect(problems).toEqual([
    { kind: "service_failed", reason: "support closed the connection without an answer." },
  ]);
});

it("sends a request again that the service never read, because it was closing the connection", async () => {
  const { port } = await serveGateway(await deafService());
  expect((await sendRequest({ options: { port } })).body.toString()).toBe("1");
  const again = sendRequest({
    options: { port, method: "POST", headers: { "content-length": 4 } },
    body: [Buffer.from("body")],
  });
  expect((await again).body.toString()).toBe("2");
});

/**
 * Answers with the number of the connection. It is busy then, until the next request has come, and
 * closes the connection before it reads it: a server whose time for idle connections is over.
 */
async function deafService(): Promise<Service> {
  const service = await serveHttp(() => {});
  const socketPath = `${service.socketPath}2`;
  const hasCome = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(
    `const { workerData, parentPort } = require("node:worker_threads");
     let count = 0;
     require("node:net").createServer((socket) => {
       const answer = "HTTP/1.1 200 OK\\r\\nContent-Length: 1\\r\\n\\r\\n" + ++count;
       socket.once("data", () => socket.write(answer, () => {
         if (count > 1) return;
         Atomics.wait(workerData.hasCome, 0, 0);
         socket.destroy();
       }));
     }).listen(workerData.socketPath, () => parentPort.postMessage("listening"));`,
    { eval: true, workerData: { socketPath, hasCome } },
  );
  onTestFinished(async () => void (await worker.terminate()));
  await once(worker, "message");
  let acquired = 0;
  return {
    ...service,
    acquire: () => {
      acquired++;
      // The gateway sends the request in this turn of the loop.
      if (acquired === 2)
        setImmediate(() => Atomics.store(hasCome, 0, 1) + Atomics.notify(hasCome, 0));
      return { kind: "lease", socketPath, release: () => {} };
    },
  };
}

it("uses a connection no longer than the service keeps it", async () => {
  const service = await serveHttp(
    (_, outgoing) => outgoing.end(),
    (server) => {
      server.keepAliveTimeout = 1_000;
    },
  );
  const { port } = await serveGateway(service);
  for (let n = 0; n < 3; n++) await sendRequest({ options: { port } });
  await vi.waitFor(() => expect(service.connections.size).toBe(0), WAITS);
});

it("answers early where the service does, and goes on with the next request of the client", async () => {
  const service = await serveHttp((incoming, outgoing) => {
    if (incoming.url === "/next") return outgoing.end("next");
    outgoing.writeHead(413, { connection: "close" }).end("too large");
  });
  const { port } = await serveGateway(service);
  const client = connect({ port, host: "127.0.0.1" }).setEncoding("latin1");
  let received = "";
  client.on("data", (part: string) => {
    received += part;
  });
  client.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
  client.write("x".repeat(1_000));
  await vi.waitFor(() => expect(received).toContain("too large"), WAITS);
  client.write("x".repeat(99_000));
  client.write("GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  await once(client, "close");
  expect(received).toMatch(/^HTTP\/1\.1 413.*HTTP\/1\.1 200.*next$/s);
});

it("refuses web sockets and codings that it would have to undo", async () => {
  const service = await serveHttp((_, outgoing) => outgoing.end());
  const { port, problems } = await serveGateway(service);
  await sendRequest({
    options: { port, headers: { connection: "upgrade", upgrade: "websocket" } },
  });
  await exchangeBytes(
    port,
    "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
  );
  expect(problems.map(({ kind }) => kind)).toEqual(["unsupported", "unsupported"]);
  expect(service.connections.size).toBe(0);
});

it("says when to come back while the service is not there", async () => {
  const { port, problems } = await serveGateway({
    application: { id: "app_1", slug: "support" },
    acquire: async () => ({ kind: "unavailable", reason: "It crashed.", retryAfterSeconds: 4 }),
  });
  await sendRequest({ options: { port, method: "POST" }, body: [Buffer.alloc(100_000)] });
  expect(problems).toEqual([
    { kind: "service_unavailable", reason: "It crashed.", retryAfterSeconds: 4 },
  ]);
});

it("reports a socket without a listener to the service, and gives up after some attempts", async () => {
  const service = await serveHttp(() => {});
  const missing = {
    ...service,
    acquire: () => {
      const lease = service.acquire();
      return lease instanceof Promise ? lease : { ...lease, socketPath: "/nowhere/at/all" };
    },
  };
  const { port, problems } = await serveGateway(missing);
  await sendRequest({ options: { port } });
  expect(problems).toEqual([
    { kind: "service_failed", reason: "support does not listen on its socket." },
  ]);
  expect([service.unreachable, service.leases]).toEqual([4, 0]);
});

it("gives a lease back that comes when the client has gone", async () => {
  const service = await serveHttp((_, outgoing) => outgoing.end());
  const asked = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<void>();
  const { port } = await serveGateway({
    ...service,
    acquire: async () => {
      asked.resolve();
      await ready.promise;
      return service.acquire();
    },
  });
  const sending = request({ port })
    .on("error", () => {})
    .end();
  await asked.promise;
  sending.destroy();
  // Another client is served meanwhile: by then the server has seen that the first is gone.
  ready.resolve();
  await sendRequest({ options: { port } });
  await vi.waitFor(() => expect(service.leases).toBe(0), WAITS);
});

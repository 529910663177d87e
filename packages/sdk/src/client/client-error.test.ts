import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { ClientError, type ClientErrorKind } from "./client-error.ts";
import type { ClientOptions, UntypedCall } from "./client-types.ts";
import { createClient } from "./create-client.ts";

const IDS = '"trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":"b7ad6b7169203331"';
const EVENTS = "content-type: text/event-stream";
const CHUNK = 'event: chunk\ndata: "once"\n\n';

const open: { readonly server: Server; readonly sockets: Set<Socket> }[] = [];
afterEach(closeAll);

async function closeAll(): Promise<void> {
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  }
}

/** A server that speaks HTTP as badly as it is told to. Returns its address. */
async function serving(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {
      // The client may go first.
    });
    let asked = "";
    socket.on("data", (bytes) => {
      asked += bytes.toString("latin1");
      if (!/\r\n\r\n.+/s.test(asked)) return;
      asked = "";
      answer(socket);
    });
  });
  open.push({ server, sockets });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const callOf = (base: string): UntypedCall => createClient(base).say!({ text: "hello" });

async function failureOf(call: PromiseLike<unknown>): Promise<ClientError> {
  const error = await call.then(
    (data) => data,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ClientError);
  return error as ClientError;
}

/** What a call fails with that is answered with these bytes, after which the connection ends. */
async function failure(...parts: (string | Uint8Array)[]): Promise<ClientError> {
  const base = await serving((socket) => {
    for (const part of parts) socket.write(part);
    socket.end();
  });
  const error = await failureOf(callOf(base));
  expect(error.url).toBe(`${base}/run/say`);
  expect(error.message).toContain(error.url);
  return error;
}

function head(status: string, ...headers: string[]): string {
  return `HTTP/1.1 ${[status, ...headers].join("\r\n")}\r\n\r\n`;
}

function whole(status: string, body: string, ...headers: string[]): string {
  return head(status, `content-length: ${Buffer.byteLength(body)}`, ...headers) + body;
}

describe("a connection that breaks", () => {
  it.each<[string, (socket: Socket) => void, number | null]>([
    ["before the head, by a reset", (socket) => socket.resetAndDestroy(), null],
    ["before the head, by an end", (socket) => socket.end(), null],
    ["in the head", (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-"), null],
    [
      "after the head",
      (socket) => socket.write(head("200 OK", "content-length: 9"), () => socket.resetAndDestroy()),
      200,
    ],
    [
      "in the body, which is shorter than said",
      (socket) => socket.end(`${head("200 OK", "content-length: 99")}{"data":`),
      200,
    ],
    [
      "in a chunk of the body",
      (socket) => socket.end(`${head("200 OK", "transfer-encoding: chunked")}ff\r\n{"data":`),
      200,
    ],
    [
      "in the length of a chunk",
      (socket) => socket.end(`${head("200 OK", "transfer-encoding: chunked")}8\r\n{"data":\r\n`),
      200,
    ],
    ["between two events", (socket) => socket.end(`${head("200 OK", EVENTS)}${CHUNK}`), 200],
    ["in an event", (socket) => socket.end(`${head("200 OK", EVENTS)}${CHUNK}event: chu`), 200],
    [
      "in an event, by a reset",
      (socket) =>
        socket.write(`${head("200 OK", EVENTS)}${CHUNK}event: chu`, () => socket.resetAndDestroy()),
      200,
    ],
    ["before the first event", (socket) => socket.end(head("200 OK", EVENTS)), 200],
  ])("%s, is told as such", async (_where, answer, status) => {
    const base = await serving(answer);
    const error = await failureOf(callOf(base));
    expect(error).toMatchObject({
      kind: "connection",
      name: "ClientError",
      url: `${base}/run/say`,
    });
    // A reset may reach the client before the head that was sent before it.
    if (error.status !== null) expect(error.status).toBe(status);
    expect(error.message).toMatch(/lost before/);
  });

  it("gives the chunks that came before to whom iterates, then throws", async () => {
    const base = await serving((socket) => socket.end(`${head("200 OK", EVENTS)}${CHUNK}event: c`));
    const call = callOf(base);
    const chunks: unknown[] = [];
    const reading = (async () => {
      for await (const chunk of call) chunks.push(chunk);
    })();
    expect(await failureOf(reading)).toMatchObject({ kind: "connection" });
    expect(chunks).toEqual(["once"]);
    expect(await failureOf(call.answer)).toMatchObject({ kind: "connection" });
  });

  it("is told apart from one that was never there", async () => {
    const base = await serving(() => {});
    await closeAll();
    const error = await failureOf(callOf(base));
    expect(error).toMatchObject({ kind: "connection", code: "ECONNREFUSED", status: null });
    expect(error.message).toMatch(/could not be reached: .*ECONNREFUSED/);
    expect(error.cause).toBeInstanceOf(TypeError);
  });
});

describe("a call that is given up", () => {
  it.each<[string, string]>([
    ["before an answer", ""],
    ["in an answer", `${head("200 OK", "content-length: 99")}{"data":`],
    ["in a stream", `${head("200 OK", EVENTS)}${CHUNK}`],
    ["in an error", `${head("500 Oops", "content-length: 99")}{"detail":`],
  ])("%s, is a timeout by a signal that timed out, and aborted by another", async (_when, sent) => {
    let asked = Promise.withResolvers<void>();
    const base = await serving((socket) => {
      if (sent !== "") socket.write(sent);
      asked.resolve();
    });
    const timedOut = new AbortController();
    const timeout = createClient(base).say!("hello", { signal: timedOut.signal });
    const first = failureOf(timeout);
    await asked.promise;
    // As `AbortSignal.timeout` does when its time has come.
    const reason = new DOMException("The operation timed out.", "TimeoutError");
    timedOut.abort(reason);
    expect(await first).toMatchObject({ kind: "timeout", name: "TimeoutError", cause: reason });

    asked = Promise.withResolvers<void>();
    const mine = new AbortController();
    const second = failureOf(createClient(base).say!("hello", { signal: mine.signal }));
    await asked.promise;
    mine.abort(new Error("changed my mind"));
    expect(await second).toMatchObject({
      kind: "aborted",
      name: "AbortError",
      cause: { message: "changed my mind" },
    });
  });

  it("is a timeout by AbortSignal.timeout, and by a limit of the runtime", async () => {
    const base = await serving(() => {});
    const signal = AbortSignal.timeout(1);
    expect(await failureOf(createClient(base).say!("hello", { signal }))).toMatchObject({
      kind: "timeout",
    });
    const limited = createClient(base, {
      fetch: async () => {
        const cause = Object.assign(new Error("Headers Timeout"), {
          code: "UND_ERR_HEADERS_TIMEOUT",
        });
        throw new TypeError("fetch failed", { cause });
      },
    });
    expect(await failureOf(limited.say!("hello"))).toMatchObject({
      kind: "timeout",
      code: "UND_ERR_HEADERS_TIMEOUT",
    });
  });

  it("was aborted before it was sent", async () => {
    const call = createClient("http://127.0.0.1:9").say!("hello", { signal: AbortSignal.abort() });
    expect(await failureOf(call)).toMatchObject({ kind: "aborted" });
  });
});

describe("an answer that is none", () => {
  it.each<[string, string, RegExp]>([
    ["an empty body", whole("200 OK", ""), /an empty body/],
    ["no content", head("204 No Content"), /answered 204 with an empty body/],
    ["spaces", whole("200 OK", " \n"), /an empty body/],
    ["null", whole("200 OK", "null"), /no object: null/],
    ["a list", whole("200 OK", "[1]"), /no object: \[1\]/],
    ["a text", whole("200 OK", '"ok"'), /no object: "ok"/],
    ["an object of another kind", whole("200 OK", '{"ok":true}'), /without "data": \{"ok":true\}/],
    ["half an object", whole("200 OK", '{"data":'), /not JSON: \{"data":/],
    ["a page", whole("200 OK", "<h1>Welcome</h1>", "content-type: text/html"), /<h1>Welcome/],
    ["a long page", whole("200 OK", "x".repeat(1000)), /x{200}…/],
    ["a chunk that is no JSON", whole("200 OK", "event: chunk\ndata: {\n\n", EVENTS), /chunk that/],
    ["an end that is no JSON", whole("200 OK", "event: done\ndata: {\n\n", EVENTS), /end of the/],
    ["an end that is null", whole("200 OK", "event: done\ndata: null\n\n", EVENTS), /no object/],
  ])("%s, is told with its URL", async (_what, bytes, said) => {
    const error = await failure(bytes);
    expect(error).toMatchObject({ kind: "invalid_response", name: "ClientError", detail: [] });
    expect(error.message).toMatch(said);
    expect(error.message).toContain("Is this the address of an Agate app?");
  });

  it.each<[string, (string | Uint8Array)[]]>([
    ["no HTTP at all", ["SSH-2.0-OpenSSH_9.6\r\n"]],
    [
      "gzip that is none",
      [head("200 OK", "content-encoding: gzip", "content-length: 7"), "garbage"],
    ],
  ])("%s, cannot be read", async (_what, parts) => {
    const error = await failure(...parts);
    expect(error).toMatchObject({ kind: "invalid_response", cause: expect.any(Error) });
    expect(error.message).toMatch(/cannot be read: /);
  });

  it("breaks off inside of gzip like any other", async () => {
    const bytes = gzipSync(`{"data":"${"x".repeat(1000)}",${IDS}}`);
    const error = await failure(
      head("200 OK", "content-encoding: gzip", `content-length: ${bytes.length}`),
      bytes.subarray(0, 15),
    );
    expect(["connection", "invalid_response"]).toContain(error.kind);
  });
});

describe("an answer with an error", () => {
  it.each<[string, string, string, readonly object[]]>([
    [
      "a text as detail",
      '{"detail":"oops"}',
      "oops",
      [{ loc: [], msg: "oops", type: "http_error" }],
    ],
    ["texts as details", '{"detail":["a","b"]}', "a b", [{ msg: "a" }, { msg: "b" }]],
    [
      "half a detail",
      '{"detail":[{"msg":"no"},{"loc":["body",0,null],"type":"t"},null,7]}',
      'no body.0: {"loc":["body",0,null],"type":"t"}',
      [
        { loc: [], msg: "no", type: "http_error" },
        { loc: ["body", 0], type: "t" },
      ],
    ],
    ["no detail", '{"message":"busy"}', '{"message":"busy"}', []],
    ["null", "null", "null", []],
    ["a page", "<h1>Bad gateway</h1>", "<h1>Bad gateway</h1>", []],
    ["nothing", "", "Oops", []],
  ])("says what %s says", async (_what, body, said, detail) => {
    const error = await failure(whole("502 Oops", body));
    expect(error).toMatchObject({ kind: "status", status: 502, detail, traceId: null });
    expect(error.message).toBe(`${error.url} answered 502: ${said}`);
  });

  it("has its status where its body breaks off", async () => {
    const error = await failure(`${head("503 Busy", "content-length: 99", "retry-after: 3")}{"de`);
    expect(error).toMatchObject({ kind: "status", status: 503, retryAfter: 3 });
    expect(error.message).toMatch(/body could not be read/);
  });

  it("says what an error in a stream says, JSON or not", async () => {
    const detail = '{"detail":[{"loc":[],"msg":"Too many.","type":"function_failed"}]}';
    const said = await failure(
      whole("200 OK", `${CHUNK}event: error\ndata: ${detail}\n\n`, EVENTS),
    );
    expect(said).toMatchObject({ kind: "status", status: 200, detail: [{ msg: "Too many." }] });
    const bare = await failure(whole("200 OK", "event: error\ndata: oops\n\n", EVENTS));
    expect(bare.message).toBe(`${bare.url} answered 200: oops`);
  });
});

describe("a redirect", () => {
  it.each([301, 302, 303, 307, 308])(
    "with %i is refused, and says where it points",
    async (status) => {
      const error = await failure(whole(`${status} Moved`, "", "location: /login?to=%2F"));
      expect(error).toMatchObject({ kind: "redirect", status });
      expect(error.message).toMatch(/redirects to http:\/\/127\.0\.0\.1:\d+\/login\?to=%2F, /);
    },
  );

  it("is none without a location", async () => {
    expect(await failure(whole("304 Not Modified", ""))).toMatchObject({ kind: "status" });
  });

  it("is refused where a fetch hides it, or has followed it", async () => {
    const answering = (about: PropertyDescriptorMap): ClientOptions => ({
      fetch: async () => Object.defineProperties(Response.json({ data: 1 }), about),
    });
    const hidden = { type: { value: "opaqueredirect" }, status: { value: 0 } };
    const browser = createClient("http://app.test", answering(hidden)).say!("hello");
    expect(await failureOf(browser)).toMatchObject({ kind: "redirect", status: null });
    const other = { redirected: { value: true }, url: { value: "http://other.test/" } };
    const followed = createClient("http://app.test", answering(other)).say!("hello");
    expect((await failureOf(followed)).message).toContain("redirects to http://other.test/");
  });
});

it("takes types of content in any case", async () => {
  const done = `event: done\ndata: {${IDS}}\n\n`;
  const type = "Content-Type: Text/Event-Stream; Charset=UTF-8";
  const streaming = await serving((socket) => socket.end(whole("200 OK", CHUNK + done, type)));
  expect(await callOf(streaming)).toBe("once");
  const plain = await serving((socket) =>
    socket.end(whole("200 OK", `{"data":1,${IDS}}`, "content-type: APPLICATION/JSON")),
  );
  expect(await callOf(plain).answer).toMatchObject({ data: 1, spanId: "b7ad6b7169203331" });
});

it("has a kind for every reason", () => {
  const kinds: Record<ClientErrorKind, ClientError["name"]> = {
    status: "ClientError",
    redirect: "ClientError",
    invalid_response: "ClientError",
    connection: "ClientError",
    timeout: "TimeoutError",
    aborted: "AbortError",
  };
  for (const [kind, name] of Object.entries(kinds) as [ClientErrorKind, string][]) {
    const error = new ClientError("failed", { kind, url: "http://app.test" });
    expect(error).toMatchObject({ kind, name, status: null, detail: [], code: null });
    expect(ClientError.isInstance(error)).toBe(true);
  }
});

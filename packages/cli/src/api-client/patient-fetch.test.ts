import { once } from "node:events";
import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import { apiPath, createApiClient } from "./api-client.ts";
import { ApiFailure } from "./api-failure.ts";
import { bodyBytes } from "./response-body.ts";

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  stops.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function ask(url: string, signal?: AbortSignal): Promise<Response> {
  const api = createApiClient({ url, apiKey: "ag_secret", project: undefined });
  return api.open(apiPath`/backups`, {
    method: "POST",
    body: { a: 1 },
    timeoutMs: null,
    ...(signal && { signal }),
  });
}

async function whyOf(answer: Promise<unknown>): Promise<unknown> {
  const failure: unknown = await answer.catch((error: unknown) => error);
  return failure instanceof ApiFailure ? failure.why : failure;
}

const DISPATCHER = Symbol.for("undici.globalDispatcher.1");
type Dispatcher = { constructor: new (options: object) => unknown };

/** Gives `fetch` a limit that a test can wait for. */
function limitFetch(headersTimeout: number): void {
  const globals = globalThis as unknown as Record<symbol, Dispatcher>;
  const before = globals[DISPATCHER] as Dispatcher;
  globals[DISPATCHER] = new before.constructor({ headersTimeout }) as Dispatcher;
  stops.push(() => {
    globals[DISPATCHER] = before;
  });
}

describe("a request that waits for as long as it takes", () => {
  it("gets its answer after fetch has given up on the same server", async () => {
    const answers: (() => void)[] = [];
    const url = await serve((request, response) => {
      request.resume();
      answers.push(() => response.setHeader("x-a", "1").end("late"));
    });
    // Node loads it when it is first used.
    await fetch("data:,");
    limitFetch(100);
    const patient = ask(url);
    await expect.poll(() => answers.length).toBe(1);
    await expect(fetch(url)).rejects.toMatchObject({ cause: { code: "UND_ERR_HEADERS_TIMEOUT" } });
    for (const answer of answers) answer();
    const response = await patient;
    expect(response.headers.get("x-a")).toBe("1");
    expect(await response.text()).toBe("late");
  });

  it("sends what other requests send, and tells refusals as they do", async () => {
    let seen: unknown;
    const url = await serve(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const { authorization, "content-type": type } = request.headers;
      seen = { method: request.method, url: request.url, authorization, type, body };
      const detail = [{ type: "backup_running", loc: [], msg: "Another one is being taken." }];
      response.statusCode = 409;
      response.setHeader("content-type", "application/json").end(JSON.stringify({ detail }));
    });
    expect(await whyOf(ask(url))).toMatchObject({ kind: "refused", status: 409 });
    expect(seen).toEqual({
      method: "POST",
      url: "/backups",
      authorization: "Bearer ag_secret",
      type: "application/json",
      body: '{"a":1}',
    });
  });

  it("says when nothing listens, when the answer breaks off, and where it is redirected", async () => {
    expect(await whyOf(ask("http://127.0.0.1:1"))).toEqual({ kind: "unreachable" });
    const url = await serve((_, response) => {
      response.writeHead(200, { "content-length": "10" }).write("half", () => response.destroy());
    });
    const read = async () => Readable.from(bodyBytes(await ask(url), url)).toArray();
    expect(await whyOf(read())).toEqual({ kind: "broken-off" });
    const elsewhere = await serve((_, response) => {
      response.writeHead(307, { location: url }).end();
    });
    expect(await whyOf(ask(elsewhere))).toMatchObject({ kind: "not-agate", status: 307 });
  });

  it("ends when it is told to, before and after the headers", async () => {
    const url = await serve((_, response) => response.flushHeaders());
    const silent = await serve(() => {});
    const early = new AbortController();
    const waiting = ask(silent, early.signal);
    early.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
    const late = new AbortController();
    const response = await ask(url, late.signal);
    late.abort();
    await expect(response.text()).rejects.toThrow();
  });
});

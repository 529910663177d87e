import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { App } from "../app/app.ts";
import { createApp } from "../app/create-app.ts";
import { toNodeHandler } from "../app/to-node-handler.ts";
import { BaseModel } from "../config/base-model.ts";

class NoConfig extends BaseModel {}

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** An app behind Node's own server; `exchange` is the next request that comes in. */
async function served(app: App, before: (request: IncomingMessage) => void = () => {}) {
  const exchange = Promise.withResolvers<ServerResponse>();
  const handle = toNodeHandler(app);
  const server = createServer((incoming, outgoing) => {
    before(incoming);
    exchange.resolve(outgoing);
    handle(incoming, outgoing);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, exchange: exchange.promise };
}

function post(url: string, body: string | ReadableStream, init: RequestInit = {}) {
  return fetch(url, {
    method: "POST",
    body,
    duplex: "half",
    ...init,
    headers: { "content-type": "application/json", ...(init.headers as Record<string, string>) },
  } as RequestInit);
}

describe("a client that goes away", () => {
  it("is noticed by a handler that asks for the signal only then", async () => {
    const app = createApp();
    const started = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const seen = Promise.withResolvers<boolean>();
    app.route(
      "/slow",
      NoConfig,
    )(async (_input: unknown, call) => {
      started.resolve();
      await gate.promise;
      seen.resolve(call.signal.aborted);
    });
    const { url, exchange } = await served(app);
    const client = new AbortController();
    const answer = post(`${url}/playground/run/slow`, "{}", { signal: client.signal });
    await started.promise;
    const gone = once(await exchange, "close");
    client.abort();
    await expect(answer).rejects.toThrow();
    await gone;
    gate.resolve();
    expect(await seen.promise).toBe(true);
  });

  it("ends a stream that begins only then", async () => {
    const app = createApp();
    const started = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const left = Promise.withResolvers<string>();
    async function* chunks(): AsyncGenerator<string> {
      try {
        for (;;) yield "x".repeat(100_000);
      } finally {
        left.resolve("left");
      }
    }
    app.route(
      "/tell",
      NoConfig,
    )(async () => {
      started.resolve();
      await gate.promise;
      return chunks();
    });
    const { url, exchange } = await served(app);
    const client = new AbortController();
    const headers = { accept: "text/event-stream" };
    const answer = post(`${url}/playground/run/tell`, "{}", { signal: client.signal, headers });
    await started.promise;
    const gone = once(await exchange, "close");
    client.abort();
    await expect(answer).rejects.toThrow();
    await gone;
    gate.resolve();
    expect(await left.promise).toBe("left");
  });

  it("ends a stream that it does not read, however much there would be", async () => {
    const app = createApp();
    let given = 0;
    const left = Promise.withResolvers<number>();
    app.route(
      "/tell",
      NoConfig,
    )(async function* () {
      try {
        for (;;) {
          given += 1;
          yield "x".repeat(100_000);
        }
      } finally {
        left.resolve(given);
      }
    });
    const { url } = await served(app);
    const answer = await post(`${url}/playground/run/tell`, "{}", {
      headers: { accept: "text/event-stream" },
    });
    const reader = answer.body!.getReader();
    await reader.read();
    await reader.cancel();
    // Beyond what the sockets' buffers hold, nothing is asked of the function.
    expect(await left.promise).toBeLessThan(1_000);
  });

  it("while it sends its body, is nobody's failure", async () => {
    const app = createApp();
    let ran = false;
    app.route(
      "/say",
      NoConfig,
    )(() => {
      ran = true;
    });
    const { url, exchange } = await served(app);
    const { port } = new URL(url);
    const sending = request({
      port,
      host: "127.0.0.1",
      path: "/playground/run/say",
      method: "POST",
      headers: { "content-type": "application/json", "content-length": 1_000 },
    });
    sending.on("error", () => {});
    sending.write('{"inputs":');
    const outgoing = await exchange;
    const gone = once(outgoing, "close");
    sending.destroy();
    await gone;
    expect(ran).toBe(false);
    const health = await (await fetch(`${url}/health`)).json();
    expect(health).toMatchObject({ status: "ok" });
  });
});

describe("a body", () => {
  function echo(maxBodyBytes?: number) {
    const app = createApp({ maxBodyBytes });
    app.route("/echo", NoConfig)((input: unknown) => input);
    return app;
  }

  it("is read whole, characters that lie across chunks included", async () => {
    const { url } = await served(echo());
    const text = "é€😀".repeat(100_000);
    const bytes = new TextEncoder().encode(JSON.stringify({ inputs: text }));
    let at = 0;
    const odd = new ReadableStream({
      pull(controller) {
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.subarray(at, at + 9_999));
        at += 9_999;
      },
    });
    const answer = await post(`${url}/playground/run/echo`, odd);
    expect(((await answer.json()) as { data: string }).data).toBe(text);
  });

  it.each(["with a length", "without one"])("beyond the limit is a 413, %s", async (which) => {
    const { url } = await served(echo(1_000));
    const text = JSON.stringify({ inputs: "x".repeat(3_000_000) });
    const body = which === "with a length" ? text : new Blob([text]).stream();
    const answer = await post(`${url}/playground/run/echo`, body);
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ detail: [{ type: "body_too_large" }] });
    const next = await post(`${url}/playground/run/echo`, '{"inputs":1}');
    expect(next.status).toBe(200);
  });

  it.each([
    ["a value", { inputs: { n: 1 } }],
    ["a text", '{"inputs":{"n":1}}'],
    ["bytes", Buffer.from('{"inputs":{"n":1}}')],
  ])("that was read before us is taken as it was left: %s", async (_what, body) => {
    const { url } = await served(echo(), (incoming) => Object.assign(incoming, { body }));
    const answer = await post(`${url}/playground/run/echo`, "{}");
    expect(await answer.json()).toMatchObject({ data: { n: 1 } });
  });
});

describe("an answer", () => {
  it("has no body for HEAD, and a length in bytes", async () => {
    const { url } = await served(createApp({ application: "été" }));
    const [head, got] = [
      await fetch(`${url}/health`, { method: "HEAD" }),
      await fetch(`${url}/health`),
    ];
    const bytes = (await got.arrayBuffer()).byteLength;
    expect(await head.text()).toBe("");
    expect([head.headers.get("content-length"), got.headers.get("content-length")]).toEqual([
      String(bytes),
      String(bytes),
    ]);
  });
});

import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Collector } from "./collector.fixture.ts";
import { createTelemetry } from "./create-telemetry.ts";
import { LocalPost } from "./local-post.ts";
import { Secrets } from "./secrets.ts";
import type { TelemetryOptions } from "./telemetry-options.ts";

let collector: Collector;

beforeEach(async () => {
  collector = await new Collector().start();
});

afterEach(async () => {
  vi.unstubAllGlobals();
  await collector.stop();
});

/** Sends a span, and returns the headers that it came with. */
async function sendSpan(options: TelemetryOptions = {}) {
  const telemetry = createTelemetry({
    baseUrl: collector.url,
    secrets: new Secrets(),
    onWarning: (sentence) => expect.fail(sentence),
    ...options,
  });
  telemetry.startSpan("sent", { kind: "TASK" }).end();
  await telemetry.shutdown();
  expect(collector.spans.map(({ name }) => name)).toEqual(["sent"]);
  return collector.headers[0];
}

/** A header that only `fetch` sends. */
const BY_FETCH = "sec-fetch-mode";

const DISPATCHER = Symbol.for("undici.globalDispatcher.1");

/** What a program has done that calls `setGlobalDispatcher` with a subclass of undici's. */
async function useDispatcher(): Promise<void> {
  // The first call of `fetch` puts Node's own there.
  await fetch("data:,");
  const globals = globalThis as unknown as Record<symbol, object>;
  const own = globals[DISPATCHER] as object;
  class ProxyAgent {
    dispatch(...given: unknown[]): unknown {
      return (own as { dispatch(...each: unknown[]): unknown }).dispatch(...given);
    }
  }
  globals[DISPATCHER] = new ProxyAgent();
  onTestFinished(() => {
    globals[DISPATCHER] = own;
  });
}

describe("spans for a server on this machine", () => {
  it("go without fetch, with their key", async () => {
    const headers = await sendSpan({ apiKey: "ag_1" });
    expect(headers).toMatchObject({
      authorization: "Bearer ag_1",
      "content-type": "application/x-protobuf",
    });
    expect(headers).not.toHaveProperty(BY_FETCH);
  });

  it("go through a fetch that was given", async () => {
    const given = vi.fn<typeof fetch>((input, init) => fetch(input, init));
    expect(await sendSpan({ fetch: given })).toHaveProperty(BY_FETCH);
    expect(given).toHaveBeenCalledTimes(1);
  });

  it("go through a fetch that has replaced the runtime's", async () => {
    const own = fetch;
    const replaced = vi.fn<typeof fetch>((input, init) => own(input, init));
    vi.stubGlobal("fetch", replaced);
    expect(await sendSpan()).toHaveProperty(BY_FETCH);
    expect(replaced).toHaveBeenCalledTimes(1);
  });

  it("go through the dispatcher that the program has given to fetch", async () => {
    await useDispatcher();
    expect(await sendSpan()).toHaveProperty(BY_FETCH);
  });

  it("go by fetch on a runtime that is not Node", async () => {
    vi.stubGlobal("navigator", { userAgent: "Bun/1.3" });
    expect(await sendSpan()).toHaveProperty(BY_FETCH);
  });
});

it.each([
  ["http://127.0.0.1:4100/v1/traces", true],
  ["http://127.0.0.1/v1/traces", true],
  ["http://LOCALHOST:4100/v1/traces", true],
  ["http://[::1]:4100/v1/traces", true],
  ["https://127.0.0.1:4100/v1/traces", false],
  ["http://agate.example/v1/traces", false],
  ["http://127.0.0.1.example/v1/traces", false],
  ["http://10.0.0.1:4100/v1/traces", false],
  ["http://user:password@127.0.0.1:4100/v1/traces", false],
  ["not an address", false],
])("posts to %s without fetch: %s", (url, isLocal) => {
  expect(LocalPost.to(url) !== undefined).toBe(isLocal);
});

describe("a request", () => {
  /** The connections of a server, and a way to post to it. */
  async function serve(listener: RequestListener) {
    const connections: Socket[] = [];
    const server = createServer(listener).on("connection", (socket) => connections.push(socket));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const post = LocalPost.to(
      `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    );
    if (post === undefined) throw new Error("not local");
    const send = (signal = new AbortController().signal) =>
      post.send({ "content-type": "text/plain" }, new TextEncoder().encode("spans"), signal);
    return { connections, send };
  }

  it("uses the connection of the one before, and reads an answer in pieces", async () => {
    const { connections, send } = await serve((incoming, outgoing) => {
      incoming.resume().on("end", () => {
        outgoing.writeHead(201, { "retry-after": "7" }).write("one ");
        setImmediate(() => outgoing.end("two"));
      });
    });
    for (let n = 0; n < 3; n++) {
      const { status, headers, body } = await send();
      expect([status, headers.get("retry-after"), headers.get("location")]).toEqual([
        201,
        "7",
        null,
      ]);
      expect(new TextDecoder().decode(body)).toBe("one two");
    }
    expect(connections).toHaveLength(1);
  });

  it("does not follow a redirect", async () => {
    const { send } = await serve((_, outgoing) => {
      outgoing.writeHead(302, { location: "/elsewhere" }).end();
    });
    const { status, headers } = await send();
    expect([status, headers.get("location")]).toEqual([302, "/elsewhere"]);
  });

  it("fails with the signal's reason, before and in the middle of an answer", async () => {
    for (const begin of [false, true]) {
      const reason = new DOMException("", "TimeoutError");
      const abort = new AbortController();
      const { send } = await serve((_, outgoing) => {
        if (begin) outgoing.write("the beginning");
        setImmediate(() => abort.abort(reason));
      });
      await expect(send(abort.signal)).rejects.toBe(reason);
    }
  });

  it("fails where the answer breaks off or the connection is refused", async () => {
    const { send } = await serve((_, outgoing) => {
      outgoing.writeHead(200, { "content-length": 10 }).write("half", () => outgoing.destroy());
    });
    await expect(send()).rejects.toMatchObject({ code: "ECONNRESET" });
    const unheard = LocalPost.to("http://127.0.0.1:1/v1/traces");
    const { signal } = new AbortController();
    await expect(unheard?.send({}, new Uint8Array(), signal)).rejects.toMatchObject({
      code: "ECONNREFUSED",
    });
  });
});

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { SpanRecord } from "@agate/protocol";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { afterEach, describe, expect, it, vi } from "vitest";
import { BaseModel } from "../config/base-model.ts";
import { HttpError } from "../routes/http-error.ts";
import { instrument } from "../tracing/instrument.ts";
import type { App, AppOptions } from "./app.ts";
import { answerOf, eventsOf, post } from "./call-app.fixture.ts";
import { createApp } from "./create-app.ts";
import { toNodeHandler } from "./to-node-handler.ts";

class NoConfig extends BaseModel {}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function refusingProxy(): object {
  const refuse = (): never => {
    throw new Error("Do not look.");
  };
  return new Proxy(new Error("hidden"), {
    get: refuse,
    has: refuse,
    getPrototypeOf: refuse,
    ownKeys: refuse,
    getOwnPropertyDescriptor: refuse,
  });
}

/** An error whose properties are replaced by getters. */
function errorWith(properties: Record<string, () => unknown>): Error {
  const error = new Error("plain");
  for (const [name, get] of Object.entries(properties)) Object.defineProperty(error, name, { get });
  return error;
}

const breaks = (): never => {
  throw new Error("Do not read.");
};

const UNREADABLE = "The thrown value has no readable message.";

/** Values that a function may throw, each with the message that its client is told. */
const THROWN: readonly [string, () => unknown, string][] = [
  ["an error", () => new Error("The model is not there."), "The model is not there."],
  [
    "an error without a message",
    () => errorWith({ message: () => "", name: () => "RangeError" }),
    "RangeError",
  ],
  ["a string", () => "just text", "just text"],
  ["undefined", () => undefined, "undefined"],
  ["null", () => null, "null"],
  ["a symbol", () => Symbol("odd"), "Symbol(odd)"],
  ["a bigint", () => 7n, "7"],
  ["a plain object", () => ({ code: 7 }), "[object Object]"],
  ["an object without a prototype", () => Object.create(null), UNREADABLE],
  ["an object whose toString throws", () => ({ toString: breaks }), UNREADABLE],
  ["an object whose toString gives an object", () => ({ toString: () => ({}) }), UNREADABLE],
  ["a proxy that refuses everything", refusingProxy, UNREADABLE],
  ["a revoked proxy", revoked, UNREADABLE],
  ["an error whose message throws", () => errorWith({ message: breaks }), UNREADABLE],
  ["an error whose message is a number", () => errorWith({ message: () => 7 }), "7"],
  ["an error whose stack throws", () => errorWith({ stack: breaks }), "plain"],
  ["an error whose stack is a list", () => errorWith({ stack: () => ["a"] }), "plain"],
  ["an error whose name throws", () => errorWith({ name: breaks }), "plain"],
];

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
  vi.restoreAllMocks();
});

/** Sends a call over a real connection. */
async function overHttp(app: App, path: string, headers: Record<string, string> = {}) {
  const server = createServer(toNodeHandler(app)).listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json", ...headers },
  });
}

/** An app with a route that throws, one whose stream throws, and one whose inner function does. */
function throwingApp(thrown: () => unknown, options: AppOptions = {}): App {
  const app = createApp({ onError: () => {}, ...options });
  const throwIt = (): never => {
    throw thrown();
  };
  const inner = instrument({ name: "inner" })(async () => throwIt());
  app.route("/plain", NoConfig)(throwIt);
  app.route("/async", NoConfig)(async () => throwIt());
  app.route("/inner", NoConfig)(() => inner());
  app.route(
    "/stream",
    NoConfig,
  )(async function* () {
    yield "first";
    throwIt();
  });
  return app;
}

describe.each(THROWN)("%s that is thrown", (_what, thrown, msg) => {
  it("is a 500 with a message, and a failed span", async () => {
    const app = throwingApp(thrown);
    for (const path of ["/plain", "/async", "/stream"]) {
      const { status, body } = await answerOf(post(app, `/playground/run${path}`, {}));
      expect(status).toBe(500);
      expect(body.detail).toEqual([{ loc: [], msg, type: "function_failed" }]);
      expect(body.trace).toMatchObject({
        status: "ERROR",
        metadata: { status_message: msg, events: [{ name: "exception" }] },
      });
    }
  });

  it("fails the span of an inner function, too", async () => {
    const { body } = await answerOf(post(throwingApp(thrown), "/playground/run/inner", {}));
    const [inner] = (body.trace as SpanRecord).children ?? [];
    expect(inner).toMatchObject({ status: "ERROR", metadata: { status_message: msg } });
  });

  it("ends a stream of events with an error", async () => {
    const headers = { accept: "text/event-stream" };
    const answer = await post(throwingApp(thrown), "/playground/run/stream", {}, { headers });
    expect(await eventsOf(answer)).toMatchObject([
      { event: "chunk", data: "first" },
      { event: "error", data: { detail: [{ msg, type: "function_failed" }] } },
    ]);
  });

  it("is answered over a connection, and told on the console", async () => {
    const told = vi.spyOn(console, "warn").mockImplementation(() => {});
    const app = throwingApp(thrown, { onError: undefined });
    const answer = await overHttp(app, "/playground/run/plain");
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({ detail: [{ msg }] });
    expect(told.mock.lastCall?.[0]).toContain("/plain failed");
  });
});

describe("an HttpError", () => {
  it.each([
    ["a line break", { "x-note": "a\r\nset-cookie: b=1" }, '"x-note"'],
    ["a NUL", { "x-note": "a\0b" }, '"x-note"'],
    ["a character beyond ASCII", { "x-note": "caf\u00e9" }, '"x-note"'],
    ["an object as value", { "x-note": {} as string }, "a string, not object"],
    ["a space in the name", { "x note": "a" }, '"x note" is not the name'],
    ["an empty name", { "": "a" }, "is not the name"],
    ["a Headers object", new Headers({ a: "b" }) as never, "plain object"],
    ["null", null as never, "plain object"],
    ...[
      "content-length",
      "Transfer-Encoding",
      "CONNECTION",
      "keep-alive",
      "upgrade",
      "te",
      "trailer",
      "proxy-connection",
      "content-type",
      "content-encoding",
    ].map((name): [string, Record<string, string>, string] => [
      name,
      { [name]: "1" },
      `cannot set the header "${name}"`,
    ]),
  ])("refuses %s among its headers", async (_what, headers, message) => {
    const make = () => new HttpError(429, "Slow down.", { headers });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(message);
    // In a function that is a failure like any other, on both transports.
    const app = createApp({ onError: () => {} });
    app.route(
      "/limit",
      NoConfig,
    )(() => {
      throw make();
    });
    const [direct, sent] = [
      await post(app, "/playground/run/limit", {}),
      await overHttp(app, "/playground/run/limit"),
    ];
    for (const answer of [direct, sent]) {
      expect(answer.status).toBe(500);
      const body = (await answer.json()) as { detail: unknown };
      expect(body.detail).toMatchObject([
        { msg: expect.stringContaining(message), type: "function_failed" },
      ]);
    }
  });

  it("refuses a type that is not a string", () => {
    expect(() => new HttpError(400, "No.", { type: 7 as never })).toThrow(TypeError);
  });

  it("sends headers that can be sent, on both transports", async () => {
    const app = createApp();
    const headers = { "Retry-After": 5 as never, "x-note": "coffee\twith milk" };
    app.route(
      "/limit",
      NoConfig,
    )(() => {
      throw new HttpError(429, "Slow down.", { headers });
    });
    for (const answer of [
      await post(app, "/playground/run/limit", {}),
      await overHttp(app, "/playground/run/limit"),
    ]) {
      expect([
        answer.status,
        answer.headers.get("retry-after"),
        answer.headers.get("x-note"),
      ]).toEqual([429, "5", "coffee\twith milk"]);
    }
  });

  it.each([
    ["headers", { headers: { "content-length": "1" } }],
    ["a line break", { headers: { "x-note": "a\nb" } }],
    ["a status", { status: 20 }],
    ["a status that is no number", { status: "no" }],
    ["a type", { type: 7 }],
  ])("that was changed afterwards is a 500: %s", async (_what, changes) => {
    const app = createApp({ onError: () => {} });
    app.route(
      "/changed",
      NoConfig,
    )(() => {
      const error = new HttpError(429, "Slow down.");
      for (const [name, value] of Object.entries(changes)) {
        Object.defineProperty(error, name, { value });
      }
      throw error;
    });
    for (const answer of [
      await post(app, "/playground/run/changed", {}),
      await overHttp(app, "/playground/run/changed"),
    ]) {
      expect(answer.status).toBe(500);
      const body = (await answer.json()) as { detail: unknown };
      expect(body.detail).toMatchObject([{ msg: expect.any(String), type: "function_failed" }]);
    }
  });

  it("answers with a text where its message was replaced", async () => {
    const app = createApp();
    app.route(
      "/changed",
      NoConfig,
    )(() => {
      throw Object.assign(new HttpError(409, "No."), { message: { not: "a text" } });
    });
    const { status, body } = await answerOf(post(app, "/playground/run/changed", {}));
    expect([status, body.detail[0].msg]).toEqual([409, "[object Object]"]);
  });
});

describe("messages of other code", () => {
  it("are texts where a schema gives something else", async () => {
    const schema: StandardSchemaV1 = {
      "~standard": {
        version: 1,
        vendor: "odd",
        validate: () => ({ issues: [{ message: Object.create(null) }, { message: 7 as never }] }),
      },
    };
    const app = createApp({ onError: () => {} });
    app.route("/input", { config: NoConfig, input: schema })(() => null);
    app.route("/output", { config: NoConfig, output: schema })(() => null);
    for (const [path, status] of [
      ["/input", 422],
      ["/output", 500],
    ] as const) {
      const answer = await answerOf(post(app, `/playground/run${path}`, {}));
      expect(answer.status).toBe(status);
      for (const { msg } of answer.body.detail) expect(msg).toEqual(expect.any(String));
      expect(answer.body.trace.status).toBe("ERROR");
    }
  });

  it("are texts where a configuration source gives something else", async () => {
    const app = createApp({
      configSource: {
        resolve: () => ({ kind: "not-found", reason: Symbol("gone") as never }),
        close: async () => {},
      },
    });
    app.route("/say", NoConfig)(() => null);
    const { status, body } = await answerOf(post(app, "/run/say", {}));
    expect([status, body.detail[0].msg]).toEqual([404, "Symbol(gone)"]);
  });
});

describe("onError", () => {
  it.each(["throws", "rejects"])("that %s harms neither the call nor the process", async (how) => {
    const rejections: unknown[] = [];
    const note = (reason: unknown): void => void rejections.push(reason);
    process.on("unhandledRejection", note);
    try {
      const app = throwingApp(() => new Error("no"), {
        onError: () => {
          const error = new Error("onError broke");
          if (how === "throws") throw error;
          return Promise.reject(error) as never;
        },
        onWarning: () => {},
      });
      const { status } = await answerOf(post(app, "/playground/run/plain", {}));
      expect(status).toBe(500);
      // Rejections are reported once the microtasks of the turn are done.
      await new Promise((resolve) => setImmediate(resolve));
      expect(rejections).toEqual([]);
      expect(app.telemetry.statistics().faults).toBe(1);
    } finally {
      process.off("unhandledRejection", note);
    }
  });
});

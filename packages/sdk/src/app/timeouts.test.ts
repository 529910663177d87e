import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { json } from "node:stream/consumers";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { BaseModel } from "../config/base-model.ts";
import type { App } from "./app.ts";
import { answerOf, eventsOf, post } from "./call-app.fixture.ts";
import { createApp } from "./create-app.ts";
import { outcomeOf, outputOf, ServedApp } from "./served-app.fixture.ts";

class NoConfig extends BaseModel {}

const timeout = 30;
const asEvents = { headers: { accept: "text/event-stream" } };

/** A schema whose check never comes to an end. */
const hanging: StandardSchemaV1 = {
  "~standard": { version: 1, vendor: "slow", validate: () => new Promise<never>(() => {}) },
};

/** An app with a route for each step of a call, which never ends. */
function slowApp(): App {
  const app = createApp({
    configSource: { resolve: () => new Promise<never>(() => {}), close: async () => {} },
  });
  app.route("/function", { config: NoConfig, timeout })(() => new Promise<never>(() => {}));
  app.route("/input", { config: NoConfig, input: hanging, timeout })(() => null);
  app.route("/output", { config: NoConfig, output: hanging, timeout })(() => null);
  app.route("/chunk", { config: NoConfig, stream: hanging, timeout })(async function* () {
    yield 1;
  } as never);
  app.route("/stream", { config: NoConfig, timeout })(async function* () {
    yield 1;
    await new Promise(() => {});
  });
  const config = z.object({ n: z.number().default(1) }).refine(() => new Promise<never>(() => {}));
  app.route("/config", { config: config as never, timeout })(() => null);
  return app;
}

describe("a timeout covers every step of a call", () => {
  it.each([
    ["/playground/run/function", "running the function"],
    ["/playground/run/input", "checking the inputs"],
    ["/playground/run/output", "checking the output"],
    ["/playground/run/chunk", "streaming the output"],
    ["/playground/run/stream", "streaming the output"],
    ["/playground/run/config", "checking the configuration"],
    ["/run/function", "resolving the configuration"],
  ])("%s, while %s", async (path, step) => {
    const { status, body } = await answerOf(post(slowApp(), path, { inputs: { n: 1 } }));
    expect(status).toBe(504);
    expect(body.detail).toEqual([
      {
        loc: [],
        msg: `The call took longer than the route's timeout of 30 ms: it was ${step}.`,
        type: "timeout",
      },
    ]);
    if (body.trace !== undefined) {
      expect(body.trace).toMatchObject({ status: "ERROR", content: { inputs: { n: 1 } } });
    }
  });

  it.each(["/chunk", "/stream"])("also of events: %s", async (path) => {
    const answer = await post(slowApp(), `/playground/run${path}`, {}, asEvents);
    const events = await eventsOf(answer);
    expect(events.at(-1)).toMatchObject({
      event: "error",
      data: { detail: [{ type: "timeout", msg: expect.stringContaining("streaming the output") }] },
    });
  });

  it("a body that trickles in over fetch, which is not read on", async () => {
    let isCancelled = false;
    const trickle = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"inputs":')),
      cancel: () => {
        isCancelled = true;
      },
    });
    const answer = await slowApp().fetch(
      new Request("http://workflow.test/playground/run/function", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: trickle,
        duplex: "half",
      } as RequestInit),
    );
    expect(answer.status).toBe(504);
    expect(await answer.json()).toMatchObject({
      detail: [{ msg: expect.stringContaining("reading the request body") }],
    });
    expect(isCancelled).toBe(true);
  });

  it("a body that trickles in over a connection, which is closed", async () => {
    await using served = await ServedApp.start();
    served.app.route("/echo", { config: NoConfig, timeout })((input: unknown) => input);
    const sending = request(`${served.url}/playground/run/echo`, {
      method: "POST",
      headers: { "content-type": "application/json", "content-length": 1_000 },
    });
    sending.write('{"inputs":');
    const [answer] = (await once(sending, "response")) as [IncomingMessage];
    expect([answer.statusCode, answer.headers.connection]).toEqual([504, "close"]);
    expect(await json(answer)).toMatchObject({
      detail: [{ msg: expect.stringContaining("reading the request body"), type: "timeout" }],
    });
    // The server ends the connection though the body is not complete.
    if (!answer.socket.destroyed) await once(answer.socket, "close");
    expect((await served.spans()).map(outcomeOf)).toEqual(["failed"]);
    sending.destroy();
  });
});

describe("a call that ends in time", () => {
  it.each([2 ** 31 - 1, 2 ** 31, 2 ** 40, Number.POSITIVE_INFINITY])(
    "is answered with a timeout of %d ms",
    async (long) => {
      const app = createApp();
      const input = z.string().transform(async (text) => text);
      app.route("/echo", { config: NoConfig, input, timeout: long })(async (text) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        return text;
      });
      const { status, body } = await answerOf(post(app, "/playground/run/echo", { inputs: "a" }));
      expect([status, body.data]).toEqual([200, "a"]);
    },
  );
});

describe("a stream that is ended by its timeout", () => {
  it.each(["events", "json"])("keeps what it gave by then: %s", async (way) => {
    await using served = await ServedApp.start();
    served.app.route("/slow", { config: NoConfig, timeout: 100 })(async function* () {
      yield "a";
      yield "b";
      await new Promise(() => {});
    });
    const init = way === "events" ? asEvents : {};
    await (await post(served.app, "/playground/run/slow", {}, init)).text();
    const [span] = await served.spans();
    expect([outcomeOf(span!), outputOf(span!)]).toEqual(["failed", "ab"]);
  });

  it("is ended though its client does not read on", async () => {
    await using served = await ServedApp.start();
    const left = Promise.withResolvers<void>();
    served.app.route("/slow", { config: NoConfig, timeout: 50 })(async function* () {
      try {
        for (;;) yield "a";
      } finally {
        left.resolve();
      }
    });
    const answer = await post(served.app, "/playground/run/slow", {}, asEvents);
    await left.promise;
    const [span] = await served.spans();
    expect(outcomeOf(span!)).toBe("failed");
    expect((await eventsOf(answer)).at(-1)).toMatchObject({ event: "error" });
  });

  it("is left unread where the function returns it too late", async () => {
    const app = createApp();
    const gate = Promise.withResolvers<void>();
    const cancelled = Promise.withResolvers<void>();
    app.route("/late", { config: NoConfig, timeout })(async () => {
      await gate.promise;
      return new ReadableStream({ cancel: () => cancelled.resolve() });
    });
    expect((await post(app, "/playground/run/late", {})).status).toBe(504);
    gate.resolve();
    await cancelled.promise;
  });
});

describe("a timeout is refused where it is declared", () => {
  it.each([
    0,
    -1,
    Number.NaN,
    Number.NEGATIVE_INFINITY,
    "100",
    null,
    10n,
    {},
    [5],
    Symbol("s"),
    true,
  ])("%s", (value) => {
    const declare = () =>
      createApp().route("/say", { config: NoConfig, timeout: value as number })(() => null);
    expect(declare).toThrow("The timeout of the route /say is a number of milliseconds above 0");
  });
});

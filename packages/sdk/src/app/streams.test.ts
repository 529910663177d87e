import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { SpanRecord } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { BaseModel } from "../config/base-model.ts";
import { Field, float } from "../config/field.ts";
import { routingContext } from "../context/routing-context.ts";
import { instrument } from "../tracing/instrument.ts";
import type { App } from "./app.ts";
import { answerOf, eventsOf, KnownConfig, post } from "./call-app.fixture.ts";
import { createApp } from "./create-app.ts";

class Config extends BaseModel {
  temperature = Field(float, { default: 0.7 });
}

const asEvents = { headers: { accept: "text/event-stream" } };

const step = instrument({ name: "step" })(async (n: number) => n);

/** A generator whose body looks around after each chunk, whoever asks for it. */
function lookingApp(): App {
  const configSource = new KnownConfig({ "/look": { temperature: 0.2 } });
  const app = createApp({ application: "desk", configSource });
  app.route(
    "/look",
    Config,
  )(async function* () {
    for (let n = 0; n < 3; n += 1) {
      await step(n);
      const { temperature } = await app.ConfigManager.getFromRoute({ schema: Config });
      yield { n, temperature, environment: routingContext().environment?.slug ?? null };
    }
  });
  return app;
}

describe("the body of a function that streams", () => {
  it.each(["as events", "collected"])("runs inside its call: %s", async (way) => {
    const app = lookingApp();
    const seen = (temperature: number, environment: string | null) =>
      [0, 1, 2].map((n) => ({ n, temperature, environment }));
    if (way === "collected") {
      const { body } = await answerOf(post(app, "/run/look", {}));
      expect(body.data).toEqual(seen(0.2, "production"));
      return;
    }
    const config = { temperature: 0.4 };
    const events = await eventsOf(await post(app, "/playground/run/look", { config }, asEvents));
    const done = events.pop()!;
    expect(events.map(({ data }) => data)).toEqual(seen(0.4, null));
    const { trace, span_id } = done.data as { trace: SpanRecord; span_id: string };
    const children = trace.children ?? [];
    expect(children.map(({ name, parent_span_id }) => [name, parent_span_id])).toEqual(
      Array(3).fill(["step", span_id]),
    );
    expect(trace.content.outputs).toEqual(seen(0.4, null));
  });

  it("runs no further than its client has asked", async () => {
    const app = createApp();
    let given = 0;
    app.route(
      "/count",
      Config,
    )(async function* () {
      for (;;) yield given++;
    });
    const response = await post(app, "/playground/run/count", {}, asEvents);
    const reader = response.body!.getReader();
    for (let n = 0; n < 5; n += 1) await reader.read();
    // One may be under way, one may wait.
    expect(given).toBeLessThanOrEqual(7);
    await reader.cancel();
  });
});

describe("a long stream", () => {
  it.each(["an instrumented generator inside", "a timeout", "neither"])(
    "holds no chunk that its client has taken: with %s",
    async (what) => {
      setFlagsFromString("--expose-gc");
      const collect = runInNewContext("gc") as () => void;
      const app = createApp();
      const sent: WeakRef<object>[] = [];
      async function* numbers() {
        for (let n = 0; n < 3_000; n += 1) {
          const chunk = { n, text: "x".repeat(1_000) };
          sent.push(new WeakRef(chunk));
          yield chunk;
        }
      }
      const inner = instrument({ name: "numbers" })(numbers);
      const timeout = what === "a timeout" ? 60_000 : undefined;
      app.route("/count", { config: Config, timeout })(
        what === "an instrumented generator inside" ? () => inner() : numbers,
      );
      const response = await post(app, "/playground/run/count", {}, asEvents);
      const reader = response.body!.getReader();
      for (let n = 0; n < 2_000; n += 1) await reader.read();
      // Weak references are cleared between turns of the event loop.
      await setImmediate();
      collect();
      // The one that is under way may be held.
      const held = sent.filter((chunk) => chunk.deref() !== undefined);
      expect(held.length).toBeLessThan(10);
      await reader.cancel();
    },
  );
});

describe("a stream that takes too long", () => {
  function slowApp() {
    const app = createApp();
    const left = Promise.withResolvers<void>();
    app.route("/slow", { config: Config, timeout: 20 })(async function* (
      _input: object,
      { signal },
    ) {
      try {
        yield "first";
        await new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        });
      } finally {
        left.resolve();
      }
    });
    app.route("/hung", { config: Config, timeout: 20 })(async function* () {
      yield "first";
      await new Promise(() => {});
    });
    return { app, left: left.promise };
  }

  it.each(["/slow", "/hung"])("is a 504 where it is collected: %s", async (path) => {
    const { status, body } = await answerOf(post(slowApp().app, `/playground/run${path}`, {}));
    expect([status, body.detail[0].type, body.trace.status]).toEqual([504, "timeout", "ERROR"]);
  });

  it.each(["/slow", "/hung"])("ends with an error event where it began: %s", async (path) => {
    const events = await eventsOf(
      await post(slowApp().app, `/playground/run${path}`, {}, asEvents),
    );
    expect(events).toMatchObject([
      { event: "chunk", data: "first" },
      { event: "error", data: { detail: [{ type: "timeout" }], trace: { status: "ERROR" } } },
    ]);
  });

  it("is over for its function too", async () => {
    const { app, left } = slowApp();
    await post(app, "/playground/run/slow", {});
    await left;
  });
});

describe("what streams and what does not", () => {
  it.each<[string, () => unknown, unknown]>([
    ["an async iterable that is no generator", asyncIterable, [1, 2]],
    ["an iterator", () => [1, 2].values(), [1, 2]],
    ["a promise of a generator", async () => [1, 2].values(), [1, 2]],
    ["no chunk at all", async function* () {}, []],
    ["a list", () => [1, 2], [1, 2]],
    ["a string", () => "12", "12"],
    [
      "a ReadableStream",
      () => new Blob(["12"]).stream().pipeThrough(new TextDecoderStream()),
      "12",
    ],
    ["text and other things", () => ["a", 1].values(), ["a", 1]],
  ])("%s", async (what, run, data) => {
    const app = createApp();
    app.route("/any", Config)(run);
    const { body } = await answerOf(post(app, "/playground/run/any", {}));
    expect(body.data).toEqual(data);
    const streamed = await post(app, "/playground/run/any", {}, asEvents);
    const isStream = what !== "a list" && what !== "a string";
    expect(streamed.headers.get("content-type")).toBe(
      isStream ? "text/event-stream" : "application/json",
    );
    await streamed.body?.cancel();
  });

  it("ends with an error where a chunk is not what was declared, or not JSON", async () => {
    const app = createApp({ onError: () => {} });
    app.route("/typed", { config: Config, stream: z.number() })(async function* () {
      yield 1;
      yield "two" as unknown as number;
    });
    app.route(
      "/bigint",
      Config,
    )(async function* () {
      yield 1;
      yield 2n;
    });
    for (const path of ["/typed", "/bigint"]) {
      const events = await eventsOf(await post(app, `/playground/run${path}`, {}, asEvents));
      expect(events).toMatchObject([
        { event: "chunk", data: 1 },
        { event: "error", data: { detail: [{ type: "output_invalid" }] } },
      ]);
      const { status, body } = await answerOf(post(app, `/playground/run${path}`, {}));
      expect([status, body.detail[0].type]).toEqual([500, "output_invalid"]);
    }
  });
});

function asyncIterable(): AsyncIterable<number> {
  const values = [1, 2];
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const value = values.shift();
        return value === undefined ? { done: true, value } : { done: false, value };
      },
    }),
  };
}

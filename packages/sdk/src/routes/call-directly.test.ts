import type { SpanRecord } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { answerOf, KnownConfig, post } from "../app/call-app.fixture.ts";
import { createApp } from "../app/create-app.ts";
import { BaseModel } from "../config/base-model.ts";
import { ConfigValidationError } from "../config/config-validation-error.ts";
import { Field, float, str } from "../config/field.ts";
import { routingContextManager } from "../context/routing-context.ts";
import { instrument } from "../tracing/instrument.ts";

class Config extends BaseModel {
  prompt = Field(str, { default: "Say:" });
  temperature = Field(float, { default: 0.7, ge: 0, le: 2 });
}

function desk(params: Record<string, Record<string, unknown>> = {}) {
  return createApp({ application: "desk", configSource: new KnownConfig(params) });
}

describe("a route that code calls", () => {
  it("stays what it was: sync, async, a generator, an async generator", async () => {
    const app = desk();
    const sync = app.route("/sync", Config)((n: number) => n + 1);
    const later = app.route("/later", Config)(async (n: number) => n + 1);
    const count = app.route(
      "/count",
      Config,
    )(function* (n: number) {
      for (let i = 0; i < n; i += 1) yield i;
    });
    const countLater = app.route(
      "/count-later",
      Config,
    )(async function* (n: number) {
      for (let i = 0; i < n; i += 1) yield i;
    });
    expect(sync(1)).toBe(2);
    expect(await later(1)).toBe(2);
    expect([...count(3)]).toEqual([0, 1, 2]);
    const counted: number[] = [];
    for await (const n of countLater(3)) counted.push(n);
    expect(counted).toEqual([0, 1, 2]);
  });

  it("throws what its function throws, as it was", () => {
    const error = new Error("the model is out");
    const say = desk().route(
      "/say",
      Config,
    )(() => {
      throw error;
    });
    expect(() => say({})).toThrow(error);
  });

  it("has its defaults where nobody configures it, and what it is given where somebody does", () => {
    const say = desk().route("/say", Config)((_input: object, { config }) => ({ ...config }));
    expect(say({})).toEqual({ prompt: "Say:", temperature: 0.7 });
    expect(say({}, { config: { temperature: 0 } })).toEqual({ prompt: "Say:", temperature: 0 });
    expect(() => say({}, { config: { temperature: 3 } })).toThrow(ConfigValidationError);
    expect(() => say({}, { config: { temprature: 1 } as object })).toThrow(/temprature/);
  });

  it("has the configuration of the routing context around it", async () => {
    const app = desk();
    const say = app.route(
      "/say",
      Config,
    )(async (_input: object, { config }) => {
      const read = await app.ConfigManager.getFromRoute({ schema: Config });
      return [config.temperature, read.temperature];
    });
    const inBlock = (config: Record<string, unknown>) =>
      routingContextManager({ config }, () => say({}));
    expect(await inBlock({ temperature: 0.1 })).toEqual([0.1, 0.1]);
    expect(await inBlock({ other: true })).toEqual([0.7, 0.7]);
    expect(
      await routingContextManager({ config: { temperature: 0.1 } }, () =>
        say({}, { config: { temperature: 0.2 } }),
      ),
    ).toEqual([0.2, 0.2]);
    await expect(inBlock({ temperature: 7 })).rejects.toThrow(ConfigValidationError);
  });

  it("asks the registry where nobody has configured it, however deep it is called", async () => {
    const app = desk({ "/inner": { temperature: 0.3 }, "/outer": { temperature: 0.4 } });
    const read = async () => (await app.ConfigManager.getFromRoute({ schema: Config })).temperature;
    const inner = app.route("/inner", Config)(read);
    const outer = app.route("/outer", Config)(async () => [await read(), await inner({})]);
    expect(await outer({})).toEqual([0.4, 0.3]);
    expect(await outer({}, { config: { temperature: 1 } })).toEqual([1, 0.7]);
  });

  it("is handed the caller's signal", () => {
    const say = desk().route("/say", Config)((_input: object, { signal }) => signal);
    const { signal } = new AbortController();
    expect(say({}, { signal })).toBe(signal);
    expect(say({}).aborted).toBe(false);
  });

  it("waits for a configuration that is checked asynchronously, or says that it cannot", async () => {
    const app = desk();
    const config = z
      .object({ prompt: z.string().default("") })
      .refine(async ({ prompt }) => prompt !== "bad");
    const say = app.route("/say", config)(() => null);
    expect(() => say({})).toThrow(/checks that are async.*function async.*createClient\(\)/);
    const later = app.route("/later", config)(async (_input, call) => call.config.prompt);
    expect(await later({}, { config: { prompt: "Say:" } })).toBe("Say:");
    await expect(later({}, { config: { prompt: "bad" } })).rejects.toThrow(ConfigValidationError);
  });

  it("rejects where it is refused and its function is async, and throws where it is not", async () => {
    const app = desk();
    const call = { config: { temperature: 3 } };
    const later = app.route("/later", Config)(async () => "said");
    const traced = app.route("/traced", Config)(instrument()(async () => "said"));
    class Desk {
      @app.route("/method", Config)
      async method(_input: object, _call?: object) {
        return "said";
      }
    }
    for (const refused of [later({}, call), traced({}, call), new Desk().method({}, call)]) {
      await expect(refused).rejects.toThrow(ConfigValidationError);
    }
    const stream = app.route(
      "/stream",
      Config,
    )(async function* () {
      yield "said";
    })({}, call);
    await expect(stream.next()).rejects.toThrow(ConfigValidationError);
    expect(await stream.next()).toEqual({ done: true, value: undefined });

    const now = app.route("/now", Config)(() => "said");
    expect(() => now({}, call)).toThrow(ConfigValidationError);
    const chunks = app.route(
      "/chunks",
      Config,
    )(function* () {
      yield "said";
    });
    expect(() => chunks({}, call)).toThrow(ConfigValidationError);
  });
});

describe("a route that is called inside a call of another", () => {
  function nested(params: Record<string, Record<string, unknown>>) {
    const app = desk(params);
    const inner = app.route(
      "/inner",
      Config,
    )(async (_input: object, { config }) => {
      const read = await app.ConfigManager.getFromRoute({ schema: Config });
      return [config.temperature, read.temperature];
    });
    app.route(
      "/outer",
      Config,
    )(async (input: { config?: { temperature: number } }, { config }) => ({
      outer: config.temperature,
      inner: await inner({}, input),
    }));
    return app;
  }

  it("has the configuration of its own path in the same revision", async () => {
    const app = nested({ "/outer": { temperature: 1 }, "/inner": { temperature: 2, gone: 1 } });
    const { body } = await answerOf(post(app, "/run/outer", {}));
    expect(body.data).toEqual({ outer: 1, inner: [2, 2] });
  });

  it("has its defaults where the revision does not know it, and on the playground", async () => {
    const app = nested({ "/outer": { temperature: 1 } });
    const deployed = await answerOf(post(app, "/run/outer", {}));
    expect(deployed.body.data).toEqual({ outer: 1, inner: [0.7, 0.7] });
    const config = { temperature: 1 };
    const played = await answerOf(post(app, "/playground/run/outer", { config }));
    expect(played.body.data).toEqual({ outer: 1, inner: [0.7, 0.7] });
  });

  it("has what it is given over the configuration of its own", async () => {
    const app = desk({ "/outer": { prompt: "Out:" }, "/inner": { prompt: "In:", gone: 1 } });
    const inner = app.route("/inner", Config)((_input: object, { config }) => ({ ...config }));
    app.route(
      "/outer",
      Config,
    )(() => [
      inner({}, { config: { temperature: 0.1 } }),
      inner({}, { config: { temperature: 0.1, prompt: undefined } }),
      inner({}, { config: { prompt: "Given:" } }),
      routingContextManager({ config: { temperature: 0.2 } }, () =>
        inner({}, { config: { prompt: "Given:" } }),
      ),
      inner({}),
    ]);
    const { body } = await answerOf(post(app, "/run/outer", {}));
    expect(body.data).toEqual([
      { prompt: "In:", temperature: 0.1 },
      { prompt: "In:", temperature: 0.1 },
      { prompt: "Given:", temperature: 0.7 },
      { prompt: "Given:", temperature: 0.2 },
      { prompt: "In:", temperature: 0.7 },
    ]);
  });

  it("has what it is given over that of the running call where it calls itself", async () => {
    const app = desk();
    const count = app.route(
      "/count",
      Config,
    )(async ({ n }: { n: number }, { config }): Promise<unknown[]> => {
      const own = [config.prompt, config.temperature];
      return n === 0
        ? [own]
        : [own, ...(await count({ n: n - 1 }, { config: { temperature: n / 10 } }))];
    });
    const config = { prompt: "Count:", temperature: 1 };
    const { body } = await answerOf(
      post(app, "/playground/run/count", { config, inputs: { n: 2 } }),
    );
    expect(body.data).toEqual([
      ["Count:", 1],
      ["Count:", 0.2],
      ["Count:", 0.1],
    ]);
  });

  it("refuses a field that it does not have, and values that are none", async () => {
    const app = desk({ "/inner": { prompt: "In:", gone: 1 } });
    const inner = app.route("/inner", Config)((_input: object, { config }) => ({ ...config }));
    app.route(
      "/outer",
      Config,
    )((input: { config: object }) => {
      try {
        return inner({}, input);
      } catch (error) {
        return (error as Error).message;
      }
    });
    const refused = async (config: unknown) =>
      (await answerOf(post(app, "/run/outer", { inputs: { config } }))).body.data;
    expect(await refused({ gone: 2 })).toMatch(/gone/);
    expect(await refused({ temprature: 1 })).toMatch(/did you mean "temperature"/);
    expect(await refused([])).toMatch(/object/);
    expect(await refused("warm")).toMatch(/object/);
  });

  it("has the configuration that it is given instead", async () => {
    const app = nested({ "/inner": { temperature: 2 } });
    const inputs = { config: { temperature: 0.5 } };
    const { body } = await answerOf(post(app, "/run/outer", { inputs }));
    expect(body.data.inner).toEqual([0.5, 0.5]);
  });

  it("has that of a block inside the call, or of what such a block names", async () => {
    const app = desk({ "/inner": { temperature: 2 } });
    const inner = app.route(
      "/inner",
      Config,
    )(async (_input: object, { config }) => {
      const read = await app.ConfigManager.getFromRoute({ schema: Config });
      return [config.temperature, read.temperature];
    });
    app.route(
      "/outer",
      Config,
    )(async () => [
      await routingContextManager({ config: { temperature: 0.1 } }, () => inner({})),
      await routingContextManager({ variant: { slug: "other" } }, () => inner({})),
      await inner({}),
    ]);
    const { body } = await answerOf(post(app, "/run/outer", {}));
    expect(body.data).toEqual([
      [0.1, 0.1],
      [2, 2],
      [2, 2],
    ]);
  });

  it("is a WORKFLOW span below the caller's, marked as a direct call", async () => {
    const app = nested({});
    const { body } = await answerOf(
      post(app, "/playground/run/outer", { inputs: { config: { temperature: 0.5 } } }),
    );
    const [inner, ...others] = (body.trace as SpanRecord).children ?? [];
    expect(others).toEqual([]);
    expect(body.trace.metadata.attributes["ag.call.origin"]).toBe("playground");
    expect(inner).toMatchObject({
      name: "invoke_workflow inner",
      parent_span_id: body.span_id,
      trace_id: body.trace_id,
      spankind: "WORKFLOW",
      status: "OK",
      config: { prompt: "Say:", temperature: 0.5 },
      content: { inputs: {}, outputs: [0.5, 0.5] },
      metadata: { attributes: { "ag.call.origin": "direct", "ag.route": "/inner" } },
    });
  });

  it("is told when the client of the call around it goes away", async () => {
    const app = desk();
    const client = new AbortController();
    const started = Promise.withResolvers<void>();
    const inner = app.route(
      "/inner",
      Config,
    )((_input: object, { signal }) => {
      const aborted = new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve(signal.reason));
      });
      started.resolve();
      return aborted;
    });
    app.route("/outer", Config)(async () => (await inner({})) instanceof DOMException);
    const answer = post(app, "/run/outer", {}, { signal: client.signal });
    await started.promise;
    client.abort();
    expect((await answerOf(answer)).body.data).toBe(true);
  });

  it("records no more than its route says", async () => {
    const app = desk();
    const inner = app.route("/inner", {
      config: Config,
      ignoreInputs: ["password"],
      ignoreOutputs: true,
      redact: ["email"],
    })(({ user }: { user: string; password: string; email: string }) => `token of ${user}`);
    app.route(
      "/outer",
      Config,
    )(() => inner({ user: "ada", password: "p4ss", email: "ada@example.org" }));
    const { body } = await answerOf(post(app, "/playground/run/outer", {}));
    expect(body.data).toBe("token of ada");
    expect(body.trace.children[0].content).toEqual({
      inputs: { user: "ada", email: "[redacted]" },
      internals: null,
      outputs: null,
    });
  });

  it("records what it throws, and lets it through", async () => {
    const app = desk();
    const inner = app.route(
      "/inner",
      Config,
    )(async () => {
      throw new Error("the model is out");
    });
    app.route("/outer", Config)(() => inner({}).catch((error: Error) => error.message));
    const { body } = await answerOf(post(app, "/playground/run/outer", {}));
    expect(body.data).toBe("the model is out");
    expect(body.trace.status).toBe("OK");
    expect(body.trace.children[0]).toMatchObject({
      status: "ERROR",
      metadata: { status_message: "the model is out" },
    });
  });
});

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { BaseModel } from "../config/base-model.ts";
import { bool, Field, float, int, MultipleChoice, str } from "../config/field.ts";
import { HttpError } from "../routes/http-error.ts";
import { answerOf, eventsOf, KnownConfig, post } from "./call-app.fixture.ts";
import { createApp } from "./create-app.ts";

class ToneConfig extends BaseModel {
  tone = Field(MultipleChoice({ choices: ["plain", "formal"] }), { default: "plain" });
  temperature = Field(float, { default: 0.7, ge: 0, lt: 2 });
  words = Field(int, { default: 3, ge: -1, le: 100 });
  loud = Field(bool, { default: false });
  prompt = Field(str, { default: "Say:" });
}

function desk(params: Record<string, Record<string, unknown>> = {}) {
  const source = new KnownConfig(params);
  return {
    source,
    app: createApp({ application: "desk", configSource: source, onError: () => {} }),
  };
}

describe("a route's playground endpoint", () => {
  it("runs the function with the caller's configuration and the defaults of the rest", async () => {
    const { app } = desk();
    app.route("/say", ToneConfig)(({ text }: { text: string }, { config }) => ({ text, config }));
    const { status, body, headers } = await answerOf(
      post(app, "/playground/run/say", { config: { tone: "formal" }, inputs: { text: "hello" } }),
    );
    expect(status).toBe(200);
    expect(body.data).toEqual({
      text: "hello",
      config: { tone: "formal", temperature: 0.7, words: 3, loud: false, prompt: "Say:" },
    });
    expect(headers.get("traceparent")).toBe(`00-${body.trace_id}-${body.span_id}-01`);
    expect(body.trace).toMatchObject({
      id: body.span_id,
      trace_id: body.trace_id,
      name: "invoke_workflow say",
      spankind: "WORKFLOW",
      status: "OK",
      parent_span_id: null,
      content: { inputs: { text: "hello" }, outputs: body.data },
      config: { tone: "formal", temperature: 0.7, words: 3, loud: false, prompt: "Say:" },
      environment: null,
      variant: { variant_id: null, variant_name: null, revision: null },
      children: null,
    });
  });

  it.each([
    [{ temperature: 2 }, "temperature", "less_than"],
    [{ temperature: -0.1 }, "temperature", "greater_than_equal"],
    [{ words: 1.5 }, "words", "int_type"],
    [{ loud: "yes" }, "loud", "bool_type"],
    [{ tone: "rude" }, "tone", "choice"],
    [{ prompt: null }, "prompt", "string_type"],
    [{ tmperature: 1 }, "tmperature", "unknown_field"],
  ])("refuses %j before the function runs", async (config, field, type) => {
    const { app } = desk();
    let ran = false;
    app.route(
      "/say",
      ToneConfig,
    )(() => {
      ran = true;
    });
    const { status, body } = await answerOf(post(app, "/playground/run/say", { config }));
    expect(status).toBe(422);
    expect(body.detail).toEqual([
      { loc: ["body", "config", field], msg: expect.any(String), type },
    ]);
    expect(ran).toBe(false);
    expect(body.trace_id).toMatch(/^[0-9a-f]{32}$/);
  });

  it("reports bad inputs and a bad configuration in one answer", async () => {
    const { app } = desk();
    app.route("/say", { config: ToneConfig, input: z.object({ text: z.string() }) })(
      ({ text }) => text,
    );
    const { status, body } = await answerOf(
      post(app, "/playground/run/say", { config: { words: 1000 }, inputs: { text: 7 } }),
    );
    expect(status).toBe(422);
    expect(body.detail.map(({ loc, type }: { loc: unknown; type: string }) => [loc, type])).toEqual(
      [
        [["body", "config", "words"], "less_than_equal"],
        [["body", "inputs", "text"], "input_invalid"],
      ],
    );
  });
});

describe("a route's deployed endpoint", () => {
  it("takes its configuration from the registry and says whose it is", async () => {
    const { app, source } = desk({ "/say": { temperature: 0.2 } });
    app.route("/say", ToneConfig)((_input, { config }) => config.temperature);
    const { status, body } = await answerOf(
      post(app, "/run/say", { environment: "production", inputs: {} }),
    );
    expect({ status, data: body.data }).toEqual({ status: 200, data: 0.2 });
    expect(body).not.toHaveProperty("trace");
    expect(source.asked[0]).toMatchObject({
      by: "environment",
      application: "desk",
      environment: "production",
    });
  });

  it("asks for production where the body names nothing, and for a variant by slug and revision", async () => {
    const { app, source } = desk();
    app.route("/say", ToneConfig)(() => null);
    await post(app, "/run/say", {});
    await post(app, "/run/say", { variant: { slug: "concise" } });
    await post(app, "/run/say", { variant: { slug: "concise", revision: 2 } });
    expect(source.asked).toMatchObject([
      { by: "environment", environment: "production" },
      { by: "variant", variant: "concise", revision: null },
      { by: "variant", variant: "concise", revision: 2 },
    ]);
  });

  it("takes the environment of a header where the body names nothing", async () => {
    const { app, source } = desk();
    app.route("/say", ToneConfig)(() => null);
    const headers = { "agate-environment": "staging" };
    await post(app, "/run/say", {}, { headers });
    await post(app, "/run/say", { environment: "production" }, { headers });
    await post(app, "/run/say", { variant: { slug: "concise" } }, { headers });
    await post(app, "/run/say", {}, { headers: { "agate-environment": "" } });
    expect(source.asked).toMatchObject([
      { by: "environment", environment: "staging" },
      { by: "environment", environment: "production" },
      { by: "variant", variant: "concise" },
      { by: "environment", environment: "production" },
    ]);
  });

  it("enforces bounds on what the registry has, too", async () => {
    const { app } = desk({ "/say": { temperature: 9, removed: true } });
    app.route("/say", ToneConfig)(() => null);
    const { status, body } = await answerOf(post(app, "/run/say", {}));
    expect(status).toBe(422);
    expect(body.detail).toEqual([
      {
        loc: ["config", "/say", "temperature"],
        msg: expect.stringContaining("revision 3 of variant concise"),
        type: "less_than",
      },
    ]);
  });

  it("is a 404 where nothing is deployed, and a 503 while the registry is away", async () => {
    const { app, source } = desk();
    app.route("/say", ToneConfig)(() => null);
    const missing = await answerOf(post(app, "/run/say", { environment: "staging" }));
    expect([missing.status, missing.body.detail[0].type]).toEqual([404, "config_not_found"]);
    source.away = "unknown";
    const away = await answerOf(post(app, "/run/say", {}));
    expect([away.status, away.body.detail[0].type]).toEqual([503, "config_unavailable"]);
    expect(away.headers.get("retry-after")).toBe("5");
  });
});

describe("the body of a call", () => {
  it.each([
    ["playground", [], "body_invalid", ["body"]],
    ["playground", "{", "body_not_json", ["body"]],
    ["playground", "null", "body_invalid", ["body"]],
    ["playground", { config: [] }, "body_invalid", ["body", "config"]],
    ["playground", { environment: "x" }, "unknown_field", ["body", "environment"]],
    ["playground", '{"__proto__": {}}', "unknown_field", ["body", "__proto__"]],
    ["deployed", { config: {} }, "unknown_field", ["body", "config"]],
    ["deployed", { environment: "" }, "body_invalid", ["body", "environment"]],
    ["deployed", { environment: "a", variant: { slug: "b" } }, "body_invalid", ["body", "variant"]],
    ["deployed", { variant: "b" }, "body_invalid", ["body", "variant"]],
    ["deployed", { variant: {} }, "body_invalid", ["body", "variant", "slug"]],
    [
      "deployed",
      { variant: { slug: "b", revision: 0 } },
      "body_invalid",
      ["body", "variant", "revision"],
    ],
    ["deployed", { variant: { slug: "b", id: 1 } }, "unknown_field", ["body", "variant", "id"]],
  ])("is refused on the %s endpoint when it is %j", async (endpoint, given, type, loc) => {
    const { app } = desk();
    app.route("/say", ToneConfig)(() => null);
    const path = endpoint === "playground" ? "/playground/run/say" : "/run/say";
    const { status, body } = await answerOf(post(app, path, given));
    expect(status).toBe(422);
    expect(body.detail).toEqual([{ loc, msg: expect.any(String), type }]);
  });

  it("must be JSON by its content type, so that no other site's page can send it", async () => {
    const { app } = desk();
    app.route("/say", ToneConfig)(() => null);
    const { status, body } = await answerOf(
      post(app, "/run/say", {}, { headers: { "content-type": "text/plain" } }),
    );
    expect([status, body.detail[0].type]).toEqual([415, "content_type_unsupported"]);
  });

  it("is a 413 beyond the limit, whether it says its length or not", async () => {
    const source = new KnownConfig({});
    const app = createApp({ configSource: source, maxBodyBytes: 100 });
    app.route("/say", ToneConfig)(() => null);
    const { status } = await answerOf(post(app, "/run/say", { inputs: "x".repeat(200) }));
    expect(status).toBe(413);
    const streamed = new Request("http://workflow.test/run/say", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: new Blob(["x".repeat(200)]).stream(),
      duplex: "half",
    } as RequestInit);
    expect((await app.fetch(streamed)).status).toBe(413);
  });
});

describe("an entrypoint", () => {
  it.each([
    ["/generate", "playground"],
    ["/playground/run", "playground"],
    ["/generate_deployed", "deployed"],
    ["/run", "deployed"],
    ["/run/", "deployed"],
  ])("is served at %s, for %s", async (path, endpoint) => {
    const { app } = desk({ "/": { words: 9 } });
    app.entrypoint(ToneConfig)((_input, { config }) => config.words);
    const { status, body } = await answerOf(post(app, path, {}));
    expect([status, body.data]).toEqual([200, endpoint === "playground" ? 3 : 9]);
  });

  it("is the route /, without the two old paths when declared as one", async () => {
    const { app } = desk();
    app.route("/", ToneConfig)(() => "root");
    expect((await post(app, "/run", {})).status).toBe(200);
    expect((await post(app, "/generate", {})).status).toBe(404);
  });
});

describe("what a function throws", () => {
  it("is a 500 with its message, and its stack on the playground only", async () => {
    const { app } = desk();
    app.route(
      "/say",
      ToneConfig,
    )(() => {
      throw new Error("the model is out");
    });
    const played = await answerOf(post(app, "/playground/run/say", {}));
    expect(played.status).toBe(500);
    expect(played.body.detail).toEqual([
      { loc: [], msg: "the model is out", type: "function_failed" },
    ]);
    expect(played.body.stack).toContain("endpoints.test.ts");
    expect(played.body.trace).toMatchObject({
      status: "ERROR",
      metadata: { status_message: "the model is out" },
    });
    const deployed = await answerOf(post(app, "/run/say", {}));
    expect(deployed.body).not.toHaveProperty("stack");
    expect(deployed.body.trace_id).toMatch(/^[0-9a-f]{32}$/);
    expect(JSON.stringify(deployed.body)).not.toContain("endpoints.test.ts");
  });

  it("is answered as it is when it is an HttpError", async () => {
    const { app } = desk();
    app.route(
      "/say",
      ToneConfig,
    )(async () => {
      throw new HttpError(429, "Slow down.", { type: "quota", headers: { "retry-after": "9" } });
    });
    const { status, body, headers } = await answerOf(post(app, "/run/say", {}));
    expect([status, headers.get("retry-after")]).toEqual([429, "9"]);
    expect(body.detail).toEqual([{ loc: [], msg: "Slow down.", type: "quota" }]);
  });

  it.each([["a string"], [undefined], [null], [{ odd: true }]])(
    "may be anything: %j",
    async (thrown) => {
      const { app } = desk();
      app.route(
        "/say",
        ToneConfig,
      )(() => {
        throw thrown;
      });
      const { status, body } = await answerOf(post(app, "/run/say", {}));
      expect([status, body.detail[0].type]).toEqual([500, "function_failed"]);
    },
  );
});

describe("what a function returns", () => {
  it.each([
    ["a string", "x"],
    ["a list", [1, "b", null]],
    ["null", null],
    ["nested objects", { a: { b: [{ c: 1 }] } }],
  ])("comes back as JSON: %s", async (_name, value) => {
    const { app } = desk();
    app.route("/say", ToneConfig)(() => value);
    const { body } = await answerOf(post(app, "/playground/run/say", {}));
    expect(body.data).toEqual(value);
    expect(body.trace.content.outputs).toEqual(value);
  });

  it("is null when it is nothing", async () => {
    const { app } = desk();
    app.route("/say", ToneConfig)(() => undefined);
    expect((await answerOf(post(app, "/run/say", {}))).body.data).toBeNull();
  });

  it("is a 500 that says so when it cannot be JSON", async () => {
    const { app } = desk();
    app.route("/say", ToneConfig)(() => ({ big: 1n }));
    const { status, body } = await answerOf(post(app, "/playground/run/say", {}));
    expect([status, body.detail[0].type]).toEqual([500, "output_invalid"]);
    expect(body.detail[0].msg).toContain("JSON");
  });

  it("is checked against the output schema", async () => {
    const { app } = desk();
    app.route("/say", { config: ToneConfig, output: z.object({ n: z.number() }) })(
      () => ({ n: "seven" }) as unknown as { n: number },
    );
    const { status, body } = await answerOf(post(app, "/playground/run/say", {}));
    expect([status, body.detail[0].loc, body.detail[0].type]).toEqual([
      500,
      ["output", "n"],
      "output_invalid",
    ]);
  });
});

describe("a function that streams", () => {
  async function* words() {
    yield "one ";
    yield "two";
  }

  it("sends events to a client that asks for them", async () => {
    const { app } = desk();
    app.route("/tell", ToneConfig)(() => words());
    const response = await post(
      app,
      "/playground/run/tell",
      {},
      {
        headers: { accept: "text/event-stream" },
      },
    );
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const traceparent = response.headers.get("traceparent");
    const events = await eventsOf(response);
    expect(events.map(({ event }) => event)).toEqual(["chunk", "chunk", "done"]);
    expect(events.slice(0, 2).map(({ data }) => data)).toEqual(["one ", "two"]);
    const done = events[2]!.data as { trace_id: string; span_id: string; trace: object };
    expect(traceparent).toBe(`00-${done.trace_id}-${done.span_id}-01`);
    expect(done.trace).toMatchObject({ status: "OK", content: { outputs: "one two" } });
  });

  it("gives everybody else one string, or a list", async () => {
    const { app } = desk();
    app.route("/tell", ToneConfig)(() => words());
    app.route(
      "/count",
      ToneConfig,
    )(function* () {
      yield 1;
      yield { two: 2 };
    });
    expect((await answerOf(post(app, "/run/tell", {}))).body.data).toBe("one two");
    expect((await answerOf(post(app, "/run/count", {}))).body.data).toEqual([1, { two: 2 }]);
  });

  it("ends with an error event when it throws half-way", async () => {
    const { app } = desk();
    app.route(
      "/tell",
      ToneConfig,
    )(async function* () {
      yield "one";
      throw new Error("ran dry");
    });
    const events = await eventsOf(
      await post(app, "/playground/run/tell", {}, { headers: { accept: "text/event-stream" } }),
    );
    expect(events.map(({ event }) => event)).toEqual(["chunk", "error"]);
    expect(events[1]!.data).toMatchObject({
      detail: [{ msg: "ran dry", type: "function_failed" }],
    });
  });

  it("is told when the client goes away, and is left", async () => {
    const { app } = desk();
    const left = Promise.withResolvers<string>();
    app.route(
      "/tell",
      ToneConfig,
    )(async function* (_input: unknown, { signal }) {
      try {
        for (;;) yield "more";
      } finally {
        left.resolve(signal.aborted ? "aborted" : "left");
      }
    });
    const response = await post(app, "/run/tell", {}, { headers: { accept: "text/event-stream" } });
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    expect(await left.promise).toBe("aborted");
  });

  it("checks each chunk", async () => {
    const { app } = desk();
    app.route("/tell", { config: ToneConfig, stream: z.string() })(async function* () {
      yield 7 as unknown as string;
    });
    const { status, body } = await answerOf(post(app, "/run/tell", {}));
    expect([status, body.detail[0].type]).toEqual([500, "output_invalid"]);
  });
});

describe("the end of a call from outside", () => {
  it("is a 504 past the route's timeout, and aborts the signal", async () => {
    const { app } = desk();
    const aborted = Promise.withResolvers<unknown>();
    app.route("/slow", { config: ToneConfig, timeout: 20 })((_input, { signal }) => {
      signal.addEventListener("abort", () => aborted.resolve(signal.reason));
      return new Promise(() => {});
    });
    const { status, body } = await answerOf(post(app, "/playground/run/slow", {}));
    expect([status, body.detail[0].type]).toEqual([504, "timeout"]);
    expect(body.trace.status).toBe("ERROR");
    expect(await aborted.promise).toMatchObject({ name: "TimeoutError" });
  });

  it("aborts the signal when the client goes away", async () => {
    const { app } = desk();
    const client = new AbortController();
    const started = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<unknown>();
    app.route(
      "/slow",
      ToneConfig,
    )((_input, { signal }) => {
      signal.addEventListener("abort", () => aborted.resolve(signal.reason));
      started.resolve();
      return aborted.promise;
    });
    const answer = post(app, "/run/slow", {}, { signal: client.signal });
    await started.promise;
    client.abort();
    expect(await aborted.promise).toMatchObject({ name: "AbortError" });
    expect((await answer).status).toBe(200);
  });
});

describe("everything else", () => {
  it("says what there is: health, the document, the routes", async () => {
    const { app } = desk();
    app.route("/say", ToneConfig)(() => null);
    const health = await app.fetch(new Request("http://workflow.test/health"));
    expect(await health.json()).toMatchObject({
      status: "ok",
      application: "desk",
      routes: ["/say"],
      telemetry: { exported: 0, dropped: 0 },
    });
    const missing = await answerOf(post(app, "/run/shout", {}));
    expect(missing.status).toBe(404);
    expect(missing.body.detail[0]).toMatchObject({ loc: ["path"], type: "route_not_found" });
    expect(missing.body.detail[0].msg).toContain("/say");
    const wrong = await app.fetch(new Request("http://workflow.test/run/say?x=1"));
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
  });
});

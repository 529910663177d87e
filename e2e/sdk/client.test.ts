import * as ag from "@agate/sdk";
import { ClientError, createClient } from "@agate/sdk/client";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { TestRegistry } from "../../packages/sdk/src/config-source/test-registry.fixture.ts";
import { outline, readTrace, spansOf } from "../clients/read-back.ts";
import { type RunningServer, startServer } from "../running-server.ts";

class Config extends ag.BaseModel {
  tone = ag.Field(ag.MultipleChoice({ choices: ["plain", "formal"] }), { default: "plain" });
}

/** What the functions wait for, new for each test. */
let gate = Promise.withResolvers<void>();
let reached = Promise.withResolvers<string>();
beforeEach(() => {
  gate = Promise.withResolvers<void>();
  reached = Promise.withResolvers<string>();
});

const registry = new TestRegistry();
let platform: RunningServer;
const servings: ag.Serving[] = [];
let url = "";
let library: Library;

function libraryApp(baseUrl: string) {
  const configSource = ag.httpConfigSource({ baseUrl: registry.baseUrl });
  const app = ag.createApp({ application: "library", baseUrl, configSource });
  const say = app.route(
    "/say",
    Config,
  )(({ text }: { text: string }, { config }) => `${config.tone}: ${text}`);
  const tell = app.route(
    "/tell",
    Config,
  )(async function* (words: readonly string[]) {
    for (const [index, word] of words.entries()) {
      if (index > 0) await gate.promise;
      yield word;
    }
  });
  const wait = app.route(
    "/wait",
    Config,
  )((_input: object, { signal }) => {
    signal.addEventListener("abort", () => reached.resolve("aborted"));
    reached.resolve("waiting");
    return gate.promise;
  });
  const drip = app.route(
    "/drip",
    Config,
  )(async function* (_input: object, { signal }) {
    try {
      for (;;) yield { n: 1 };
    } finally {
      reached.resolve(signal.aborted ? "aborted" : "left");
    }
  });
  return app.typed(say, tell, wait, drip);
}

type Library = ReturnType<typeof libraryApp>;

beforeAll(async () => {
  platform = await startServer();
  await registry.listen();
  registry.commit({}, "formal", "library");
  registry.deploy("staging", { "/say": { tone: "formal" } }, "formal", "library");
  library = libraryApp(platform.url);
  const serving = await ag.serve({ app: library, port: 0, signals: false });
  servings.push(serving);
  url = serving.url;
});

afterAll(async () => {
  await Promise.all(servings.map((serving) => serving.close()));
  await registry.die();
  await platform[Symbol.asyncDispose]();
});

describe("a typed client of an app elsewhere", () => {
  it("calls it with a configuration, by environment, by variant and by revision", async () => {
    const client = createClient<Library>(url);
    const text = "hello";
    expect(await client.say({ text }, { config: { tone: "formal" } })).toBe("formal: hello");
    expect(await client.say({ text }, { environment: "staging" })).toBe("formal: hello");
    expect(await client.say({ text }, { variant: { slug: "formal" } })).toBe("formal: hello");
    const first = { slug: "formal", revision: 1 };
    expect(await client.say({ text }, { variant: first })).toBe("plain: hello");
    const refused = await client.say({ text }, { environment: "moon" }).catch((thrown) => thrown);
    expect(refused).toBeInstanceOf(ClientError);
    expect(refused).toMatchObject({ status: 404, detail: [{ type: "config_not_found" }] });
  });

  it("gives each chunk while the function waits before the next", async () => {
    const client = createClient<Library>(url);
    const chunks: string[] = [];
    for await (const chunk of client.tell(["once ", "upon ", "a time"], { config: {} })) {
      chunks.push(chunk);
      if (chunks.length === 1) gate.resolve();
    }
    expect(chunks).toEqual(["once ", "upon ", "a time"]);
    expect(await client.tell(["once ", "more"], { config: {} })).toBe("once more");
  });

  it("ends the function when the loop is left", async () => {
    const client = createClient<Library>(url);
    for await (const { n } of client.drip({}, { config: {} })) {
      expect(n).toBe(1);
      break;
    }
    expect(await reached.promise).toBe("aborted");
  });

  it("aborts the function with its own signal", async () => {
    const client = createClient<Library>(url);
    const mine = new AbortController();
    const call = client.wait({}, { config: {}, signal: mine.signal });
    const outcome = call.then(
      () => "answered",
      (error: Error) => error.name,
    );
    expect(await reached.promise).toBe("waiting");
    reached = Promise.withResolvers<string>();
    mine.abort();
    expect(await outcome).toBe("AbortError");
    expect(await reached.promise).toBe("aborted");
  });

  it("does not send what was aborted before", async () => {
    const call = createClient<Library>(url).wait({}, { config: {}, signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ name: "AbortError" });
  });

  it("rejects where the connection is refused", async () => {
    await expect(createClient<Library>("http://127.0.0.1:1").say({ text: "" })).rejects.toThrow();
  });

  it("finds an app under a prefix, without types", async () => {
    const prefixed = createClient(`${url}/`, {
      fetch: (input, init) => fetch(String(input).replace("/ai/", "/"), init),
    });
    expect(await prefixed.say!({ text: "hello" }, { config: {} })).toBe("plain: hello");
  });
});

describe("an app that calls another", () => {
  it("is one trace with it", async () => {
    const front = ag.createApp({ application: "front", baseUrl: platform.url });
    const ask = ag.instrument({ name: "ask the library", kind: "TOOL" })((text: string) =>
      createClient<Library>(url).say({ text }, { environment: "staging" }),
    );
    front.entrypoint(Config)(({ text }: { text: string }) => ask(text));
    const serving = await ag.serve({ app: front, port: 0, signals: false });
    servings.push(serving);

    const { answer } = createClient(serving.url)({ text: "hello" }, { config: {} });
    const { data, traceId } = await answer;
    expect(data).toBe("formal: hello");
    await Promise.all([front.flush(), library.flush()]);
    const record = await readTrace(platform.url, traceId);
    expect(outline(record)).toBe(
      [
        "WORKFLOW invoke_workflow /",
        "  TOOL ask the library",
        "    WORKFLOW invoke_workflow say",
      ].join("\n"),
    );
    const identities = spansOf(record).map((span) => [
      span.metadata.application,
      span.variant.variant_name,
      span.environment,
    ]);
    expect(identities).toEqual([
      ["front", null, null],
      ["front", null, null],
      ["library", "formal", "staging"],
    ]);
  });
});

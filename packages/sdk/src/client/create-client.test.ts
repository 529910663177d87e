import { describe, expect, it } from "vitest";
import { ClientError } from "./client-error.ts";
import type { ClientOptions } from "./client-types.ts";
import { createClient } from "./create-client.ts";
import { typedApp } from "./some-routes.fixture.ts";

const BASE = "http://workflow.test";

/** A client whose requests go straight to the app, and are remembered. */
function connected(options: ClientOptions = {}) {
  const sent: Request[] = [];
  const client = createClient<typeof typedApp>(`${BASE}/`, {
    ...options,
    fetch: (input, init) => {
      const request = new Request(input, init);
      sent.push(request.clone());
      return typedApp.fetch(request);
    },
  });
  return { client, sent };
}

describe("a client", () => {
  it("calls the playground with a configuration", async () => {
    const { client, sent } = connected();
    const config = { tone: "formal" } as const;
    expect(await client.say({ text: "ha", times: "2" }, { config })).toEqual({
      said: "haha",
      tone: "formal",
    });
    expect(sent[0]?.url).toBe(`${BASE}/playground/run/say`);
    expect(await sent[0]?.json()).toEqual({ config, inputs: { text: "ha", times: "2" } });
  });

  it("calls the entrypoint as itself, and nested paths by their segments", async () => {
    const { client, sent } = connected();
    expect(await client({ question: "why" }, { config: {} })).toBe("plain: why?");
    expect(await client.docs.search("agate", { config: {} })).toEqual(["agate", "agate"]);
    expect(sent.map(({ url }) => url)).toEqual([
      `${BASE}/playground/run`,
      `${BASE}/playground/run/docs/search`,
    ]);
  });

  it("finds paths as they were declared, whatever characters they have", async () => {
    const { client } = connected();
    expect(await client["a:b"]["%C3%A9t%C3%A9"](undefined, { config: {} })).toBe("found");
  });

  it.each([
    [undefined, {}],
    [{ environment: "staging" }, { environment: "staging" }],
    [{ variant: { slug: "concise" } }, { variant: { slug: "concise" } }],
    [{ variant: { slug: "concise", revision: 2 } }, { variant: { slug: "concise", revision: 2 } }],
  ])("calls the deployed endpoint with %j", async (options, said) => {
    const { client, sent } = connected();
    await client.docs.search("agate", options).catch(() => null);
    expect(sent[0]?.url).toBe(`${BASE}/run/docs/search`);
    expect(await sent[0]?.json()).toEqual({ ...said, inputs: "agate" });
  });

  it("sends its headers and its key, and those of the call above them", async () => {
    const { client, sent } = connected({
      apiKey: "key-1",
      headers: { "x-a": "client", "x-b": "b" },
    });
    await client.docs.search("agate", { config: {}, headers: { "x-a": "call" } });
    const headers = sent[0]?.headers;
    expect(headers?.get("authorization")).toBe("Bearer key-1");
    expect([headers?.get("x-a"), headers?.get("x-b")]).toEqual(["call", "b"]);
  });

  it("takes a header of the call over its own, however it is written", async () => {
    const { client, sent } = connected({ apiKey: "key-1", headers: { "X-A": "client" } });
    const headers = { Authorization: "Bearer key-2", "x-a": "call" };
    await client.docs.search("agate", { config: {}, headers });
    expect(sent[0]?.headers.get("authorization")).toBe("Bearer key-2");
    expect(sent[0]?.headers.get("x-a")).toBe("call");
    await expect(client.docs.search("agate", { headers: { "x-a": "two\nlines" } })).rejects.toThrow(
      TypeError,
    );
  });

  it("gives ids, and the tree on the playground, with the answer", async () => {
    const { client } = connected();
    const answer = await client.docs.search("agate", { config: {} }).answer;
    expect(answer).toMatchObject({
      data: ["agate", "agate"],
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      trace: { id: answer.spanId, trace_id: answer.traceId, name: "invoke_workflow docs/search" },
    });
  });

  it("calls without an input where the function needs none", async () => {
    const { client, sent } = connected();
    const config = {};
    expect(await client.greet(undefined, { config })).toBe("Hello, world");
    expect(await client.list(undefined, { config })).toEqual({
      limit: 10,
      at: "1970-01-01T00:00:00.000Z",
    });
    expect(await client.repeat(undefined, { config })).toMatchObject({ times: 2 });
    expect(await client.moments(undefined, { config })).toEqual([
      { at: "1970-01-01T00:00:00.001Z" },
      { at: "1970-01-01T00:00:00.002Z" },
    ]);
    expect(await sent[0]?.json()).toEqual({ config });
  });

  it("can be handed around in promises, with its parts", async () => {
    const { client, sent } = connected();
    expect(await Promise.resolve(client)).toBe(client);
    const docs = await Promise.resolve(client.docs);
    expect(await docs.search("agate", { config: {} })).toEqual(["agate", "agate"]);
    expect(sent).toHaveLength(1);
  });

  it("says what is wrong with its address", () => {
    expect(() => createClient("localhost:")).not.toThrow();
    expect(() => createClient("/workflow")).toThrow(
      /"\/workflow" is no URL.*http:\/\/localhost:4101/,
    );
  });
});

describe("a call of a route that streams", () => {
  it("gives chunks, and its answer afterwards", async () => {
    const { client } = connected();
    const call = client.tell({ words: ["once ", "upon"] }, { config: {} });
    const chunks: string[] = [];
    for await (const chunk of call) chunks.push(chunk);
    expect(chunks).toEqual(["once ", "upon"]);
    expect(await call.answer).toMatchObject({ data: "once upon", trace: { status: "OK" } });
    expect(await call).toBe("once upon");
  });

  it("gives its answer to those who ask while it is iterated over", async () => {
    const { client } = connected();
    const call = client.tell({ words: ["once ", "upon"] }, { config: {} });
    const chunks: string[] = [];
    const reading = (async () => {
      for await (const chunk of call) chunks.push(chunk);
    })();
    expect((await call.answer).data).toBe("once upon");
    await reading;
    expect(chunks).toEqual(["once ", "upon"]);
  });

  it("gives one text, or a list, when it is awaited; then it can still be iterated over", async () => {
    const { client } = connected();
    const text = client.tell({ words: ["once ", "upon"] }, { config: {} });
    expect(await text).toBe("once upon");
    expect(await client.count({ to: 2 }, { config: {} })).toEqual([{ n: 1 }, { n: 2 }]);
    const chunks: unknown[] = [];
    for await (const chunk of text) chunks.push(chunk);
    expect(chunks.join("")).toBe("once upon");
  });

  it("throws where the function threw, after the chunks that came before", async () => {
    const { client } = connected();
    const chunks: unknown[] = [];
    const reading = (async () => {
      for await (const chunk of client.count({ to: 5 }, { config: {} })) chunks.push(chunk);
    })();
    const error = await reading.catch((thrown: unknown) => thrown);
    expect(chunks).toEqual([{ n: 1 }, { n: 2 }]);
    expect(ClientError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      status: 200,
      detail: [{ loc: [], msg: "Three is too many.", type: "function_failed" }],
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });

  it("has no answer when it is left before its end", async () => {
    const { client } = connected();
    const call = client.count({ to: 2 }, { config: {} });
    for await (const _chunk of call) break;
    await expect(call.answer).rejects.toMatchObject({ name: "AbortError", kind: "aborted" });
  });

  it("gives a value that is a list as one chunk, awaited before or not", async () => {
    const { client } = connected();
    const call = client.docs.search("agate", { config: {} });
    const iterable = call as unknown as AsyncIterable<unknown>;
    await call;
    const chunks: unknown[] = [];
    for await (const chunk of iterable) chunks.push(chunk);
    expect(chunks).toEqual([["agate", "agate"]]);
    const other = client.docs.search("agate", { config: {} });
    for await (const chunk of other as unknown as AsyncIterable<unknown>) chunks.push(chunk);
    expect(chunks[1]).toEqual(chunks[0]);
    expect(await other).toEqual(["agate", "agate"]);
  });
});

describe("a call that fails", () => {
  it("says what the app said", async () => {
    const { client } = connected();
    const error = await client.refuse(undefined, { config: {} }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ClientError);
    expect(error).toMatchObject({
      name: "ClientError",
      kind: "status",
      url: `${BASE}/playground/run/refuse`,
      status: 429,
      detail: [{ loc: [], msg: "Slow down.", type: "quota" }],
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      retryAfter: 9,
      message: `${BASE}/playground/run/refuse answered 429: Slow down.`,
    });
  });

  it("names the field of a bad input", async () => {
    const { client } = connected();
    const error = await client
      .say({ text: 7 as unknown as string }, { config: { temperature: 3 } })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 422, retryAfter: null });
    expect((error as ClientError).message).toMatch(
      /body\.config\.temperature: .*body\.inputs\.text: /,
    );
  });
});

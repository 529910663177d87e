import { createServer } from "node:http";
import * as ag from "@agate/sdk";
import express from "express";
import { describe, expect, it } from "vitest";
import { ADAPTERS, listening, type Mounted, UNDER_BASE_PATH } from "./adapters.ts";

class Config extends ag.BaseModel {
  loud = ag.Field(ag.bool, { default: false });
}

/** Less than the default, which the test of docs/reference/sdk.md crosses: here each adapter does. */
const MAX_BODY_BYTES = 1_000_000;

/** An app whose functions wait until they are let go. */
function gatedApp(basePath?: string) {
  const app = ag.createApp({ application: "adapters", basePath, maxBodyBytes: MAX_BODY_BYTES });
  const gate = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<unknown>();
  app.route("/echo", Config)((input: unknown, { config }) => ({ input, loud: config.loud }));
  app.route("/evaluated", Config)((_input: unknown, { evaluation }) => evaluation ?? "no");
  app.route("/a:b/%C3%A9t%C3%A9%2F1", Config)(() => "percent-encoded");
  app.route(
    "/fail",
    Config,
  )(() => {
    throw new ag.HttpError(418, "I am a teapot.", { headers: { "x-tea": "green" } });
  });
  app.route(
    "/tell",
    Config,
  )(async function* (_input: unknown, { signal }) {
    try {
      yield "first ";
      await gate.promise;
      yield "second";
    } finally {
      ended.resolve(signal.aborted ? "aborted" : "complete");
    }
  });
  app.route(
    "/drip",
    Config,
  )(async function* (_input: unknown, { signal }) {
    try {
      for (;;) yield "drop ";
    } finally {
      ended.resolve(signal.aborted ? "aborted" : "left");
    }
  });
  app.route(
    "/wait",
    Config,
  )((_input: unknown, { signal }) => {
    started.resolve();
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => {
        ended.resolve((signal.reason as Error).name);
        reject(signal.reason);
      });
    });
  });
  return { app, gate, started, ended };
}

function post(mounted: Mounted, path: string, body: unknown, init: RequestInit = {}) {
  return mounted.send(path, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init,
    headers: { "content-type": "application/json", ...(init.headers as Record<string, string>) },
  });
}

const events = { headers: { accept: "text/event-stream" } };

const MOUNTED = [
  ...Object.entries(ADAPTERS).map(([name, mount]) => ({ name, mount, basePath: "" })),
  ...Object.entries(UNDER_BASE_PATH).map(([name, mount]) => ({
    name: `${name}, with a base path`,
    mount,
    basePath: "/api/agate",
  })),
];

describe.each(MOUNTED)("an app in $name", ({ name, mount, basePath }) => {
  it("answers calls, and says what it has", async () => {
    const { app } = gatedApp(basePath);
    await using mounted = await mount(app);
    const answer = await post(mounted, "/playground/run/echo", {
      config: { loud: true },
      inputs: { text: "é" },
    });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
    const body = (await answer.json()) as { trace_id: string; span_id: string };
    expect(body).toMatchObject({ data: { input: { text: "é" }, loud: true } });
    expect(answer.headers.get("traceparent")).toBe(`00-${body.trace_id}-${body.span_id}-01`);
    expect(await (await mounted.send("/health")).json()).toMatchObject({ application: "adapters" });
    expect(await (await mounted.send("/openapi.json")).json()).toHaveProperty([
      "paths",
      "/playground/run/echo",
    ]);
  });

  it("runs no call as one of an evaluation, which a client could claim to switch tools off", async () => {
    const { app } = gatedApp(basePath);
    await using mounted = await mount(app);
    const claim = encodeURIComponent(JSON.stringify({ run: "mine", case: "one", trial: 0 }));
    const answer = await post(
      mounted,
      "/playground/run/evaluated",
      {},
      { headers: { "agate-run": claim } },
    );
    expect(await answer.json()).toMatchObject({ data: "no" });
  });

  it("finds a route whose path is percent-encoded", async () => {
    const { app } = gatedApp(basePath);
    await using mounted = await mount(app);
    const answer = await post(mounted, "/playground/run/a:b/%C3%A9t%C3%A9%2F1?q=%2F", {});
    expect(await answer.json()).toMatchObject({ data: "percent-encoded" });
  });

  it("serves every path with a slash at its end, too", async () => {
    const { app } = gatedApp(basePath);
    await using mounted = await mount(app);
    expect((await mounted.send("/health/")).status).toBe(200);
    expect((await mounted.send("/openapi.json/")).status).toBe(200);
    expect((await post(mounted, "/playground/run/echo/", {})).status).toBe(200);
  });

  it("answers with its own errors", async () => {
    const { app } = gatedApp(basePath);
    await using mounted = await mount(app);
    const teapot = await post(mounted, "/playground/run/fail", {});
    expect([teapot.status, teapot.headers.get("x-tea")]).toEqual([418, "green"]);
    expect(await teapot.json()).toMatchObject({ detail: [{ msg: "I am a teapot." }] });
    const missing = await post(mounted, "/playground/run/shout", {});
    expect(missing.status).toBe(404);
    // Express passes on what is not the app's, and has a page of its own at the end.
    if (!name.startsWith("Express")) {
      expect(await missing.json()).toMatchObject({ detail: [{ type: "route_not_found" }] });
    }
    const wrong = await mounted.send("/playground/run/echo");
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
    const bad = await post(mounted, "/playground/run/echo", { config: { loud: "yes" } });
    expect(bad.status).toBe(422);
    expect(await bad.json()).toMatchObject({ detail: [{ loc: ["body", "config", "loud"] }] });
  });

  it("sends each chunk when it is there", async () => {
    const { app, gate, ended } = gatedApp(basePath);
    await using mounted = await mount(app);
    const answer = await post(mounted, "/playground/run/tell", {}, events);
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("\n\n")) text += (await reader.read()).value;
    // The function has not been let go: this came while it waits.
    expect(text).toBe('event: chunk\ndata: "first "\n\n');
    gate.resolve();
    for (let read = await reader.read(); !read.done; read = await reader.read()) text += read.value;
    expect(text).toMatch(/\n\nevent: chunk\ndata: "second"\n\nevent: done\ndata: \{"trace_id":/);
    expect(await ended.promise).toBe("complete");
  });

  it("ends a stream whose client goes away", async () => {
    const { app, ended } = gatedApp(basePath);
    await using mounted = await mount(app);
    const client = new AbortController();
    const answer = await post(
      mounted,
      "/playground/run/drip",
      {},
      {
        ...events,
        signal: client.signal,
      },
    );
    const reader = answer.body!.getReader();
    await reader.read();
    await reader.cancel();
    client.abort();
    expect(await ended.promise).toBe("aborted");
  });

  it("aborts the signal of a call whose client goes away", async () => {
    const { app, started, ended } = gatedApp(basePath);
    await using mounted = await mount(app);
    const client = new AbortController();
    const answer = post(mounted, "/playground/run/wait", {}, { signal: client.signal });
    const outcome = answer.then(
      ({ status }) => status,
      (error: Error) => error.name,
    );
    await started.promise;
    client.abort();
    expect(await ended.promise).toBe("AbortError");
    // In the same process there is no connection to lose: the answer reports that it was not delivered.
    expect([499, "AbortError"]).toContain(await outcome);
  });

  it("takes large bodies and gives large answers", async () => {
    const { app } = gatedApp(basePath);
    await using mounted = await mount(app);
    const text = "é".repeat(400_000);
    const answer = await post(mounted, "/playground/run/echo", { inputs: text });
    const { data } = (await answer.json()) as { data: { input: string } };
    expect(data.input === text).toBe(true);
    const tooLarge = await post(mounted, "/playground/run/echo", {
      inputs: "x".repeat(MAX_BODY_BYTES + 1),
    });
    expect(tooLarge.status).toBe(413);
    await tooLarge.body?.cancel();
  });
});

it("Express goes on with a path that is not the app's", async () => {
  const server = express();
  server.use(ag.toNodeHandler(ag.createApp()));
  server.post("/own", (_request, response) => {
    response.json({ own: true });
  });
  await using listener = await listening(createServer(server));
  const own = await listener.send("/own", { method: "POST" });
  expect(await own.json()).toEqual({ own: true });
  expect((await listener.send("/health")).status).toBe(200);
});

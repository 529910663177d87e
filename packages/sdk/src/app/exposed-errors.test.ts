import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { BaseModel } from "../config/base-model.ts";
import { HttpError } from "../routes/http-error.ts";
import type { AppOptions } from "./app.ts";
import { answerOf, eventsOf, KnownConfig, post } from "./call-app.fixture.ts";
import { createApp } from "./create-app.ts";

const INSIDE = "connect ECONNREFUSED /srv/data/agate/model.sock";

class NoConfig extends BaseModel {}

/** An app whose functions fail in every way, and what `onError` was told. */
function failingApp(options: AppOptions = {}, exposeErrors?: boolean) {
  const told: unknown[] = [];
  const app = createApp({
    configSource: new KnownConfig({}),
    onError: (error) => told.push(error),
    ...options,
  });
  const route = { config: NoConfig, exposeErrors };
  app.route(
    "/throws",
    route,
  )(() => {
    throw new Error(INSIDE);
  });
  app.route(
    "/streams",
    route,
  )(async function* () {
    yield "one";
    throw new Error(INSIDE);
  });
  app.route("/output", { ...route, output: z.strictObject({ text: z.string() }) })((() => ({
    text: "",
    [INSIDE]: 1,
  })) as never);
  app.route("/chunk", { ...route, stream: z.strictObject({ text: z.string() }) })(function* () {
    yield { text: "", [INSIDE]: 1 } as never;
  });
  app.route(
    "/unwritable",
    route,
  )(() => ({
    toJSON() {
      throw new Error(INSIDE);
    },
  }));
  const input = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate() {
        throw new Error(INSIDE);
      },
    },
  } as const;
  app.route("/schema", { ...route, input })(() => null);
  app.route(
    "/invalid-http-error",
    route,
  )(() => {
    throw Object.assign(new HttpError(400, "Wrong."), { status: INSIDE });
  });
  return { app, told };
}

const PATHS = [
  "/throws",
  "/streams",
  "/output",
  "/chunk",
  "/unwritable",
  "/schema",
  "/invalid-http-error",
];
const AS_EVENTS = { headers: { accept: "text/event-stream" } };

describe.each(PATHS)("a function that fails, %s", (path) => {
  it("is a 500 of a deployed call that names the trace and nothing of the inside", async () => {
    const { app, told } = failingApp();
    const { status, body } = await answerOf(post(app, `/run${path}`, { inputs: {} }));
    expect(status).toBe(500);
    expect(Object.keys(body)).toEqual(["detail", "trace_id", "span_id"]);
    expect(body.detail).toHaveLength(1);
    expect(body.detail[0].msg).toMatch(
      new RegExp(`^The function('s output is invalid| failed)\\. Trace ${body.trace_id} has the`),
    );
    expect(JSON.stringify(body)).not.toContain("ECONNREFUSED");
    expect(told).toHaveLength(1);
  });

  it("is told on the playground", async () => {
    const { app } = failingApp();
    const { status, body } = await answerOf(post(app, `/playground/run${path}`, { inputs: {} }));
    expect(status).toBe(500);
    expect(body.detail[0].msg).toContain("ECONNREFUSED");
    expect(JSON.stringify(body.trace)).toContain("ECONNREFUSED");
  });

  it.each([
    ["the app", { exposeErrors: true }, undefined, true],
    ["the route", {}, true, true],
    ["the route against the app", { exposeErrors: true }, false, false],
  ])("is told where %s says so", async (_, options, onRoute, isTold) => {
    const { app } = failingApp(options, onRoute);
    const { body } = await answerOf(post(app, `/run${path}`, { inputs: {} }));
    expect(JSON.stringify(body.detail).includes("ECONNREFUSED")).toBe(isTold);
    expect(body).not.toHaveProperty("stack");
  });
});

it.each(["/streams", "/chunk"])(
  "the events of a deployed stream tell no more: %s",
  async (path) => {
    const { app } = failingApp();
    const events = await eventsOf(await post(app, `/run${path}`, {}, AS_EVENTS));
    expect(events.at(-1)).toMatchObject({
      event: "error",
      data: {
        detail: [{ msg: expect.stringMatching(/^The function/) }],
        trace_id: expect.any(String),
      },
    });
    expect(JSON.stringify(events)).not.toContain("ECONNREFUSED");
    const shown = await eventsOf(await post(app, `/playground/run${path}`, {}, AS_EVENTS));
    expect(JSON.stringify(shown.at(-1))).toContain("ECONNREFUSED");
  },
);

it("an HttpError is told, whatever its status and type", async () => {
  const app = createApp({ configSource: new KnownConfig({}), onError: () => {} });
  app.route(
    "/busy",
    NoConfig,
  )(() => {
    throw new HttpError(500, "The model is busy.", { type: "function_failed" });
  });
  const { status, body } = await answerOf(post(app, "/run/busy", {}));
  expect([status, body.detail]).toEqual([
    500,
    [{ loc: [], msg: "The model is busy.", type: "function_failed" }],
  ]);
});

it("the option is a boolean", () => {
  expectTypeOf<AppOptions["exposeErrors"]>().toEqualTypeOf<boolean | undefined>();
  expect(() => createApp({ exposeErrors: "false" as never })).toThrow(
    'exposeErrors must be true or false (got "false").',
  );
  expect(() => createApp().route("/a", { config: NoConfig, exposeErrors: 1 as never })).toThrow(
    "The route /a: exposeErrors must be true or false (got 1).",
  );
});

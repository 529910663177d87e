import { describe, expect, it } from "vitest";
import { BaseModel } from "../config/base-model.ts";
import { HttpError } from "../routes/http-error.ts";
import { answerOf, eventsOf, KnownConfig, post } from "./call-app.fixture.ts";
import { createApp } from "./create-app.ts";

class ToneConfig extends BaseModel {}

describe("what is recorded of a route", () => {
  it("leaves out what its options say", async () => {
    const app = createApp({ configSource: new KnownConfig({}) });
    app.route("/sign-in", {
      config: ToneConfig,
      ignoreInputs: ["password"],
      ignoreOutputs: true,
      redact: ["email"],
    })(({ user }: { user: string }) => ({ token: `t-${user}` }));
    const inputs = { user: "ada", password: "p4ss", email: "ada@example.org" };
    const { body } = await answerOf(post(app, "/playground/run/sign-in", { inputs }));
    expect(body.data).toEqual({ token: "t-ada" });
    expect(body.trace.content).toEqual({
      inputs: { user: "ada", email: "[redacted]" },
      internals: null,
      outputs: null,
    });
  });
});

describe("a failure", () => {
  it("is told to the app's onError, unless it is an answer of the function's own", async () => {
    const told: unknown[] = [];
    const app = createApp({
      configSource: new KnownConfig({}),
      onError: (error, { route, traceId }) => told.push([String(error), route, traceId.length]),
    });
    app.route(
      "/fail",
      ToneConfig,
    )(() => {
      throw new Error("out");
    });
    app.route(
      "/refuse",
      ToneConfig,
    )(() => {
      throw new HttpError(409, "no");
    });
    app.route(
      "/stream",
      ToneConfig,
    )(async function* () {
      yield 1;
      throw new Error("dry");
    });
    await post(app, "/run/fail", {});
    await post(app, "/run/refuse", {});
    await post(app, "/run/fail", { odd: 1 });
    await eventsOf(
      await post(app, "/run/stream", {}, { headers: { accept: "text/event-stream" } }),
    );
    expect(told).toEqual([
      ["Error: out", "/fail", 32],
      ["Error: dry", "/stream", 32],
    ]);
  });
});

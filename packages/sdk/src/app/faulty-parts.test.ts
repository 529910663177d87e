import type { StandardSchemaV1 } from "@standard-schema/spec";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { BaseModel } from "../config/base-model.ts";
import { Field, str } from "../config/field.ts";
import type { ConfigSource } from "../config-source/config-source.ts";
import { answerOf, post } from "./call-app.fixture.ts";
import { createApp } from "./create-app.ts";

class Config extends BaseModel {
  prompt = Field(str, { default: "Say:" });
}

/** A schema of a library that breaks. */
function breaking(how: "throws" | "rejects"): StandardSchemaV1 {
  return {
    "~standard": {
      version: 1,
      vendor: "broken",
      validate: () => {
        const error = new Error("The schema broke.");
        if (how === "throws") throw error;
        return Promise.reject(error);
      },
    },
  };
}

describe("a call whose parts break", () => {
  it.each(["throws", "rejects"] as const)("is answered where a schema %s", async (how) => {
    const told: unknown[] = [];
    const app = createApp({ onError: (error, { route }) => told.push([route, error]) });
    app.route("/input", { config: Config, input: breaking(how) })(() => null);
    app.route("/output", { config: Config, output: breaking(how) })(() => null);
    for (const path of ["/input", "/output"]) {
      const answer = await answerOf(post(app, `/playground/run${path}`, { inputs: 1 }));
      expect(answer.status).toBe(500);
      expect(answer.body).toMatchObject({
        detail: [{ msg: "The schema broke." }],
        trace: { status: "ERROR", id: answer.body.span_id },
      });
      expect(answer.headers.get("traceparent")).toContain(answer.body.span_id);
    }
    const error = new Error("The schema broke.");
    expect(told).toEqual([
      ["/input", error],
      ["/output", error],
    ]);
  });

  it.each(["throws", "rejects"] as const)("is answered where its source %s", async (how) => {
    const configSource: ConfigSource = {
      resolve: () => {
        const error = new Error("The source broke.");
        if (how === "throws") throw error;
        return Promise.reject(error);
      },
      close: async () => {},
    };
    const app = createApp({ configSource, onError: () => {} });
    app.route("/say", Config)(() => null);
    const answer = await answerOf(post(app, "/run/say", {}));
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(answer.headers.get("traceparent")).toContain(answer.body.trace_id);
  });

  it("is answered where what it returns breaks when it is read", async () => {
    const app = createApp({ onError: () => {} });
    const hostile = {
      get field(): never {
        throw new Error("Do not look.");
      },
    };
    app.route("/getter", Config)(() => hostile);
    app.route(
      "/thrown",
      Config,
    )(() => {
      throw hostile;
    });
    app.route(
      "/self",
      Config,
    )(() => {
      const self: Record<string, unknown> = {};
      self.self = self;
      return self;
    });
    for (const [path, type] of [
      ["/getter", "output_invalid"],
      ["/self", "output_invalid"],
      ["/thrown", "function_failed"],
    ]) {
      const { status, body } = await answerOf(post(app, `/playground/run${path}`, {}));
      expect([status, body.detail[0].type, body.trace.status]).toEqual([500, type, "ERROR"]);
    }
  });
});

describe("names that every object has", () => {
  it("are plain data in inputs and outputs", async () => {
    const app = createApp();
    app.route("/echo", Config)((input: unknown) => input);
    app.route("/checked", { config: Config, input: z.looseObject({}) })((input) => input);
    const inputs = '{"__proto__":{"admin":true},"constructor":1,"toString":null,"then":2}';
    for (const path of ["/echo", "/checked"]) {
      const answer = await post(app, `/playground/run${path}`, `{"inputs":${inputs}}`);
      const text = await answer.text();
      expect(answer.status).toBe(200);
      if (path === "/echo") expect(text).toContain(`"data":${inputs}`);
      expect(({} as { admin?: boolean }).admin).toBeUndefined();
    }
  });

  it("are no routes", async () => {
    const app = createApp();
    for (const path of ["/run/__proto__", "/run/constructor", "/constructor", "//", "/run//"]) {
      expect((await post(app, path, {})).status).toBe(404);
    }
  });
});

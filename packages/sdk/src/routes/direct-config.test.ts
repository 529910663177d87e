import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SpanRecord } from "@agate/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { answerOf, post } from "../app/call-app.fixture.ts";
import { createApp } from "../app/create-app.ts";
import { BaseModel } from "../config/base-model.ts";
import { Field, float, str } from "../config/field.ts";
import { ConfigNotFoundError, ConfigUnavailableError } from "../config-source/config-errors.ts";
import { httpConfigSource } from "../config-source/http-config-source.ts";
import { TestRegistry } from "../config-source/test-registry.fixture.ts";
import { routingContextManager } from "../context/routing-context.ts";

class Config extends BaseModel {
  prompt = Field(str, { default: "Say:" });
  temperature = Field(float, { default: 0.7, ge: 0, le: 2 });
}

const registry = new TestRegistry();
beforeAll(() => registry.listen());
afterAll(() => registry.die());
beforeEach(() => {
  registry.deploy("production", { "/say": { prompt: "Live:" } }, "default", "desk");
  registry.deploy(
    "staging",
    { "/say": { prompt: "Staged:", temperature: 1 }, "/tell": { prompt: "Told:" } },
    "eager",
    "desk",
  );
});

function desk() {
  const app = createApp({
    application: "desk",
    configSource: httpConfigSource({ baseUrl: registry.baseUrl }),
  });
  const say = app.route("/say", Config)(async (_input: object, { config }) => ({ ...config }));
  const tell = app.route(
    "/tell",
    Config,
  )(async function* (_input: object, { config }) {
    yield config.prompt;
    yield (await say()).prompt;
  });
  const now = app.route("/now", Config)((_input: object, { config }) => config.prompt);
  return { app, say, tell, now };
}

const staging = { environment: { slug: "staging" } };

describe("a route that code calls in a block that names an environment", () => {
  it("has the configuration of that environment", async () => {
    const { say } = desk();
    expect(await routingContextManager(staging, () => say())).toEqual({
      prompt: "Staged:",
      temperature: 1,
    });
    expect(await say()).toEqual({ prompt: "Say:", temperature: 0.7 });
    using _block = routingContextManager({ variant: { slug: "default" } });
    expect(await say()).toMatchObject({ prompt: "Live:" });
  });

  it("has what it is given over that", async () => {
    const { say } = desk();
    const call = { config: { temperature: 0 } };
    expect(await routingContextManager(staging, () => say({}, call))).toEqual({
      prompt: "Staged:",
      temperature: 0,
    });
  });

  it("merges what it is given by field inside of objects, and ignores what the build does not know", async () => {
    const stored = {
      retrieval: { topK: 9, gone: 1, weights: [1] },
      steps: [{ name: "a", gone: 1 }],
    };
    registry.deploy("staging", { "/nested": stored }, "eager", "desk");
    const { app } = desk();
    const nested = app.route(
      "/nested",
      z.object({
        retrieval: z.object({
          topK: z.int().default(5),
          weights: z.array(z.number()).default([]),
          deep: z.object({ on: z.boolean().default(false) }),
        }),
        steps: z.array(z.object({ name: z.string() })).default([]),
      }),
    )(async (_input: object, { config }) => config);
    const call = { config: { retrieval: { weights: [2, 3], deep: { on: true } } } };
    expect(await routingContextManager(staging, () => nested({}, call))).toEqual({
      retrieval: { topK: 9, weights: [2, 3], deep: { on: true } },
      steps: [{ name: "a" }],
    });
  });

  it("streams with it, and calls others with theirs of the same revision", async () => {
    const { tell } = desk();
    const stream = routingContextManager(staging, () => tell());
    // A revision that is deployed meanwhile is another one.
    const first = await stream.next();
    registry.deploy("staging", { "/say": { prompt: "Newer:" } }, "eager", "desk");
    expect([first, await stream.next(), await stream.next()]).toMatchObject([
      { value: "Told:" },
      { value: "Staged:" },
      { done: true },
    ]);
  });

  it("can be left before its stream has begun", async () => {
    const { tell } = desk();
    const stream = routingContextManager({ environment: { slug: "moon" } }, () => tell());
    expect(await stream.return(undefined)).toMatchObject({ done: true });
  });

  it("finds the environment in what it asks for, and on its spans", async () => {
    const { app } = desk();
    const inner = app.route(
      "/inner",
      Config,
    )(async () => (await app.ConfigManager.getFromRoute({ schema: Config })).prompt);
    app.route("/outer", Config)(() => routingContextManager(staging, () => inner()));
    registry.deploy("staging", { "/inner": { prompt: "Staged:" } }, "eager", "desk");
    const { body } = await answerOf(post(app, "/playground/run/outer", {}));
    expect(body.data).toBe("Staged:");
    const [span] = (body.trace as SpanRecord).children ?? [];
    expect(span).toMatchObject({
      environment: "staging",
      variant: { variant_name: "eager" },
      config: { prompt: "Staged:" },
    });
  });

  it("rejects where there is no such environment, or the registry is away", async () => {
    const { say, tell } = desk();
    const moon = { environment: { slug: "moon" } };
    await expect(routingContextManager(moon, () => say())).rejects.toThrow(ConfigNotFoundError);
    const stream = routingContextManager(moon, () => tell());
    await expect(stream.next()).rejects.toThrow(/no configuration for environment "moon"/);
    const away = createApp({
      configSource: httpConfigSource({ baseUrl: "http://127.0.0.1:9", onWarning: () => {} }),
    }).route(
      "/say",
      Config,
    )(async () => "said");
    await expect(routingContextManager(staging, () => away())).rejects.toThrow(
      ConfigUnavailableError,
    );
    const wrong = { environment: { slug: 7 } };
    await expect(routingContextManager(wrong, () => say())).rejects.toThrow(TypeError);
  });

  it("says where a function cannot wait for it, and has it once it is loaded", async () => {
    const { app, now } = desk();
    registry.deploy("staging", { "/now": { prompt: "Staged:" } }, "eager", "desk");
    const call = () => routingContextManager(staging, () => now());
    expect(call).toThrow(
      /route \/now was called for environment "staging" of application "desk".*not async.*Make the function async.*await ag\.ConfigManager\.getFromRoute\(\)/,
    );
    await routingContextManager(staging, () => app.ConfigManager.getFromRoute());
    expect(call()).toBe("Staged:");
  });
});

describe("without a registry", () => {
  it("the environment is one of the file, and a missing file is an error", async () => {
    const folder = await mkdtemp(join(tmpdir(), "agate-"));
    vi.stubEnv("AGATE_BASE_URL", undefined);
    vi.stubEnv("AGATE_CONFIG_FILE", join(folder, "agate.config.json"));
    try {
      const say = () =>
        createApp().route("/say", Config)(async (_input: object, { config }) => config.prompt);
      await expect(routingContextManager(staging, () => say()())).rejects.toThrow(
        /no configuration for environment "staging".*There is no file.*AGATE_BASE_URL/,
      );
      const file = {
        variants: { eager: { "/say": { prompt: "Filed:" } } },
        environments: { staging: "eager" },
      };
      await writeFile(join(folder, "agate.config.json"), JSON.stringify(file));
      expect(await routingContextManager(staging, () => say()())).toBe("Filed:");
    } finally {
      vi.unstubAllEnvs();
      await rm(folder, { recursive: true });
    }
  });
});

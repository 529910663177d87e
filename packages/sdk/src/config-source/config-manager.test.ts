import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { BaseModel } from "../config/base-model.ts";
import { ConfigValidationError } from "../config/config-validation-error.ts";
import { Field, float, str } from "../config/field.ts";
import { routingContextManager } from "../context/routing-context.ts";
import { ConfigNotFoundError, ConfigUnavailableError } from "./config-errors.ts";
import type { ConfigManager, PlainConfig } from "./config-manager.ts";
import { type ConfigManagerDependencies, createConfigManager } from "./config-manager.ts";
import type { ConfigReference, ConfigResolution, ConfigSource } from "./config-source.ts";

class SummarizeConfig extends BaseModel {
  prompt = Field(str, { default: "Summarize." });
  temperature = Field(float, { default: 0.7, ge: 0, le: 2 });
}

const zodConfig = z.object({ temperature: z.number().min(0).max(2).default(0.7) });

/** A source that has every reference, with the same params, and says what it was asked for. */
function sourceOf(params: Record<string, Record<string, unknown>>, asked: ConfigReference[] = []) {
  const source: ConfigSource = {
    resolve(reference) {
      asked.push(reference);
      const resolved = {
        application: { id: "a", slug: "a" },
        variant: { id: "v", slug: "v", revision: 1 },
        environment: null,
        params,
      };
      return { kind: "resolved", resolved, stale: false };
    },
    close: async () => {},
  };
  return { source, asked };
}

function managerWith(
  source: ConfigSource,
  others: Partial<ConfigManagerDependencies> = {},
): ConfigManager {
  return createConfigManager({
    source: () => source,
    file: () => source,
    application: () => "quickstart",
    environment: () => "production",
    currentRoute: () => undefined,
    routesOf: () => [],
    ...others,
  });
}

describe("getFromRoute", () => {
  test("the route context's configuration is used where it is present", async () => {
    const { source, asked } = sourceOf({});
    const manager = managerWith(source);
    const config = { temperature: 1, list: [{ deep: 1 }] };
    const got = await routingContextManager({ config }, () => manager.getFromRoute());
    expect(got).toEqual(config);
    (got as typeof config).list[0]!.deep = 2;
    expect(config.list[0]?.deep).toBe(1);
    expect(asked).toEqual([]);
  });

  test("an empty configuration is present, not absent", async () => {
    const { source, asked } = sourceOf({ "/": { temperature: 2 } });
    const manager = managerWith(source);
    await routingContextManager({ config: {} }, async () => {
      expect(await manager.getFromRoute()).toEqual({});
      expect((await manager.getFromRoute({ schema: SummarizeConfig })).temperature).toBe(0.7);
    });
    expect(asked).toEqual([]);
  });

  test("with a schema it is an instance, with defaults for what is missing", async () => {
    const manager = managerWith(sourceOf({ "/": { temperature: 1.5, unknown: 1 } }).source);
    const config = await manager.getFromRoute({ schema: SummarizeConfig });
    expect(config).toBeInstanceOf(SummarizeConfig);
    expect({ ...config }).toEqual({ prompt: "Summarize.", temperature: 1.5 });
    expect(await manager.getFromRoute({ schema: zodConfig })).toEqual({ temperature: 1.5 });
  });

  test("a value that breaks the schema", async () => {
    const manager = managerWith(sourceOf({ "/": { temperature: 3 } }).source);
    const got = manager.getFromRoute({ schema: SummarizeConfig });
    await expect(got).rejects.toBeInstanceOf(ConfigValidationError);
    await expect(got).rejects.toThrow(/SummarizeConfig.temperature/);
  });

  test.each<[string, Parameters<typeof routingContextManager>[0], object]>([
    ["nothing", {}, { by: "environment", application: "quickstart", environment: "production" }],
    [
      "an environment",
      { environment: { name: "staging" } },
      { by: "environment", application: "quickstart", environment: "staging" },
    ],
    [
      "an application",
      { application: { id: "b" } },
      { by: "environment", application: "b", environment: "production" },
    ],
    [
      "a variant",
      { variant: { slug: "concise", id: "ignored" }, environment: { slug: "staging" } },
      { by: "variant", application: "quickstart", variant: "concise", revision: null },
    ],
    [
      "a revision",
      { variant: { slug: null, id: "v1", revision: 3 } },
      { by: "variant", application: "quickstart", variant: "v1", revision: 3 },
    ],
    [
      "dictionaries without identifiers",
      { variant: { note: "x" }, environment: {}, application: {} },
      { by: "environment", application: "quickstart", environment: "production" },
    ],
  ])(
    "without one it is asked for by what the context names: %s",
    async (_name, context, expected) => {
      const { source, asked } = sourceOf({});
      const manager = managerWith(source);
      expect(await routingContextManager(context, () => manager.getFromRoute())).toEqual({});
      expect(asked).toEqual([{ ...expected, route: "/" }]);
    },
  );

  test.each<[Parameters<typeof routingContextManager>[0], string]>([
    [{ environment: { slug: 3 } }, "The slug of the environment must be a text"],
    [{ application: { id: "" } }, 'as in { id: "support" }, not ""'],
    [{ variant: { slug: "a", revision: 0 } }, "a whole number from 1, not 0"],
    [{ variant: { slug: "a", revision: "3" } }, 'not "3"'],
    [{ variant: { revision: 3 } }, "no slug"],
  ])("identifiers that are none: %j", async (context, says) => {
    const manager = managerWith(sourceOf({}).source);
    const got = routingContextManager(context, () => manager.getFromRoute());
    await expect(got).rejects.toThrow(TypeError);
    await expect(got).rejects.toThrow(says);
  });
});

describe("the route", () => {
  const params = { "/": { at: "/" }, "/a": { at: "/a" }, "/b": { at: "/b" } };

  test.each<[string, Partial<ConfigManagerDependencies>, string | undefined, string]>([
    ["the option", { currentRoute: () => "/a" }, "/b", "/b"],
    ["the one that runs", { currentRoute: () => "/a", routesOf: () => ["/b"] }, undefined, "/a"],
    ["the only one with the schema", { routesOf: () => ["/b"] }, undefined, "/b"],
    ["the entrypoint among several", { routesOf: () => ["/a", "/"] }, undefined, "/"],
    ["the entrypoint", {}, undefined, "/"],
  ])("%s", async (_name, dependencies, route, expected) => {
    const manager = managerWith(sourceOf(params).source, dependencies);
    const schema = z.object({ at: z.string().default("") });
    expect(await manager.getFromRegistry({ schema, route })).toEqual({ at: expected });
  });

  test("one of several is not guessed", async () => {
    const manager = managerWith(sourceOf(params).source, { routesOf: () => ["/a", "/b"] });
    await expect(manager.getFromRoute({ schema: zodConfig })).rejects.toThrow('route: "/a"');
  });

  test("one that the revision does not mention has its defaults", async () => {
    const manager = managerWith(sourceOf(params).source, { currentRoute: () => "/new" });
    expect(await manager.getFromRoute()).toEqual({});
    expect((await manager.getFromRoute({ schema: SummarizeConfig })).temperature).toBe(0.7);
  });
});

describe("getFromRegistry", () => {
  test("leaves the context's configuration aside, and follows its names where none are given", async () => {
    const { source, asked } = sourceOf({ "/": { temperature: 1 } });
    const manager = managerWith(source);
    await routingContextManager(
      { config: { temperature: 2 }, environment: { slug: "staging" } },
      async () => {
        expect(await manager.getFromRegistry()).toEqual({ temperature: 1 });
        await manager.getFromRegistry({ variant: "concise", revision: 2, route: "/x" });
        await manager.getFromRegistry({ application: "other", environment: "production" });
      },
    );
    expect(asked).toEqual([
      { by: "environment", application: "quickstart", environment: "staging", route: "/" },
      { by: "variant", application: "quickstart", variant: "concise", revision: 2, route: "/x" },
      { by: "environment", application: "other", environment: "production", route: "/" },
    ]);
  });

  test("what cannot be meant", async () => {
    const manager = managerWith(sourceOf({}).source);
    await expect(manager.getFromRegistry({ variant: "a", environment: "b" })).rejects.toThrow(
      "leave one of the two out",
    );
    await expect(manager.getFromRegistry({ revision: 2 })).rejects.toThrow("name the variant too");
  });

  test("what is not there, and what cannot be asked for", async () => {
    const answering = (resolution: ConfigResolution): ConfigManager =>
      managerWith({ resolve: () => resolution, close: async () => {} });
    const missing = answering({ kind: "not-found", reason: "Deploy one." }).getFromRegistry({
      variant: "concise",
      revision: 3,
    });
    await expect(missing).rejects.toSatisfy(ConfigNotFoundError.isInstance);
    await expect(missing).rejects.toThrow(
      'There is no configuration for variant "concise", revision 3, of application "quickstart". Deploy one.',
    );
    const away = answering({ kind: "unavailable", reason: "It is away." }).getFromRoute();
    await expect(away).rejects.toSatisfy(ConfigUnavailableError.isInstance);
    await expect(away).rejects.toThrow(
      'The configuration for environment "production" of application "quickstart" could not be read. It is away.',
    );
  });
});

test("getFromFile asks the file at the path, which is opened once", async () => {
  const opened: (string | undefined)[] = [];
  const manager = managerWith(sourceOf({}).source, {
    file(path) {
      opened.push(path);
      return sourceOf({ "/": { path: path ?? "usual" } }).source;
    },
  });
  expect(await manager.getFromFile()).toEqual({ path: "usual" });
  expect(await manager.getFromFile({ path: "b.json", environment: "staging" })).toEqual({
    path: "b.json",
  });
  await manager.getFromFile({ path: "b.json" });
  await manager.getFromFile();
  expect(opened).toEqual([undefined, "b.json"]);
});

test("a dictionary is a copy of the caller's own, in which __proto__ is data", async () => {
  const params = JSON.parse('{"/":{"list":[{"a":1}],"__proto__":{"admin":true}}}');
  const manager = managerWith(sourceOf(params).source);
  const first = (await manager.getFromRoute()) as { list: { a: number }[]; admin?: unknown };
  expect(first.admin).toBeUndefined();
  expect(JSON.stringify(first)).toBe('{"list":[{"a":1}],"__proto__":{"admin":true}}');
  first.list[0]!.a = 2;
  expect(await manager.getFromRoute()).toMatchObject({ list: [{ a: 1 }] });
});

test("the contract's spellings, and methods that need no object before them", async () => {
  const manager = managerWith(sourceOf({ "/": { a: 1 } }).source);
  const { get_from_route, get_from_registry, get_from_file } = manager;
  expect(await get_from_route()).toEqual({ a: 1 });
  expect(await get_from_registry()).toEqual({ a: 1 });
  expect(await get_from_file()).toEqual({ a: 1 });
});

test("types", () => {
  expectTypeOf((manager: ConfigManager): void => {
    expectTypeOf(manager.getFromRoute()).resolves.toEqualTypeOf<PlainConfig>();
    expectTypeOf(manager.getFromRoute({})).resolves.toEqualTypeOf<PlainConfig>();
    expectTypeOf(
      manager.getFromRoute({ schema: SummarizeConfig }),
    ).resolves.toEqualTypeOf<SummarizeConfig>();
    expectTypeOf(manager.get_from_route({ schema: zodConfig })).resolves.toEqualTypeOf<{
      temperature: number;
    }>();
    expectTypeOf(
      manager.getFromRegistry({ schema: SummarizeConfig, environment: "staging" }),
    ).resolves.toEqualTypeOf<SummarizeConfig>();
    expectTypeOf(manager.getFromRegistry({ variant: "a" })).resolves.toEqualTypeOf<PlainConfig>();
    expectTypeOf(
      manager.getFromFile({ schema: zodConfig, path: "a.json" }),
    ).resolves.toHaveProperty("temperature");
    expectTypeOf(manager.getFromFile({ path: "a.json" })).resolves.toEqualTypeOf<PlainConfig>();
    // @ts-expect-error not a schema
    void manager.getFromRoute({ schema: "SummarizeConfig" });
    // @ts-expect-error revisions are numbers
    void manager.getFromRegistry({ variant: "a", revision: "3" });
    // @ts-expect-error files have no revisions
    void manager.getFromFile({ variant: "a", revision: 3 });
  }).toBeFunction();
});

import { describe, expect, expectTypeOf, test } from "vitest";
import type { RoutingContext } from "./routing-context.ts";
import { routingContext, routingContextManager } from "./routing-context.ts";

test("outside of any block there is nothing", () => {
  expect(routingContext()).toEqual({});
});

test("with a callback it holds while that runs, and its result is returned", async () => {
  const config = { temperature: 0 };
  expect(routingContextManager({ config }, (context) => [context, routingContext()])).toEqual([
    { config },
    { config },
  ]);
  const later = routingContextManager({ config }, async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return routingContext().config;
  });
  expect(routingContext()).toEqual({});
  expect(await later).toBe(config);
  expect(() =>
    routingContextManager({ config }, () => {
      throw new Error("Its own.");
    }),
  ).toThrow("Its own.");
  expect(routingContext()).toEqual({});
});

test("with `using` it holds until the end of the block, and exposes what it set", async () => {
  {
    using context = routingContextManager({
      config: {},
      application: { slug: "support" },
      variant: { slug: "concise" },
      environment: { slug: "staging" },
    });
    await Promise.resolve();
    expect(context).toMatchObject({
      config: {},
      application: { slug: "support" },
      variant: { slug: "concise" },
      environment: { slug: "staging" },
    });
    expect(routingContext()).toEqual({
      config: {},
      application: { slug: "support" },
      variant: { slug: "concise" },
      environment: { slug: "staging" },
    });
  }
  expect(routingContext()).toEqual({});
});

test("all parameters are optional", () => {
  using context = routingContextManager();
  expect(Object.keys(context)).toEqual([]);
  expect(routingContextManager(undefined, () => "done")).toBe("done");
  expect(routingContextManager({ config: undefined }, routingContext)).toEqual({});
});

describe("a block within a block", () => {
  const outer = {
    config: { a: 1 },
    application: { slug: "one" },
    variant: { slug: "v" },
    environment: { slug: "e" },
  };

  test.each<[string, RoutingContext, RoutingContext]>([
    ["nothing: all is inherited", {}, outer],
    ["config", { config: {} }, { ...outer, config: {} }],
    [
      "application: the variant belonged to the other",
      { application: { slug: "two" } },
      { application: { slug: "two" }, environment: outer.environment },
    ],
    [
      "variant instead of the environment",
      { variant: { slug: "w" } },
      { application: outer.application, variant: { slug: "w" } },
    ],
    [
      "environment instead of the variant",
      { environment: { slug: "f" } },
      { application: outer.application, environment: { slug: "f" } },
    ],
    [
      "both, and a config",
      { variant: { slug: "w" }, environment: { slug: "f" }, config: { b: 2 } },
      {
        application: outer.application,
        variant: { slug: "w" },
        environment: { slug: "f" },
        config: { b: 2 },
      },
    ],
  ])("that sets %s", (_name, inner, expected) => {
    routingContextManager(outer, () => {
      expect(routingContextManager(inner, routingContext)).toEqual(expected);
      expect(routingContext()).toEqual(outer);
    });
  });
});

test("concurrent blocks do not see each other's", async () => {
  const blocks = Array.from({ length: 100 }, (_, index) =>
    routingContextManager({ config: { index } }, async () => {
      for (let step = 0; step < index % 7; step++) await Promise.resolve();
      const inner = await routingContextManager({ environment: { slug: "e" } }, async () => {
        await Promise.resolve();
        return routingContext();
      });
      return [inner, routingContext()];
    }),
  );
  for (const [index, seen] of (await Promise.all(blocks)).entries()) {
    expect(seen).toEqual([{ environment: { slug: "e" } }, { config: { index } }]);
  }
});

describe("what is refused", () => {
  class Config {
    temperature = 0;
  }

  test.each<[unknown, string]>([
    [null, "must be an object such as { config:"],
    ["staging", '(got "staging")'],
    [() => 1, "(got a function)"],
    [
      { config: null },
      "The config of routingContextManager must be a plain object, such as { temperature: 0.2 } (got null)",
    ],
    [{ config: [1] }, "(got an array)"],
    [{ config: new Config() }, "(got an instance of Config: write { ...it }"],
    [{ config: new Map() }, "(got an instance of Map: write { ...it }"],
    [{ environment: "staging" }, 'such as { slug: "staging" } (got "staging")'],
    [{ variant: 3 }, "(got 3)"],
    [{ application: Symbol("a") }, "(got Symbol(a))"],
    [{ enviroment: {} }, 'no parameter "enviroment": its parameters are config, application'],
  ])("%o", (info, says) => {
    expect(() => routingContextManager(info as RoutingContext)).toThrow(TypeError);
    expect(() => routingContextManager(info as RoutingContext, () => 1)).toThrow(says);
    expect(routingContext()).toEqual({});
  });

  test("a second argument that is no function", () => {
    expect(() => routingContextManager({}, "x" as never)).toThrow(
      'must be a function, or left out for `using` (got "x")',
    );
  });

  test("objects without a prototype and of another realm are plain", async () => {
    const { runInNewContext } = await import("node:vm");
    const config = Object.assign(Object.create(null), { a: 1 });
    expect(routingContextManager({ config }, routingContext).config).toBe(config);
    const other = runInNewContext("({ a: 1 })") as Record<string, unknown>;
    expect(routingContextManager({ config: other }, routingContext).config).toBe(other);
  });
});

test("types", () => {
  expectTypeOf(routingContextManager({}, () => 1)).toEqualTypeOf<number>();
  expectTypeOf(routingContextManager({}, async () => "a")).toEqualTypeOf<Promise<string>>();
  expectTypeOf<typeof routingContextManager>()
    .toBeCallableWith({ config: {} })
    .returns.toExtend<Disposable & RoutingContext>();
  expectTypeOf(routingContext).returns.toEqualTypeOf<RoutingContext>();
  // @ts-expect-error a dictionary, not its slug
  expectTypeOf(routingContextManager).toBeCallableWith({ environment: "staging" });
  // @ts-expect-error there is no such parameter
  expectTypeOf(routingContextManager).toBeCallableWith({ enviroment: {} });
});

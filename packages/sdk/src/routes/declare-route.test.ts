import { describe, expect, it } from "vitest";
import { z } from "zod";
import { answerOf, post } from "../app/call-app.fixture.ts";
import { createApp } from "../app/create-app.ts";
import { BaseModel } from "../config/base-model.ts";
import { DeclarationError } from "../config/declaration-error.ts";
import { Field, str } from "../config/field.ts";
import { instrument } from "../tracing/instrument.ts";
import { absentInput } from "./declare-route.ts";

class Config extends BaseModel {
  prompt = Field(str, { default: "Say:" });
}

const nothing = () => null;

function refusalOf(declare: () => unknown): string {
  try {
    declare();
  } catch (error) {
    expect(error).toBeInstanceOf(DeclarationError);
    return (error as Error).message;
  }
  throw new Error("It was declared.");
}

describe("a declaration is refused, with what to write,", () => {
  it.each<[string, () => unknown, RegExp]>([
    [
      "for the same path twice",
      () => {
        const app = createApp();
        app.route("/say", Config)(nothing);
        app.route("/say", Config)(nothing);
      },
      /route \/say is declared twice.*another path/,
    ],
    [
      "for two entrypoints",
      () => {
        const app = createApp();
        app.entrypoint(Config)(nothing);
        app.entrypoint(Config)(nothing);
      },
      /one entrypoint.*ag\.route\("\/…", …\)/,
    ],
    [
      'for an entrypoint beside route "/"',
      () => {
        const app = createApp();
        app.entrypoint(Config)(nothing);
        app.route("/", Config)(nothing);
      },
      /entrypoint is the route "\/".*Keep one/,
    ],
    [
      'for route "/" beside an entrypoint',
      () => {
        const app = createApp();
        app.route("/", Config)(nothing);
        app.entrypoint(Config)(nothing);
      },
      /entrypoint is the route "\/".*Keep one/,
    ],
    ["for a bad path", () => createApp().route("say", Config), /begin with "\/".*"\/say"/],
    [
      "for something that is not a function",
      () => createApp().route("/say", Config)("nothing" as never),
      /route \/say wraps something that is not a function.*async \(input\) =>/,
    ],
    [
      "for a timeout of 0",
      () => createApp().route("/say", { config: Config, timeout: 0 }),
      /timeout of the route \/say.*milliseconds above 0, not 0/,
    ],
    [
      "for a timeout that is no number",
      () => createApp().route("/say", { config: Config, timeout: Number.NaN }),
      /timeout of the route \/say.*not NaN/,
    ],
    [
      "for an input that is no schema",
      () => createApp().route("/say", { config: Config, input: { text: "string" } as never }),
      /input of the route \/say is not a Standard Schema.*zod/,
    ],
    [
      "for an output that is no schema",
      () => createApp().route("/say", { config: Config, output: String as never }),
      /output of the route \/say is not a Standard Schema/,
    ],
    [
      "for a stream that is no schema",
      () => createApp().entrypoint({ config: Config, stream: true as never }),
      /stream of the route \/ is not a Standard Schema/,
    ],
    ["for no configuration", () => createApp().route("/say", undefined as never), /BaseModel/],
    [
      "for options without a configuration",
      () => createApp().route("/say", { input: z.string() } as never),
      /BaseModel/,
    ],
  ])("%s", (_what, declare, said) => {
    expect(refusalOf(declare)).toMatch(said);
  });

  it("for TypeScript's old decorators, on an instance method and on a static one", () => {
    const old = createApp().route("/say", Config) as unknown as (
      target: object,
      key: string,
      descriptor: PropertyDescriptor,
    ) => void;
    class Desk {}
    const descriptor = { value: nothing };
    for (const target of [Desk.prototype, Desk]) {
      expect(refusalOf(() => old(target, "say", descriptor))).toMatch(
        /old decorators.*Remove "experimentalDecorators" from tsconfig\.json/,
      );
    }
  });

  it.each(["getter", "setter", "field", "accessor", "class"])("on a %s", (kind) => {
    const decorate = createApp().route("/say", Config) as unknown as (
      target: unknown,
      context: object,
    ) => void;
    const target = kind === "field" || kind === "accessor" ? undefined : nothing;
    expect(refusalOf(() => decorate(target, { kind, name: "say" }))).toMatch(
      new RegExp(`route /say decorates a ${kind}: only methods.*Wrap a function`),
    );
  });

  it("without taking the path: the next declaration may have it", () => {
    const app = createApp();
    expect(() => app.route("/say", Config)(7 as never)).toThrow(DeclarationError);
    expect(() => app.route("/say", Config)(nothing)).not.toThrow();
  });

  it("when typed() is given a route of another app", () => {
    const said = refusalOf(() => createApp().typed(createApp().route("/say", Config)(nothing)));
    expect(said).toMatch(/route \/say was declared on another app/);
  });
});

describe("a decorated method", () => {
  it("is a route with its class as `this` when it is static", async () => {
    const app = createApp();
    class Desk {
      static readonly sign = "desk";
      readonly sign = "an object of the class";
      @app.route("/say", Config)
      static say({ text }: { text: string }) {
        // biome-ignore lint/complexity/noThisInStatic: which `this` it has is what is tested.
        return `${this.sign}: ${text}`;
      }
    }
    const { body } = await answerOf(post(app, "/playground/run/say", { inputs: { text: "hi" } }));
    expect(body.data).toBe("desk: hi");
    expect(Desk.say({ text: "directly" })).toBe("desk: directly");
    expect(Desk.say.name).toBe("say");
  });

  it("is served on the first object of its class, and is still everybody's method", async () => {
    const app = createApp({ onError: () => {} });
    class Desk {
      readonly sign: string;
      constructor(sign: string) {
        this.sign = sign;
      }
      @app.entrypoint(Config)
      async say({ text }: { text: string }) {
        return `${this.sign}: ${text}`;
      }
    }
    const before = await answerOf(post(app, "/generate", {}));
    expect(before.status).toBe(500);
    expect(before.body.detail[0].msg).toMatch(
      /route \/ is the method say\(\) of a class of which no object was made.*`new …\(\)`.*static/,
    );
    new Desk("first");
    const second = new Desk("second");
    const { body } = await answerOf(post(app, "/generate", { inputs: { text: "hi" } }));
    expect(body.data).toBe("first: hi");
    expect(await second.say({ text: "hi" })).toBe("second: hi");
  });
});

describe("a wrapped function", () => {
  it("has its path and its name", () => {
    const say = createApp().route(
      "/say",
      Config,
    )(function speak() {
      return null;
    });
    expect([say.path, say.name]).toEqual(["/say", "speak"]);
  });
});

interface Filter {
  readonly name?: string;
  readonly tags?: readonly string[];
}

class Desk {
  list(filter: Filter) {
    return [this.list.name, filter.name];
  }
  static async open(name?: string) {
    return name ?? "world";
  }
}

it.each<[string, (...args: never[]) => unknown]>([
  ["no parameter", () => "hi"],
  ["a default", (name = "world") => name],
  ["a default of a pattern", ({ name = "world" }: Filter = {}) => name],
  ["only rest parameters", (...names: string[]) => names],
  ["an optional text", (name?: string) => name ?? "world"],
  ["an optional object that is asked for", (filter?: Filter) => (filter ? filter.name : "none")],
  ["an optional chain", (filter?: Filter) => filter?.name],
  ["a spread", (filter?: Filter) => ({ name: "world", ...filter })],
  ["an unused parameter", (_filter?: Filter) => 1],
  ["an async static method", Desk.open],
  // biome-ignore format: without parentheses
  ["an arrow without parentheses", name => name ?? "world"],
  ["a parameter beside a member of that name", (name?: string) => [Desk.name, name]],
])("%s: the function gets undefined", (_case, handler) => {
  expect(absentInput(handler)()).toBeUndefined();
});

it.each<[string, (...args: never[]) => unknown]>([
  ["a pattern", ({ name }: Filter) => name],
  ["a pattern of an async function", async ({ name = "world" }: Filter) => name],
  [
    "a pattern of an async generator",
    async function* tell({ tags = [] }: Filter) {
      yield* tags;
    },
  ],
  ["members that are read", (filter: Filter) => [filter.name, filter.tags?.length]],
  ["members that are read in a method", new Desk().list],
  ["$ in the name", ($filter: Filter) => $filter.name],
  ["a member of the same name", (name: { name?: string }) => name.name],
  ["a function that is instrumented", instrument()(({ name }: Filter) => name)],
  [
    "a function that is bound",
    function (this: unknown, filter: Filter) {
      return filter.name;
    }.bind(null),
  ],
])("%s: the function gets {}", (_case, handler) => {
  const empty = absentInput(handler);
  expect(empty()).toEqual({});
  // One call may change its input without another one seeing it.
  expect(empty()).not.toBe(empty());
});

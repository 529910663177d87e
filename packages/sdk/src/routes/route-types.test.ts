import type { Span } from "@opentelemetry/api";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { createApp } from "../app/create-app.ts";
import { BaseModel } from "../config/base-model.ts";
import {
  bool,
  Field,
  float,
  GroupedMultipleChoice,
  int,
  MultipleChoice,
  str,
} from "../config/field.ts";

class Config extends BaseModel {
  prompt = Field(str, { default: "Say:" });
  temperature = Field(float, { default: 0.7 });
  words = Field(int, { default: 3 });
  loud = Field(bool, { default: false });
  tone = Field(MultipleChoice({ choices: ["plain", "formal"] }), { default: "plain" });
  model = Field(GroupedMultipleChoice({ choices: { a: ["a-1", "a-2"], b: ["b-1"] } }), {
    default: "b-1",
  });
}

const zodConfig = z.object({
  tone: z.enum(["plain", "formal"]).default("plain"),
  temperature: z.number().default(0.7),
});

describe("the types of a handler", () => {
  it("come from the configuration, choices as literals", () => {
    const app = createApp();
    const say = app.route(
      "/say",
      Config,
    )(({ text }: { text: string }, { config, signal, span }) => {
      expectTypeOf(config).toEqualTypeOf<Config>();
      expectTypeOf(config.prompt).toEqualTypeOf<string>();
      expectTypeOf(config.temperature).toEqualTypeOf<number>();
      expectTypeOf(config.words).toEqualTypeOf<number>();
      expectTypeOf(config.loud).toEqualTypeOf<boolean>();
      expectTypeOf(config.tone).toEqualTypeOf<"plain" | "formal">();
      expectTypeOf(config.model).toEqualTypeOf<"a-1" | "a-2" | "b-1">();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      expectTypeOf(span).toEqualTypeOf<Span>();
      return text.length;
    });
    expectTypeOf(say.path).toEqualTypeOf<"/say">();
    expectTypeOf(say).returns.toEqualTypeOf<number>();
    expectTypeOf(say).parameter(0).toEqualTypeOf<{ text: string }>();
    expect(say({ text: "four" }, { config: { tone: "formal" } })).toBe(4);
    // @ts-expect-error the input is what the function takes
    expectTypeOf(say).toBeCallableWith({ txt: "four" });
    // @ts-expect-error "rude" is none of the choices
    expectTypeOf(say).toBeCallableWith({ text: "four" }, { config: { tone: "rude" } });
  });

  it("come from a zod object just so", () => {
    const app = createApp();
    app.route(
      "/say",
      zodConfig,
    )((_input: object, { config }) => {
      expectTypeOf(config).toEqualTypeOf<{ tone: "plain" | "formal"; temperature: number }>();
    });
    app.entrypoint({ config: zodConfig })((_input: object, { config }) => {
      expectTypeOf(config.tone).toEqualTypeOf<"plain" | "formal">();
    });
    expectTypeOf(() => {
      // @ts-expect-error a field of a configuration needs a default
      app.route("/a", z.object({ temperature: z.number() }));
      // @ts-expect-error likewise among options
      app.route("/b", { config: z.object({ temperature: z.number() }) });
      // @ts-expect-error likewise of an entrypoint
      app.entrypoint(z.object({ temperature: z.number() }));
      // @ts-expect-error a configuration is a class or a zod object
      app.route("/c", { temperature: 0.7 });
      // @ts-expect-error there is no such option
      app.route("/d", { config: Config, inputs: z.string() });
    }).toBeFunction();
  });

  it("come from input schemas of zod, Valibot and ArkType, as they are after the check", () => {
    const app = createApp();
    app.route("/zod", {
      config: Config,
      input: z.object({ count: z.string().transform(Number), also: z.number().default(1) }),
    })((input, { config, signal, span }) => {
      expectTypeOf(input).toEqualTypeOf<{ count: number; also: number }>();
      expectTypeOf(config).toEqualTypeOf<Config>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      expectTypeOf(span).toEqualTypeOf<Span>();
    });
    app.route("/valibot", {
      config: zodConfig,
      input: v.object({ text: v.string(), tags: v.optional(v.array(v.string()), []) }),
    })((input, { config }) => {
      expectTypeOf(input).toEqualTypeOf<{ text: string; tags: string[] }>();
      expectTypeOf(config.tone).toEqualTypeOf<"plain" | "formal">();
    });
    app.entrypoint({ config: Config, input: type({ text: "string", "n?": "number > 0" }) })(
      (input) => {
        expectTypeOf(input.text).toEqualTypeOf<string>();
        expectTypeOf(input.n).toEqualTypeOf<number | undefined>();
      },
    );
    expect(app).toHaveProperty("fetch");
  });

  it("hold its result to the output schema, sync or async, and chunks to theirs", () => {
    const app = createApp();
    const output = z.object({ n: z.number() });
    const count = app.route("/count", { config: Config, output })(async () => ({ n: 1 }));
    expectTypeOf(count).returns.toEqualTypeOf<Promise<{ n: number }>>();
    app.route("/sync", { config: Config, output })((input: { text: string }) => ({
      n: input.text.length,
    }));
    const stream = z.string();
    app.route("/tell", { config: Config, stream })(async function* () {
      yield "once";
    });
    app.route("/tell-sync", { config: Config, stream })(function* () {
      yield "once";
    });
    expectTypeOf(() => {
      // @ts-expect-error the output is { n: number }
      app.route("/a", { config: Config, output })(() => ({ n: "one" }));
      // @ts-expect-error chunks are strings
      app.route("/b", { config: Config, stream })(async function* () {
        yield 1;
      });
      // @ts-expect-error a route with a `stream` streams
      app.route("/c", { config: Config, stream })(() => "once");
    }).toBeFunction();
  });

  it("let an input be left out that may be undefined or empty, and no other", () => {
    const app = createApp();
    const none = app.route("/none", Config)(() => "none");
    const optional = app.route("/optional", Config)((name?: string) => name ?? "none");
    const defaulted = app.route("/defaulted", Config)((name: string = "none") => name);
    const either = app.route("/either", Config)((name: string | undefined) => name ?? "none");
    const filter = app.route("/filter", Config)((given: { a?: string }) => given.a ?? "none");
    const pattern = app.route("/pattern", Config)(({ a = "none" }: { a?: string }) => a);
    const schema = app.route("/schema", {
      config: Config,
      input: z.object({ a: z.string().optional() }),
    })(({ a }) => a ?? "none");
    const later = app.route("/later", Config)(async (name?: string) => name ?? "none");
    const calls = [none(), optional(), defaulted(), either(), filter(), pattern(), schema()];
    expect(calls).toEqual(Array(7).fill("none"));
    expect(optional(undefined, { config: { loud: true } })).toBe("none");
    expect(optional("some")).toBe("some");
    expectTypeOf(none).toBeCallableWith();
    expectTypeOf(later).returns.toEqualTypeOf<Promise<string>>();
    expectTypeOf(defaulted).parameter(0).toEqualTypeOf<string | undefined>();
    expectTypeOf(defaulted).returns.toEqualTypeOf<string>();
    expectTypeOf(optional).parameter(0).toEqualTypeOf<string | undefined>();
    const required = app.route("/required", Config)((input: { a: string }) => input.a);
    const list = app.route("/list", Config)((names: string[]) => names);
    const checked = app.route("/checked", {
      config: Config,
      input: z.object({ a: z.string() }),
      output: z.string(),
    })(({ a }) => a);
    expectTypeOf(() => {
      // @ts-expect-error the input has to be given
      required();
      // @ts-expect-error the input has to be given
      list();
      // @ts-expect-error the input has to be given
      checked();
      // @ts-expect-error the name is a text
      optional(7);
      // @ts-expect-error a call has an input and options
      none({}, {}, {});
    }).toBeFunction();
  });

  it("are those of a decorated method, which keeps its own", () => {
    const app = createApp();
    class Desk {
      @app.route("/static", Config)
      static async classify({ ticket }: { ticket: string }) {
        return ticket.length;
      }
      @app.route("/instance", { config: Config, input: z.object({ ticket: z.string() }) })
      answer({ ticket }: { ticket: string }) {
        return ticket;
      }
    }
    expectTypeOf(Desk.classify).toEqualTypeOf<(input: { ticket: string }) => Promise<number>>();
    expectTypeOf<Desk["answer"]>().toEqualTypeOf<(input: { ticket: string }) => string>();
    expectTypeOf(() => {
      class Wrong {
        // @ts-expect-error the schema's input is an object with a ticket
        @app.route("/wrong", { config: Config, input: z.object({ ticket: z.string() }) })
        answer({ ticket }: { ticket: number }) {
          return ticket;
        }
        // @ts-expect-error only methods can be routes
        @app.route("/field", Config)
        field = 1;
      }
      return Wrong;
    }).toBeFunction();
  });
});

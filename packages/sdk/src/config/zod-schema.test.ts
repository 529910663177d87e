import { createRequire } from "node:module";
import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import * as mini from "zod/mini";
import { z as z3 } from "zod/v3";
import { compileConfig } from "./compile-config.ts";
import type { ConfigDeclaration, EveryFieldDefaults, InferConfig } from "./config-declaration.ts";
import { DeclarationError } from "./declaration-error.ts";

const summarize = z.object({
  prompt: z.string().min(3).describe("What to ask for.").default("Summarize."),
  temperature: z.number().min(0).max(2).default(0.7).meta({ title: "Temperature" }),
  maxTokens: z.int().gte(-1).lt(4096).default(-1),
  bullets: z.boolean().default(false),
  tone: z.enum(["plain", "formal"]).default("plain"),
  model: z
    .enum(["gpt", "small", "large"])
    .meta({ groups: { OpenAI: ["gpt"], Mistral: ["small", "large"] } })
    .default("gpt"),
});

const refuse = { unknownFields: "refuse" } as const;

function declarationError(schema: z.core.$ZodType): string {
  try {
    compileConfig(schema as unknown as ConfigDeclaration);
  } catch (error) {
    if (DeclarationError.isInstance(error)) return error.message;
    throw error;
  }
  throw new Error("It is accepted.");
}

describe("a zod object as configuration", () => {
  it("comes to the same description as a class", () => {
    const schema = compileConfig(summarize);
    expect(schema.fields).toEqual([
      { kind: "str", name: "prompt", default: "Summarize.", description: "What to ask for." },
      {
        kind: "float",
        name: "temperature",
        default: 0.7,
        title: "Temperature",
        bounds: { ge: 0, le: 2 },
      },
      { kind: "int", name: "maxTokens", default: -1, bounds: { ge: -1, lt: 4096 } },
      { kind: "bool", name: "bullets", default: false },
      { kind: "choice", name: "tone", default: "plain", choices: ["plain", "formal"] },
      {
        kind: "grouped-choice",
        name: "model",
        default: "gpt",
        groups: { OpenAI: ["gpt"], Mistral: ["small", "large"] },
      },
    ]);
    expect(schema.defaults).toEqual(summarize.parse({}));
    expect(schema.declaration).toBe(summarize);
    expect(compileConfig(summarize)).toBe(schema);
  });

  it("gives its output's type", () => {
    expectTypeOf<InferConfig<typeof summarize>>().toEqualTypeOf<z.output<typeof summarize>>();
    expectTypeOf<InferConfig<typeof summarize>["tone"]>().toEqualTypeOf<"plain" | "formal">();
  });

  it("makes a field without a default a compile error where asked", () => {
    function declare<D extends ConfigDeclaration>(declaration: D & EveryFieldDefaults<D>) {
      return compileConfig(declaration);
    }
    declare(summarize);
    // @ts-expect-error: `a` has no default
    expect(() => declare(z.object({ a: z.string() }))).toThrow("a: Every field needs a default.");
  });

  it("parses any subset", () => {
    const schema = compileConfig(summarize);
    expect(schema.parse({ tone: "formal" }, refuse)).toEqual({
      kind: "valid",
      config: { ...schema.defaults, tone: "formal" },
    });
    const once = schema.parse({}, refuse);
    expect(schema.parse({}, refuse)).toEqual(once);
    expect(schema.parse({}, refuse)).not.toBe(once);
  });

  it("reports what the field rules and zod's own checks find, in the order of the fields", () => {
    const values = {
      speed: 1,
      model: "huge",
      tone: null,
      bullets: 1,
      maxTokens: 4096,
      temperature: -1,
      prompt: "no",
    };
    const outcome = compileConfig(summarize).parse(values, refuse);
    expect(outcome).toMatchObject({
      kind: "invalid",
      issues: [
        { path: ["prompt"], type: "custom", message: expect.stringContaining("3") },
        { path: ["temperature"], type: "greater_than_equal" },
        { path: ["maxTokens"], type: "less_than" },
        { path: ["bullets"], type: "bool_type" },
        { path: ["tone"], type: "choice" },
        {
          path: ["model"],
          type: "choice",
          message: 'Must be "gpt", "small" or "large" (got "huge").',
        },
        { path: ["speed"], type: "unknown_field" },
      ],
    });
    expect(outcome).toHaveProperty("issues.length", 7);
  });

  it.each([
    ["plain", z.object],
    ["strict", z.strictObject],
  ])("refuses or ignores unknown fields of a %s object as it is told", (_, object) => {
    const schema = compileConfig(object({ a: z.int().default(1) }));
    expect(schema.parse({ b: 1 }, refuse)).toMatchObject({
      issues: [{ path: ["b"], type: "unknown_field" }],
    });
    expect(schema.parse({ a: 2, b: 1 }, { unknownFields: "ignore" })).toEqual({
      kind: "valid",
      config: { a: 2 },
    });
  });

  it("holds refinements of the fields and of the whole, which come after the fields", () => {
    const schema = compileConfig(
      z
        .object({
          low: z.int().default(0),
          high: z
            .int()
            .refine((value) => value !== 13, "Not thirteen.")
            .default(10),
        })
        .refine(({ low, high }) => low < high, "low is below high."),
    );
    expect(schema.parse({ low: 5 }, refuse)).toMatchObject({ kind: "valid" });
    expect(schema.parse({ low: 20, other: 1 }, refuse)).toMatchObject({
      issues: [
        { path: [], type: "custom", message: "low is below high." },
        { path: ["other"], type: "unknown_field" },
      ],
    });
    expect(schema.parse({ high: 13 }, refuse)).toMatchObject({
      issues: [{ path: ["high"], type: "custom", message: "Not thirteen." }],
    });
  });

  it("waits for a refinement that waits, which is never called while modules are loaded", async () => {
    const asked: string[] = [];
    const schema = compileConfig(
      z.object({
        name: z
          .string()
          .refine(async (name) => {
            asked.push(name);
            return name !== "taken";
          }, "Taken.")
          .default("free"),
      }),
    );
    expect(asked).toEqual([]);
    await expect(schema.parse({ name: "new" }, refuse)).resolves.toEqual({
      kind: "valid",
      config: { name: "new" },
    });
    await expect(schema.parse({ name: "taken", x: 1 }, refuse)).resolves.toMatchObject({
      issues: [
        { path: ["name"], type: "custom", message: "Taken." },
        { path: ["x"], type: "unknown_field" },
      ],
    });
  });

  it.each([
    ["optional inside", z.string().optional().default("a"), { kind: "str", default: "a" }],
    ["optional outside", z.string().default("a").optional(), { kind: "str", default: "a" }],
    ["prefault", z.string().prefault("a"), { kind: "str", default: "a" }],
    ["readonly", z.boolean().default(true).readonly(), { kind: "bool", default: true }],
    ["the outer of two defaults", z.int().default(1).default(2), { kind: "int", default: 2 }],
    ["a default from a function", z.int().default(() => 3), { kind: "int", default: 3 }],
    ["an email", z.email().default("a@b.cc"), { kind: "str" }],
    ["number().int()", z.number().int().default(1), { kind: "int" }],
    ["int32", z.int32().default(1), { kind: "int", bounds: { ge: -2147483648, le: 2147483647 } }],
    ["uint32", z.uint32().max(9).default(1), { bounds: { ge: 0, le: 9 } }],
    ["positive", z.number().positive().default(1), { kind: "float", bounds: { gt: 0 } }],
    [
      "the tighter of two",
      z.number().min(1).gt(1).min(0).lt(9).max(9).default(2),
      { bounds: { gt: 1, lt: 9 } },
    ],
    ["bounds around a default", z.number().default(1).check(z.gte(0)), { bounds: { ge: 0 } }],
    ["one literal", z.literal("a").default("a"), { kind: "choice", choices: ["a"] }],
    [
      "a literal of several",
      z.literal(["a", "b"]).default("b"),
      { kind: "choice", choices: ["a", "b"] },
    ],
    [
      "a union of literals",
      z.union([z.literal("a"), z.enum(["b", "c"])]).default("b"),
      { kind: "choice", choices: ["a", "b", "c"] },
    ],
    ["a native enum", z.enum({ A: "a", B: "b" } as const).default("b"), { choices: ["a", "b"] }],
    [
      "groups of a string, outside the default",
      z
        .string()
        .default("b")
        .meta({ groups: { A: ["a"], B: ["b"] } }),
      { kind: "grouped-choice", groups: { A: ["a"], B: ["b"] } },
    ],
    [
      "the outer of two descriptions, beside an inner title",
      z.string().meta({ title: "T", description: "inner" }).default("a").describe("outer"),
      { title: "T", description: "outer" },
    ],
  ])("reads %s", (_, field, expected) => {
    const declaration = z.object({ field }) as unknown as ConfigDeclaration;
    expect(compileConfig(declaration).fields[0]).toMatchObject(expected);
  });

  it("takes only values of its type, whatever zod would coerce or let through", () => {
    const schema = compileConfig(
      z.object({
        a: z.coerce.number<number>().default(1),
        c: z
          .string()
          .meta({ groups: { C: ["c"] } })
          .default("c"),
      }),
    );
    expect(schema.parse({ a: "2", c: "d" }, refuse)).toMatchObject({
      issues: [
        { path: ["a"], type: "float_type" },
        { path: ["c"], type: "choice" },
      ],
    });
  });

  it("fails at the call, not while modules are loaded, when a check of zod's throws", async () => {
    const failing = z.stringFormat("failing", () => {
      throw new Error("The format is broken.");
    });
    const schema = compileConfig(z.object({ a: failing.default("a") }));
    await expect(schema.parse({ a: "b" }, refuse)).rejects.toThrow("The format is broken.");
  });

  it("never walks the prototype", () => {
    const schema = compileConfig(
      z.object({ constructor: z.string().default("c"), toString: z.string().default("t") }),
    );
    expect(schema.parse(JSON.parse('{"toString":"x"}'), refuse)).toEqual({
      kind: "valid",
      config: { constructor: "c", toString: "x" },
    });
    expect(schema.parse(JSON.parse('{"__proto__":{"constructor":"x"}}'), refuse)).toMatchObject({
      issues: [{ path: ["__proto__"], type: "unknown_field" }],
    });
  });

  it("is named by its title or id", () => {
    const named = z.object({ a: z.string() }).meta({ title: "SearchConfig" });
    expect(declarationError(named)).toContain("SearchConfig.a: Every field needs a default.");
    expect(compileConfig(z.object({}).meta({ id: "EmptyConfig" })).name).toBe("EmptyConfig");
  });
});

describe("a zod schema that is no configuration", () => {
  it.each<[string, z.core.$ZodType, string]>([
    ["a string", z.string(), "Config is a zod string, and a configuration is an object."],
    ["a union of objects", z.union([z.object({})]), "Config is a zod union"],
    ["a loose object", z.looseObject({}), "takes fields that it does not name"],
    ["a catch-all", z.object({}).catchall(z.string()), "takes fields that it does not name"],
    [
      "no default",
      z.object({ a: z.int().min(0) }),
      "Config.a: Every field needs a default. Write a: z.int().default(0).",
    ],
    [
      "optional inside, required outside",
      z.object({ a: z.boolean().optional().nonoptional() }),
      "Write a: z.boolean().default(false).",
    ],
    [
      "a null default of what is not nullable",
      z.object({ a: z.string().default(null as unknown as string) }),
      "(got null)",
    ],
    ["a date", z.object({ a: z.date().default(new Date(0)) }), "cannot be a zod date"],
    [
      "a transform",
      z.object({ a: z.string().transform(Number).default(1) }),
      "cannot be a zod pipe",
    ],
    [
      "a mixed union",
      z.object({ a: z.union([z.literal("a"), z.number()]).default("a") }),
      "cannot be a zod union",
    ],
    ["a catch", z.object({ a: z.int().catch(1).default(1) }), "cannot be a zod catch"],
    [
      "a choice of numbers",
      z.object({ a: z.literal([1, 2]).default(1) }),
      "choices has 1. Choices are strings.",
    ],
    [
      "a default out of bounds",
      z.object({ a: z.int().max(2).default(3) }),
      "Must be 2 or less (got 3).",
    ],
    [
      "a default not in the enum",
      z.object({ a: z.enum(["a"]).default("b" as "a") }),
      'Must be "a" (got "b").',
    ],
    [
      "a default that zod's checks refuse",
      z.object({ a: z.string().min(1).default("") }),
      "Config.a: Its own default is not valid. Too small",
    ],
    [
      "contradictory bounds",
      z.object({ a: z.number().min(2).max(1).default(1) }),
      "No number is within ge: 2 and le: 1.",
    ],
    [
      "a fraction as bound of an int",
      z.object({ a: z.int().min(0.5).default(1) }),
      "ge is 0.5. A bound of an int",
    ],
    [
      "an empty group",
      z.object({
        a: z
          .string()
          .meta({ groups: { A: [] } })
          .default("a"),
      }),
      "choices.A is empty.",
    ],
    [
      "groups that differ from the enum",
      z.object({
        a: z
          .enum(["a", "b"])
          .meta({ groups: { A: ["a"] } })
          .default("a"),
      }),
      "Its groups hold other choices than its enum.",
    ],
    [
      "a field __proto__",
      z.object({ ["__proto__"]: z.string().default("a") }),
      "zod ignores a key of this name",
    ],
  ])("%s: says so", (_, schema, expected) => {
    expect(declarationError(schema)).toContain(expected);
  });

  it("zod 3: says what to import", () => {
    const schema = z3.object({ a: z3.string().default("a") });
    expect(declarationError(schema as unknown as z.core.$ZodType)).toBe(
      'This is a schema of zod 3, which does not say enough about its fields. Import z from "zod/v4", or upgrade to zod 4.',
    );
  });
});

describe("the other zods of the peer range", () => {
  it("zod/mini, with metadata in the global registry", () => {
    const schema = compileConfig(
      mini.object({
        temperature: mini
          ._default(mini.number().check(mini.gte(0), mini.lt(2)), 1)
          .register(mini.globalRegistry, { title: "Temperature" }),
        tone: mini._default(mini.enum(["plain", "formal"]), "plain"),
      }),
    );
    expect(schema.fields).toMatchObject([
      { kind: "float", default: 1, bounds: { ge: 0, lt: 2 }, title: "Temperature" },
      { kind: "choice", default: "plain", choices: ["plain", "formal"] },
    ]);
    expect(schema.parse({ temperature: 2 }, refuse)).toMatchObject({
      issues: [{ path: ["temperature"], type: "less_than" }],
    });
  });

  // Genkit, which the benchmarks compare with, brings the last zod 3.
  const requireOld = createRequire(createRequire(import.meta.url).resolve("@genkit-ai/core"));
  const { version } = requireOld("zod/package.json") as { version: string };

  it.skipIf(!version.startsWith("3.25."))(`zod/v4 of zod 3.25 (Genkit's zod is ${version})`, () => {
    const { z: old } = requireOld("zod/v4") as { z: typeof z };
    const schema = compileConfig(
      old.object({
        count: old.int().min(1).default(5),
        ratio: old.number().positive().max(1).default(0.5),
        tone: old.enum(["plain", "formal"]).default("plain").describe("How it sounds."),
        model: old
          .string()
          .meta({ groups: { A: ["a"] } })
          .default("a"),
      }),
    );
    expect(schema.fields).toMatchObject([
      { kind: "int", bounds: { ge: 1 }, default: 5 },
      { kind: "float", bounds: { gt: 0, le: 1 }, default: 0.5 },
      { kind: "choice", choices: ["plain", "formal"], description: "How it sounds." },
      { kind: "grouped-choice", groups: { A: ["a"] } },
    ]);
    expect(schema.parse({ count: 0, model: "b" }, refuse)).toMatchObject({
      issues: [
        { path: ["count"], type: "greater_than_equal" },
        { path: ["model"], type: "choice" },
      ],
    });
    expect(schema.parse({ count: 2 }, refuse)).toMatchObject({
      kind: "valid",
      config: { count: 2 },
    });
  });
});

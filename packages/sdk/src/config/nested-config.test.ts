import { createRequire } from "node:module";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import * as mini from "zod/mini";
import type { FieldValues } from "./base-model.ts";
import { compileConfig } from "./compile-config.ts";
import type { ConfigDeclaration, EveryFieldDefaults, InferConfig } from "./config-declaration.ts";
import { configJsonSchema } from "./config-json-schema.ts";
import type { ConfigOutcome, ConfigSchema, ParseOptions } from "./config-schema.ts";
import { DeclarationError } from "./declaration-error.ts";
import { randomNestedConfig } from "./random-nested-config.fixture.ts";

const refuse = { unknownFields: "refuse" } as const;
const ignore = { unknownFields: "ignore" } as const;

const search = z.object({
  retrieval: z.object({
    topK: z.int().min(1).max(50).default(5),
    weights: z.array(z.number().min(0).max(1)).min(1).max(4).default([0.5, 0.5]),
    rerank: z
      .object({ model: z.string(), depth: z.int().min(1).default(20) })
      .nullable()
      .default(null),
  }),
  stopWords: z.array(z.string()).default([]),
  seed: z.int().optional(),
  style: z.enum(["plain", "formal"]).nullable().default("plain"),
  examples: z
    .array(z.object({ input: z.string(), output: z.string(), weight: z.number().default(1) }))
    .default([{ input: "a", output: "b", weight: 2 }]),
});

function parsed<T>(schema: ConfigSchema<T>, values: unknown, options: ParseOptions = refuse) {
  return schema.parse(values, options) as ConfigOutcome<T>;
}

function configOf<T>(schema: ConfigSchema<T>, values: unknown, options?: ParseOptions): T {
  const outcome = parsed(schema, values, options);
  if (outcome.kind === "invalid") throw new Error(JSON.stringify(outcome.issues));
  return outcome.config;
}

function declarationError(shape: Record<string, z.core.$ZodType>): string {
  try {
    compileConfig(z.object(shape) as unknown as ConfigDeclaration);
  } catch (error) {
    if (DeclarationError.isInstance(error)) return error.message;
    throw error;
  }
  throw new Error("It is accepted.");
}

describe("a nested configuration", () => {
  const schema = compileConfig(search);

  it("has the defaults of all levels", () => {
    const defaults = {
      retrieval: { topK: 5, weights: [0.5, 0.5], rerank: null },
      stopWords: [],
      style: "plain",
      examples: [{ input: "a", output: "b", weight: 2 }],
    };
    expect(schema.defaults).toEqual(defaults);
    expect(configOf(schema, {})).toEqual(defaults);
    expect(Object.isFrozen((schema.defaults as typeof defaults).retrieval.weights)).toBe(true);
  });

  it("merges objects by field and replaces lists", () => {
    expect(
      configOf(schema, {
        retrieval: { weights: [1], rerank: { model: "m" } },
        seed: 3,
        style: null,
        examples: [{ input: "x", output: "y" }],
      }),
    ).toEqual({
      retrieval: { topK: 5, weights: [1], rerank: { model: "m", depth: 20 } },
      stopWords: [],
      seed: 3,
      style: null,
      examples: [{ input: "x", output: "y", weight: 1 }],
    });
  });

  it("gives each call lists and objects of its own, defaults and given ones", () => {
    const values = { stopWords: ["a"] };
    const first = configOf(schema, values);
    first.retrieval.weights.push(1);
    first.examples[0]!.input = "changed";
    first.stopWords.push("b");
    expect(values).toEqual({ stopWords: ["a"] });
    expect(configOf(schema, {})).toMatchObject({
      retrieval: { weights: [0.5, 0.5] },
      examples: [{ input: "a" }],
    });
  });

  it("says where a value is wrong, to the item of a list", () => {
    const values = {
      retrieval: { topK: 0, weights: [0.5, 2, "x"], rerank: { depth: 0 }, topk: 1 },
      stopWords: "a",
      seed: null,
      style: "loud",
      examples: [{ input: "x" }, null],
    };
    const outcome = parsed(schema, values);
    if (outcome.kind === "valid") throw new Error("It is invalid.");
    expect(outcome.issues.map(({ path, type }) => [path.join("."), type])).toEqual([
      ["retrieval.topK", "greater_than_equal"],
      ["retrieval.weights.1", "less_than_equal"],
      ["retrieval.weights.2", "float_type"],
      ["retrieval.rerank.model", "missing_field"],
      ["retrieval.rerank.depth", "greater_than_equal"],
      ["retrieval.topk", "unknown_field"],
      ["stopWords", "list_type"],
      ["seed", "int_type"],
      ["style", "choice"],
      ["examples.0.output", "missing_field"],
      ["examples.1", "object_type"],
    ]);
    expect(outcome.issues[1]?.path).toEqual(["retrieval", "weights", 1]);
    expect(outcome.issues[5]?.message).toContain('did you mean "topK"?');
  });

  it.each([
    ["too_few_items", [], "Must be a list of at least 1 item (got a list of 0)."],
    ["too_many_items", [0, 0, 0, 0, 0], "Must be a list of at most 4 items (got a list of 5)."],
  ])("%s", (type, weights, message) => {
    expect(parsed(schema, { retrieval: { weights } })).toMatchObject({
      issues: [{ path: ["retrieval", "weights"], type, message }],
    });
  });

  it.each([
    [99, 99],
    [100, 100],
    [101, 100],
    [200_000, 100],
  ])("tells of %i wrong items %i, whether it, zod or neither knows them", (count, told) => {
    const many = compileConfig(
      z.object({
        words: z.array(z.string().min(2)).default([]),
        numbers: z.array(z.int()).default([]),
      }),
    );
    const words = { words: Array.from({ length: count }, () => "x") };
    const numbers = { numbers: Array.from({ length: count }, () => "x") };
    const unknown = Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`x${index}`, 1]),
    );
    for (const values of [words, numbers, unknown]) {
      expect(parsed(many, values)).toMatchObject({ issues: { length: told } });
    }
  });

  it("leaves out fields that it does not know of a stored configuration, at every level", () => {
    const stored = {
      old: 1,
      retrieval: { old: 1, topK: 2 },
      examples: [{ input: "", output: "", old: 1 }],
    };
    expect(configOf(schema, stored, ignore)).toMatchObject({
      retrieval: { topK: 2, weights: [0.5, 0.5] },
      examples: [{ input: "", output: "", weight: 1 }],
    });
    expect(configOf(schema, stored, ignore)).not.toHaveProperty("retrieval.old");
  });

  it("holds refinements at every level, and does not call them while modules are loaded", () => {
    const asked: unknown[] = [];
    const refined = compileConfig(
      z.object({
        range: z
          .object({ low: z.int().default(0), high: z.int().default(9) })
          .refine((range) => {
            asked.push(range);
            return range.low < range.high;
          }, "low is below high.")
          .prefault({}),
        tags: z.array(z.string().min(2)).default(["ab"]),
      }),
    );
    expect(asked).toEqual([]);
    expect(parsed(refined, { range: { low: 10 }, tags: ["ab", "c"] })).toMatchObject({
      issues: [
        { path: ["range"], type: "custom", message: "low is below high." },
        { path: ["tags", 1], type: "custom" },
      ],
    });
  });

  it("lets the default of an object count before those of its fields", () => {
    const outer = compileConfig(
      z.object({
        a: z
          .object({ one: z.int().default(1), two: z.int(), deep: z.object({ three: z.int() }) })
          .default({ one: 10, two: 20, deep: { three: 30 } }),
      }),
    );
    expect(outer.defaults).toEqual({ a: { one: 10, two: 20, deep: { three: 30 } } });
    expect(configOf(outer, { a: { two: 2 } })).toEqual({
      a: { one: 10, two: 2, deep: { three: 30 } },
    });
    expect(configJsonSchema(outer).properties.a).not.toHaveProperty("required");
  });

  it("has no end in the prototype", () => {
    const odd = compileConfig(
      z.object({ a: z.object({ constructor: z.string().optional(), b: z.int().default(1) }) }),
    );
    expect(configOf(odd, { a: {} })).toEqual({ a: { b: 1 } });
    expect(parsed(odd, JSON.parse('{"a":{"__proto__":{"b":2}}}'))).toMatchObject({
      issues: [{ path: ["a", "__proto__"], type: "unknown_field" }],
    });
  });

  it("is described as JSON Schema, with its controls", () => {
    expect(configJsonSchema(schema).properties).toMatchObject({
      retrieval: {
        type: "object",
        "x-ag-control": "group",
        additionalProperties: false,
        default: { topK: 5, weights: [0.5, 0.5], rerank: null },
        properties: {
          topK: { type: "integer", minimum: 1, maximum: 50, default: 5, "x-ag-control": "slider" },
          weights: {
            type: "array",
            "x-ag-control": "list",
            minItems: 1,
            maxItems: 4,
            items: { type: "number", minimum: 0, maximum: 1, "x-ag-control": "slider" },
          },
          rerank: {
            type: ["object", "null"],
            default: null,
            required: ["model"],
            properties: { model: { type: "string" }, depth: { type: "integer", default: 20 } },
          },
        },
      },
      seed: { type: "integer", "x-ag-control": "slider" },
      style: { type: ["string", "null"], enum: ["plain", "formal", null], default: "plain" },
      examples: { items: { required: ["input", "output"] } },
    });
    expect(configJsonSchema(schema).properties.seed).not.toHaveProperty("default");
  });

  it("is typed by its output, and given by any part of it", () => {
    type Config = InferConfig<typeof search>;
    expectTypeOf<Config["retrieval"]["rerank"]>().toEqualTypeOf<{
      model: string;
      depth: number;
    } | null>();
    expectTypeOf<Config["seed"]>().toEqualTypeOf<number | undefined>();
    const part: FieldValues<Config> = { retrieval: { topK: 3 }, style: null };
    // @ts-expect-error: topK is a number
    const wrong: FieldValues<Config> = { retrieval: { topK: "3" } };
    expect([part, wrong]).toHaveLength(2);
  });

  it("needs a default at every level, for the compiler too", () => {
    function declare<D extends ConfigDeclaration>(declaration: D & EveryFieldDefaults<D>) {
      return compileConfig(declaration);
    }
    declare(search);
    const nested = z.object({ a: z.object({ b: z.object({ c: z.int() }) }) });
    // @ts-expect-error: `c` has no default
    expect(() => declare(nested)).toThrow("Config.a.b.c: Every field needs a default.");
    // @ts-expect-error: a list has no default by itself
    expect(() => declare(z.object({ a: z.array(z.string()) }))).toThrow(
      "Config.a: Every field needs a default. Write a: z.array(...).default([]).",
    );
  });
});

describe("a nested schema that is no configuration", () => {
  const node: z.ZodType = z.object({
    name: z.string().default(""),
    get children() {
      return z.array(node).default([]);
    },
  });
  let deep: z.ZodType = z.int().default(1);
  for (let level = 0; level < 17; level++) deep = z.object({ deep });

  it.each<[string, Record<string, z.core.$ZodType>, string]>([
    ["one that contains itself", { tree: node }, "Config.tree.children.[]: It contains itself"],
    ["a lazy one", { a: z.lazy(() => z.string()).default("") }, "cannot be a zod lazy"],
    ["a deep one", { deep }, "nested more than 16 levels deep"],
    ["a record", { a: z.record(z.string(), z.string()).default({}) }, "cannot be a zod record"],
    ["a tuple", { a: z.tuple([z.string()]).default([""]) }, "cannot be a zod tuple"],
    ["a loose object", { a: z.looseObject({}).default({}) }, "Config.a: It takes fields that"],
    [
      "a default that an item does not take",
      { a: z.array(z.int().max(1)).default([1, 2]) },
      "Config.a: Its own default is not valid. At 1: Must be 1 or less (got 2).",
    ],
    [
      "a default with a field that is none",
      { a: z.object({ b: z.int().default(1) }).default({ b: 1, c: 2 } as { b: number }) },
      "At c: There is no such field",
    ],
    ["nullable without a default", { a: z.string().nullable() }, "Every field needs a default."],
    [
      "a union of objects",
      { a: z.union([z.object({}), z.object({})]).default({}) },
      "cannot be a zod union",
    ],
  ])("%s: says so", (_, shape, expected) => {
    expect(declarationError(shape)).toContain(expected);
  });

  it("takes 16 levels", () => {
    let levels: z.ZodType = z.int().default(1);
    for (let level = 0; level < 15; level++) levels = z.object({ levels });
    expect(compileConfig(z.object({ levels }) as unknown as ConfigDeclaration).fields).toHaveLength(
      1,
    );
  });
});

describe("any nested configuration and any values", () => {
  it("are the same to zod as to the configuration", () => {
    fc.assert(
      fc.property(randomNestedConfig({ odd: false }), ({ schema, values }) => {
        const compiled = compileConfig(schema as unknown as ConfigDeclaration);
        const before = JSON.stringify(values);
        const ours = parsed(compiled, values, ignore);
        expect(JSON.stringify(values)).toBe(before);
        // zod takes a list for an object without fields.
        fc.pre(typeof values === "object" && values !== null && !Array.isArray(values));
        const theirs = schema.safeParse(values);
        if (theirs.success) expect(ours).toEqual({ kind: "valid", config: theirs.data });
        else expect(ours.kind).toBe("invalid");
      }),
      { numRuns: 150 },
    );
  });

  it("are the same to a validator that has only the JSON Schema", () => {
    const ajv = new Ajv2020({ strict: false, ownProperties: true });
    fc.assert(
      fc.property(randomNestedConfig({ odd: true }), ({ schema, values }) => {
        const compiled = compileConfig(schema as unknown as ConfigDeclaration);
        const jsonSchema = configJsonSchema(compiled);
        expect(JSON.parse(JSON.stringify(jsonSchema))).toEqual(jsonSchema);
        expect(ajv.validate(jsonSchema, values)).toBe(parsed(compiled, values).kind === "valid");
        ajv.removeSchema(jsonSchema);
      }),
    );
  });

  it("take their defaults", () => {
    fc.assert(
      fc.property(randomNestedConfig({ odd: false }), ({ schema }) => {
        const compiled = compileConfig(schema as unknown as ConfigDeclaration);
        expect(parsed(compiled, compiled.defaults)).toEqual(parsed(compiled, {}));
        expect(parsed(compiled, {})).toEqual({ kind: "valid", config: schema.parse({}) });
      }),
    );
  });
});

describe("the other zods of the peer range", () => {
  it("zod/mini", () => {
    const schema = compileConfig(
      mini.object({
        retrieval: mini.object({ topK: mini._default(mini.int(), 5) }),
        tags: mini._default(mini.array(mini.string()).check(mini.maxLength(2)), []),
        note: mini.optional(mini.nullable(mini.string())),
      }),
    );
    expect(schema.defaults).toEqual({ retrieval: { topK: 5 }, tags: [] });
    expect(
      parsed(schema, { retrieval: { topK: "1" }, tags: ["a", "b", "c"], note: null }),
    ).toMatchObject({
      issues: [
        { path: ["retrieval", "topK"], type: "int_type" },
        { path: ["tags"], type: "too_many_items" },
      ],
    });
  });

  it("zod/v4 of zod 3.25", () => {
    const requireOld = createRequire(createRequire(import.meta.url).resolve("@genkit-ai/core"));
    const { z: old } = requireOld("zod/v4") as { z: typeof z };
    const schema = compileConfig(
      old.object({
        retrieval: old.object({ topK: old.int().default(5), label: old.string().optional() }),
        weights: old.array(old.number()).length(2).default([1, 2]),
      }),
    );
    expect(configOf(schema, { retrieval: { label: "x" } })).toEqual({
      retrieval: { topK: 5, label: "x" },
      weights: [1, 2],
    });
    expect(parsed(schema, { weights: [1] })).toMatchObject({
      issues: [{ path: ["weights"], type: "too_few_items" }],
    });
  });
});

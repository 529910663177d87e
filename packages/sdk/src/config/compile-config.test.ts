import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { BaseModel } from "./base-model.ts";
import { compileConfig } from "./compile-config.ts";
import type { ConfigDeclaration, InferConfig } from "./config-declaration.ts";
import { configJsonSchema } from "./config-json-schema.ts";
import type { ConfigOutcome, ConfigSchema, ParseOptions } from "./config-schema.ts";
import { ConfigValidationError } from "./config-validation-error.ts";
import { DeclarationError } from "./declaration-error.ts";
import { bool, Field, float, int, MultipleChoice, str } from "./field.ts";
import { modelOf, randomConfig, zodOf } from "./random-config.fixture.ts";
import { CONFIG_ISSUE_TYPES } from "./value-check.ts";

const refuse = { unknownFields: "refuse" } as const;
const ignore = { unknownFields: "ignore" } as const;

class Config extends BaseModel {
  prompt = Field(str, { default: "Summarize." });
  temperature = Field(float, { default: 0.7, ge: 0, le: 2 });
  maxTokens = Field(int, { default: -1, ge: -1 });
  bullets = Field(bool, { default: false });
  tone = Field(MultipleChoice({ choices: ["plain", "formal"] }), { default: "plain" });

  shout(): string {
    return this.prompt.toUpperCase();
  }
}

/** None of these schemas waits for anything. */
function parsed<T>(schema: ConfigSchema<T>, values: unknown, options: ParseOptions = refuse) {
  return schema.parse(values, options) as ConfigOutcome<T>;
}

describe("compileConfig", () => {
  it("describes a class, once", () => {
    const schema = compileConfig(Config);
    expect(compileConfig(Config)).toBe(schema);
    expect(schema).toMatchObject({ name: "Config", declaration: Config });
    expect(schema.defaults).toEqual({ ...new Config() });
    expect(schema.fields.map(({ name, kind }) => [name, kind])).toEqual([
      ["prompt", "str"],
      ["temperature", "float"],
      ["maxTokens", "int"],
      ["bullets", "bool"],
      ["tone", "choice"],
    ]);
    expect(schema.fields[1]).toMatchObject({ bounds: { ge: 0, le: 2 } });
  });

  it("gives each call its own instance of the class", () => {
    const schema = compileConfig(Config);
    const first = parsed(schema, { prompt: "a" });
    const second = parsed(schema, { prompt: "a" });
    if (first.kind !== "valid" || second.kind !== "valid") throw new Error("Both are valid.");
    expect(first.config).toBeInstanceOf(Config);
    expect(first.config.shout()).toBe("A");
    first.config.prompt = "b";
    expect(second.config.prompt).toBe("a");
    expect(schema.defaults.prompt).toBe("Summarize.");
    expect(structuredClone({ ...second.config })).toEqual(structuredClone(second.config));
  });

  it.each([
    ["str", { prompt: 1 }, "string_type"],
    ["str, null", { prompt: null }, "string_type"],
    ["int, a fraction", { maxTokens: 1.5 }, "int_type"],
    ["int, a boolean", { maxTokens: true }, "int_type"],
    ["int, text", { maxTokens: "1" }, "int_type"],
    ["int, too large to be exact", { maxTokens: 2 ** 53 }, "int_type"],
    ["float, text", { temperature: "1" }, "float_type"],
    ["float, infinite", { temperature: Number.POSITIVE_INFINITY }, "float_type"],
    ["float, NaN", { temperature: Number.NaN }, "float_type"],
    ["float, null", { temperature: null }, "float_type"],
    ["bool, a number", { bullets: 0 }, "bool_type"],
    ["bool, text", { bullets: "true" }, "bool_type"],
    ["choice, another case", { tone: "Plain" }, "choice"],
    ["ge", { temperature: -0.1 }, "greater_than_equal"],
    ["le", { temperature: 2.1 }, "less_than_equal"],
    ["an unknown field", { tones: "plain" }, "unknown_field"],
    ["a list", [], "object_type"],
    ["nothing", null, "object_type"],
    ["text", "{}", "object_type"],
  ])("refuses %s", (_, values, type) => {
    const outcome = parsed(compileConfig(Config), values);
    expect(outcome).toMatchObject({ kind: "invalid", issues: [{ type }] });
    expect(outcome).toHaveProperty("issues.length", 1);
  });

  it.each([
    ["a whole number for a float", { temperature: 1 }],
    ["a negative zero", { maxTokens: -0, temperature: -0 }],
    ["the largest whole number", { maxTokens: Number.MAX_SAFE_INTEGER }],
    ["the bounds themselves", { temperature: 2, maxTokens: -1 }],
    ["an empty text", { prompt: "" }],
    ["undefined, as not given", { prompt: undefined }],
    ["an object without a prototype", Object.assign(Object.create(null), { prompt: "a" })],
    ["an instance", new Config({ temperature: 2 })],
  ])("takes %s", (_, values) => {
    expect(parsed(compileConfig(Config), values)).toMatchObject({ kind: "valid" });
  });

  it("shortens what it repeats of the values", () => {
    const outcome = parsed(compileConfig(Config), { tone: "x".repeat(100_000), temperature: {} });
    if (outcome.kind !== "invalid") throw new Error("It is invalid.");
    expect(outcome.issues.map(({ message }) => message)).toEqual([
      "Must be a number (got an object).",
      `Must be "plain" or "formal" (got "${"x".repeat(64)}…").`,
    ]);
  });

  it.each<[string, unknown, string]>([
    [
      "another class",
      class Plain {},
      "Plain is not a configuration. Write class Plain extends ag.BaseModel { ... }.",
    ],
    ["BaseModel itself", BaseModel, "BaseModel is not a configuration"],
    ["an arrow function", () => 1, "is not a configuration"],
    [
      "an object",
      { temperature: 1 },
      "an object is not a configuration. Write class Config extends ag.BaseModel",
    ],
    ["nothing", undefined, "undefined is not a configuration"],
    ["an instance", new Config(), "an object is not a configuration"],
  ])("refuses %s as a declaration", (_, declaration, message) => {
    const compile = () => compileConfig(declaration as ConfigDeclaration);
    expect(compile).toThrow(message);
    expect(compile).toThrow(expect.toSatisfy(DeclarationError.isInstance));
  });

  it("infers the configuration", () => {
    expectTypeOf<InferConfig<typeof Config>>().toEqualTypeOf<Config>();
    expectTypeOf(compileConfig(Config)).toEqualTypeOf<ConfigSchema<Config>>();
    const object = z.object({ tone: z.enum(["a", "b"]).default("a"), count: z.int().default(1) });
    expectTypeOf(compileConfig(object)).toEqualTypeOf<
      ConfigSchema<{ tone: "a" | "b"; count: number }>
    >();
    // @ts-expect-error: not derived from BaseModel
    expect(() => compileConfig(class Plain {})).toThrow();
    // @ts-expect-error: not an object
    expect(() => compileConfig(z.string())).toThrow();
  });
});

describe("any configuration and any values", () => {
  const members = fc.constantFrom("defined" as const, "assigned" as const);

  it("are parsed without throwing, mutating, or letting a wrong value through", () => {
    fc.assert(
      fc.property(randomConfig, members, ({ fields, values }, how) => {
        const schema = compileConfig(modelOf(fields, how));
        const before = JSON.stringify(values);
        const outcome = parsed(schema, values, ignore);
        expect(JSON.stringify(values)).toBe(before);

        const given = new Map(isRecord(values) ? Object.entries(values) : []);
        const wrong = fields.filter(
          ({ name, takes }) => given.has(name) && !takes(given.get(name)),
        );
        if (outcome.kind === "valid") {
          expect(isRecord(values)).toBe(true);
          expect(wrong).toEqual([]);
          expect(Object.entries(outcome.config)).toEqual(
            inOrderOfKeys(
              fields.map(({ name, default: value }) => [name, given.get(name) ?? value]),
            ),
          );
        } else if (isRecord(values)) {
          expect(outcome.issues.map(({ path }) => path)).toEqual(wrong.map(({ name }) => [name]));
        } else {
          expect(outcome.issues).toMatchObject([{ path: [], type: "object_type" }]);
        }
        if (outcome.kind === "invalid") {
          for (const { type } of outcome.issues) expect(CONFIG_ISSUE_TYPES).toHaveProperty(type);
        }
      }),
    );
  });

  it("take their defaults", () => {
    fc.assert(
      fc.property(randomConfig, members, ({ fields }, how) => {
        const model = modelOf(fields, how);
        const schema = compileConfig(model);
        expect(parsed(schema, schema.defaults)).toEqual(parsed(schema, {}));
        expect(parsed(schema, {})).toMatchObject({ kind: "valid" });
        expect(Object.entries(new model())).toEqual(Object.entries(schema.defaults));
      }),
    );
  });

  it("are the same to `new` as to parse", () => {
    fc.assert(
      fc.property(randomConfig, members, ({ fields, values }, how) => {
        fc.pre(values !== undefined);
        const model = modelOf(fields, how);
        const outcome = parsed(compileConfig(model), values);
        try {
          const instance = new model(values as never);
          expect(outcome.kind).toBe("valid");
          expect({ kind: "valid", config: instance }).toEqual(outcome);
        } catch (error) {
          if (!ConfigValidationError.isInstance(error)) throw error;
          expect({ kind: "invalid", issues: error.issues }).toEqual(outcome);
        }
      }),
    );
  });

  it("are the same to zod as to a class", () => {
    fc.assert(
      fc.property(randomConfig, ({ fields, values }) => {
        // zod has no field of the one name, and sorts the others first.
        fc.pre(fields.every(({ name }) => name !== "__proto__" && !/^\d+$/.test(name)));
        const model = parsed(compileConfig(modelOf(fields, "defined")), values);
        const object = parsed(compileConfig(zodOf(fields)), values);
        if (model.kind === "invalid") expect(object).toEqual(model);
        else expect({ ...object, config: undefined }).toEqual({ kind: "valid", config: undefined });
        if (model.kind === "valid" && object.kind === "valid") {
          expect(Object.entries(object.config)).toEqual(Object.entries(model.config));
        }
      }),
    );
  });

  it("are the same to a validator that has only the JSON Schema", () => {
    const ajv = new Ajv2020({ strict: false, ownProperties: true });
    fc.assert(
      fc.property(randomConfig, ({ fields, values }) => {
        const schema = compileConfig(modelOf(fields, "defined"));
        // Ajv leaves such a property alone.
        fc.pre(fields.every(({ name }) => name !== "__proto__"));
        // JSON Schema knows no largest whole number.
        fc.pre(!hasUnsafeInteger(values));
        const jsonSchema = configJsonSchema(schema);
        expect(ajv.validate(jsonSchema, values)).toBe(parsed(schema, values).kind === "valid");
        ajv.removeSchema(jsonSchema);
      }),
    );
  });
});

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether any number in it is whole, but beyond those that a double can tell apart. */
function hasUnsafeInteger(value: unknown): boolean {
  if (typeof value === "object" && value !== null)
    return Object.values(value).some(hasUnsafeInteger);
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

/** JavaScript puts keys that look like an index first. */
function inOrderOfKeys(entries: readonly (readonly [string, unknown])[]): [string, unknown][] {
  return Object.entries(Object.fromEntries(entries));
}

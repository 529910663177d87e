import { inspect } from "node:util";
import { transform } from "esbuild";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { FieldValues } from "./base-model.ts";
import { BaseModel } from "./base-model.ts";
import { ConfigValidationError } from "./config-validation-error.ts";
import { DeclarationError } from "./declaration-error.ts";
import { bool, Field, float, int, MultipleChoice, str } from "./field.ts";

class SummarizeConfig extends BaseModel {
  prompt = Field(str, { default: "Summarize." });
  temperature = Field(float, { default: 0.7, ge: 0, le: 2 });
  maxTokens = Field(int, { default: -1, ge: -1, le: 4096 });
  bullets = Field(bool, { default: false });
  tone = Field(MultipleChoice({ choices: ["plain", "formal"] }), { default: "plain" });

  get question(): string {
    return `${this.prompt} (${this.tone})`;
  }

  withoutLimit(): boolean {
    return this.maxTokens === -1;
  }
}

const DEFAULTS = {
  prompt: "Summarize.",
  temperature: 0.7,
  maxTokens: -1,
  bullets: false,
  tone: "plain",
};

function errorOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error("It did not throw.");
}

describe("BaseModel", () => {
  it("has the defaults, or the values given", () => {
    expect({ ...new SummarizeConfig() }).toEqual(DEFAULTS);
    expect({ ...new SummarizeConfig({ temperature: 0, tone: "formal" }) }).toEqual({
      ...DEFAULTS,
      temperature: 0,
      tone: "formal",
    });
    expect(new SummarizeConfig({ temperature: undefined }).temperature).toBe(0.7);
  });

  it("says all that is wrong with the values: class, field, bound and value", () => {
    const error = errorOf(
      () => new SummarizeConfig({ temprature: 1, maxTokens: 1.5, temperature: 3, tone: "casual" }),
    );
    expect(ConfigValidationError.isInstance(error)).toBe(true);
    expect((error as ConfigValidationError).message.split("\n")).toEqual([
      "SummarizeConfig.temperature: Must be 2 or less (got 3).",
      "SummarizeConfig.maxTokens: Must be a whole number (got 1.5).",
      'SummarizeConfig.tone: Must be "plain" or "formal" (got "casual").',
      'SummarizeConfig.temprature: There is no such field; did you mean "temperature"?',
    ]);
    expect(
      (error as ConfigValidationError).issues.map(({ path, type }) => [...path, type]),
    ).toEqual([
      ["temperature", "less_than_equal"],
      ["maxTokens", "int_type"],
      ["tone", "choice"],
      ["temprature", "unknown_field"],
    ]);
  });

  it("recognises its errors by their mark, not by their class", () => {
    const error = errorOf(() => new SummarizeConfig({ temperature: 3 }));
    expect(error).toBeInstanceOf(Error);
    expect(DeclarationError.isInstance(error)).toBe(false);
    const ofAnotherCopy = { [Symbol.for("agate.sdk.config-validation-error")]: true };
    expect(ConfigValidationError.isInstance(ofAnotherCopy)).toBe(true);
    expect(ConfigValidationError.isInstance(null)).toBe(false);
    expect(ConfigValidationError.isInstance(new Error("temperature"))).toBe(false);
  });

  it("makes plain data", () => {
    const config = new SummarizeConfig();
    expect(JSON.parse(JSON.stringify(config))).toEqual(DEFAULTS);
    expect(Object.keys(config)).toEqual(Object.keys(DEFAULTS));
    expect(Object.entries(config)).toEqual(Object.entries(DEFAULTS));
    expect(Object.getOwnPropertyDescriptor(config, "prompt")).toEqual({
      value: "Summarize.",
      writable: true,
      enumerable: true,
      configurable: true,
    });
    expect(inspect(config, { breakLength: Number.POSITIVE_INFINITY })).toBe(
      "SummarizeConfig { prompt: 'Summarize.', temperature: 0.7, maxTokens: -1, bullets: false, tone: 'plain' }",
    );
    expect(config).toEqual(new SummarizeConfig(DEFAULTS));
    expect(config).toBeInstanceOf(SummarizeConfig);
    expect(config).toBeInstanceOf(BaseModel);
  });

  it("can be changed, and each instance is its own", () => {
    const config = new SummarizeConfig();
    config.temperature = 1.5;
    config.tone = "formal";
    expect(config.temperature).toBe(1.5);
    expect(config.question).toBe("Summarize. (formal)");
    expect(new SummarizeConfig().temperature).toBe(0.7);
    Reflect.deleteProperty(config, "tone");
    expect(Object.keys(config)).not.toContain("tone");
  });

  it("has methods and getters", () => {
    const config = new SummarizeConfig({ maxTokens: 10 });
    expect(config.question).toBe("Summarize. (plain)");
    expect(config.withoutLimit()).toBe(false);
  });

  it("is inherited over generations, and a field overridden keeps its place", () => {
    class Shared extends BaseModel {
      model = Field(str, { default: "small" });
      temperature = Field(float, { default: 1 });
    }
    class Middle extends Shared {
      topK = Field(int, { default: 5, ge: 1 });
    }
    class Final extends Middle {
      override temperature = Field(float, { default: 0.5, le: 1 });
      last = Field(bool, { default: true });
    }
    expect(Object.entries(new Final())).toEqual([
      ["model", "small"],
      ["temperature", 0.5],
      ["topK", 5],
      ["last", true],
    ]);
    expect(new Middle({ temperature: 7 }).temperature).toBe(7);
    expect(() => new Final({ temperature: 7 })).toThrow("Final.temperature: Must be 1 or less");
    expect(() => new Final({ topK: 0 })).toThrow("Final.topK: Must be 1 or more (got 0).");
  });

  it("allows a class without fields, and refuses values for it", () => {
    class Empty extends BaseModel {}
    expect({ ...new Empty() }).toEqual({});
    expect(() => new Empty({ a: 1 })).toThrow(
      "There is no such field; the configuration has none.",
    );
  });

  it("lets a default follow another field's default", () => {
    class Window extends BaseModel {
      size = Field(int, { default: 100 });
      overlap = Field(int, { default: this.size / 10 });
    }
    expect({ ...new Window({ size: 50 }) }).toEqual({ size: 50, overlap: 10 });
  });

  it("takes a subclass's own constructor", () => {
    class Logged extends BaseModel {
      readonly level = Field(str, { default: "info" });
      constructor(values?: { level?: string }) {
        super(values);
      }
    }
    expect(new Logged({ level: "debug" }).level).toBe("debug");
  });

  describe("of which a member is not a field", () => {
    it.each([
      ["a whole number", 3, "foo = ag.Field(ag.int, { default: 3 })"],
      ["a number", 0.25, "foo = ag.Field(ag.float, { default: 0.25 })"],
      ["a string", "x", 'foo = ag.Field(ag.str, { default: "x" })'],
      ["a boolean", false, "foo = ag.Field(ag.bool, { default: false })"],
      ["nothing", undefined, 'foo = ag.Field(ag.str, { default: "..." })'],
      ["null", null, 'foo = ag.Field(ag.str, { default: "..." })'],
      ["a type without Field", float, "foo = ag.Field(ag.float, { default: 0.5 })"],
      ["a function", () => 1, "Write it as a method: foo() { ... }"],
    ])("%s: says what to write", (_, member, advice) => {
      class Wrong extends BaseModel {
        foo = member;
      }
      const error = errorOf(() => new Wrong());
      expect(DeclarationError.isInstance(error)).toBe(true);
      expect((error as Error).message).toContain("Wrong.foo: ");
      expect((error as Error).message).toContain(advice);
    });

    it("a symbol", () => {
      const hidden: unique symbol = Symbol("hidden");
      class Wrong extends BaseModel {
        [hidden] = Field(int, { default: 1 });
      }
      expect(() => new Wrong()).toThrow("Wrong: Symbol(hidden) is not a field");
    });

    it("again, after it failed once", () => {
      class Wrong extends BaseModel {
        foo = 3;
      }
      expect(() => new Wrong()).toThrow("Wrong.foo");
      expect(() => new Wrong()).toThrow("Wrong.foo");
    });
  });
});

describe("the types of a BaseModel", () => {
  it("are those of its fields", () => {
    expectTypeOf<SummarizeConfig["tone"]>().toEqualTypeOf<"plain" | "formal">();
    expectTypeOf(new SummarizeConfig().maxTokens).toEqualTypeOf<number>();
    // @ts-expect-error: a configuration holds strings, numbers and booleans
    expect(() => new SummarizeConfig({ prompt: ["a"] })).toThrow("(got a list)");
  });

  it("hold for the values too when the class names itself", () => {
    class Named extends BaseModel<Named> {
      temperature = Field(float, { default: 0.7, le: 2 });
      tone = Field(MultipleChoice({ choices: ["plain", "formal"] }), { default: "plain" });
      shout(): string {
        return this.tone.toUpperCase();
      }
    }
    expectTypeOf<FieldValues<Named>>().toEqualTypeOf<{
      readonly temperature?: number | undefined;
      readonly tone?: "plain" | "formal" | undefined;
    }>();
    expect(new Named({ tone: "formal" }).shout()).toBe("FORMAL");
    // @ts-expect-error: not a choice
    expect(() => new Named({ tone: "casual" })).toThrow("Named.tone");
    // @ts-expect-error: not a field
    expect(() => new Named({ temprature: 1 })).toThrow("did you mean");
  });
});

// Whoever compiles a workflow chooses what `prompt = ag.Field(…)` becomes.
describe.each([
  ["defined, as the language has it", { target: "esnext", define: true }],
  ["defined by a helper, for older targets", { target: "es2020", define: true }],
  ["assigned, as TypeScript had it", { target: "es2020", define: false }],
])("fields that are %s", (_, { target, define }) => {
  async function compiled(): Promise<(...parts: unknown[]) => Record<string, typeof BaseModel>> {
    const source = `
      class Parent extends BaseModel {
        prompt = Field(str, { default: "a" });
        temperature = Field(float, { default: 1 });
        shown() { return this.prompt + this.temperature; }
      }
      class Child extends Parent {
        temperature = Field(float, { default: 0.5, le: 1 });
        __proto__ = Field(str, { default: "p" });
        constructor = Field(str, { default: "c" });
        toString = Field(str, { default: "t" });
      }
      class Wrong extends BaseModel { foo = 3; }
    `.replace("constructor =", "['constructor'] =");
    const { code } = await transform(source, {
      loader: "ts",
      target,
      tsconfigRaw: { compilerOptions: { useDefineForClassFields: define } },
    });
    return new Function(
      "BaseModel, Field, str, float",
      `${code}; return { Parent, Child, Wrong };`,
    ) as Awaited<ReturnType<typeof compiled>>;
  }

  it("are replaced by their values", async () => {
    const { Parent, Child, Wrong } = (await compiled())(BaseModel, Field, str, float);
    expect(Object.entries(new Parent!())).toEqual([
      ["prompt", "a"],
      ["temperature", 1],
    ]);
    const child = new Child!(JSON.parse('{ "prompt": "b", "__proto__": "q" }'));
    expect(Object.entries(child)).toEqual([
      ["prompt", "b"],
      ["temperature", 0.5],
      ["__proto__", "q"],
      ["constructor", "c"],
      ["toString", "t"],
    ]);
    expect(Object.getPrototypeOf(child)).toBe(Child!.prototype);
    expect((child as { shown(): string }).shown()).toBe("b0.5");
    expect(() => new Child!({ temperature: 2 })).toThrow("Child.temperature: Must be 1 or less");
    expect(() => new Wrong!()).toThrow("Wrong.foo");
  });
});

import { describe, expect, expectTypeOf, it } from "vitest";
import {
  Annotated,
  bool,
  Field,
  float,
  GroupedMultipleChoice,
  int,
  MultipleChoice,
  str,
} from "./field.ts";

describe("Annotated", () => {
  it("is the choice, or the type alone", () => {
    const tone = MultipleChoice({ choices: ["plain", "formal"] });
    expect(Annotated(str, tone)).toBe(tone);
    expect(Annotated(int)).toBe(int);
  });
});

// What a field does at run time is in base-model.test.ts and declared-field.test.ts.
describe("the type of a field", () => {
  it("is the type of its value", () => {
    expectTypeOf(Field(str, { default: "a" })).toEqualTypeOf<string>();
    expectTypeOf(Field(int, { default: -1, ge: -1, le: 4096 })).toEqualTypeOf<number>();
    expectTypeOf(Field(float, { default: 0.7, gt: 0, lt: 2 })).toEqualTypeOf<number>();
    expectTypeOf(Field(bool, { default: false })).toEqualTypeOf<boolean>();
    expectTypeOf(
      Field(str, { default: "a", title: "A", description: "The first letter." }),
    ).toEqualTypeOf<string>();
  });

  it("is the union of its choices, without `as const`", () => {
    const tone = MultipleChoice({ choices: ["plain", "formal"] });
    expectTypeOf(Field(tone, { default: "plain" })).toEqualTypeOf<"plain" | "formal">();

    const model = GroupedMultipleChoice({
      choices: { OpenAI: ["gpt"], Mistral: ["small", "large"] },
    });
    expectTypeOf(Field(model, { default: "large" })).toEqualTypeOf<"gpt" | "small" | "large">();
  });

  it("stays a union in a property that can be assigned to", () => {
    class Config {
      tone = Field(MultipleChoice({ choices: ["plain", "formal"] }), { default: "plain" });
    }
    expectTypeOf<Config["tone"]>().toEqualTypeOf<"plain" | "formal">();
  });

  it("is string where the choices are not known before run time", () => {
    const groups: Record<string, string[]> = { A: ["a"] };
    const list: string[] = ["a"];
    expectTypeOf(
      Field(GroupedMultipleChoice({ choices: groups }), { default: "a" }),
    ).toEqualTypeOf<string>();
    expectTypeOf(
      Field(MultipleChoice({ choices: list }), { default: "a" }),
    ).toEqualTypeOf<string>();
  });

  it("is that of the choice in an annotation", () => {
    const tone = Annotated(str, MultipleChoice({ choices: ["plain", "formal"] }));
    expectTypeOf(Field(tone, { default: "plain" })).toEqualTypeOf<"plain" | "formal">();
    const model = Annotated(str, GroupedMultipleChoice({ choices: { A: ["a"], B: ["b"] } }));
    expectTypeOf(Field(model, { default: "b" })).toEqualTypeOf<"a" | "b">();
    expectTypeOf(Field(Annotated(int), { default: 1, ge: 0 })).toEqualTypeOf<number>();
  });

  it("refuses what the run time would refuse", () => {
    // @ts-expect-error: no default
    Field(str, {});
    // @ts-expect-error: no default
    Field(int, { ge: 0 });
    // @ts-expect-error: no options at all
    Field(bool);
    // @ts-expect-error: a default of another type
    Field(int, { default: "1" });
    // @ts-expect-error: null is no default
    Field(str, { default: null });
    // @ts-expect-error: a bound on a string
    Field(str, { default: "a", ge: 1 });
    // @ts-expect-error: a bound on a boolean
    Field(bool, { default: true, le: 1 });
    // @ts-expect-error: a bound on a choice
    Field(MultipleChoice({ choices: ["a"] }), { default: "a", lt: 1 });
    // @ts-expect-error: a default that is not a choice
    Field(MultipleChoice({ choices: ["plain", "formal"] }), { default: "casual" });
    // @ts-expect-error: a default that is in no group
    Field(GroupedMultipleChoice({ choices: { A: ["a"], B: ["b"] } }), { default: "c" });
    // @ts-expect-error: a choice that is not a string
    MultipleChoice({ choices: ["a", 1] });
    // @ts-expect-error: only strings have choices
    Annotated(int, MultipleChoice({ choices: ["1"] }));
    // @ts-expect-error: not the type of a field
    Field(String, { default: "a" });
  });
});

import { describe, expect, it } from "vitest";
import { DeclarationError } from "./declaration-error.ts";
import type { FieldDraft } from "./declared-field.ts";
import { declaredField } from "./declared-field.ts";
import {
  Annotated,
  bool,
  float,
  GroupedMultipleChoice,
  int,
  MultipleChoice,
  str,
} from "./field.ts";

const place = {
  owner: "Config",
  name: "field",
  example: (kind: string) => `an example of ${kind}`,
};

function messageOf(type: unknown, options: FieldDraft["options"]): string {
  try {
    declaredField(place, { type, options });
  } catch (error) {
    if (DeclarationError.isInstance(error)) return error.message;
    throw error;
  }
  throw new Error("It is accepted.");
}

// A JavaScript user writes what TypeScript would not let through.
const untyped = {
  MultipleChoice: MultipleChoice as (options: { choices: unknown }) => unknown,
  GroupedMultipleChoice: GroupedMultipleChoice as (options: { choices: unknown }) => unknown,
  Annotated: Annotated as (base: unknown, choice: unknown) => unknown,
};

describe("a field declared wrongly", () => {
  it.each<[string, unknown, FieldDraft["options"], string]>([
    ["no default", str, {}, "Every field needs a default. Write an example of str."],
    [
      "no default but bounds",
      int,
      { ge: 0 },
      "Every field needs a default. Write an example of int.",
    ],
    ["a null default", str, { default: null }, "Must be a string (got null)."],
    ["a default of another type", int, { default: "1" }, 'Must be a whole number (got "1").'],
    ["a fraction for an int", int, { default: 0.5 }, "Must be a whole number (got 0.5)."],
    ["NaN", float, { default: Number.NaN }, "Must be a number (got NaN)."],
    ["a number for a bool", bool, { default: 1 }, "Must be true or false (got 1)."],
    ["a default below ge", float, { default: -1, ge: 0 }, "Must be 0 or more (got -1)."],
    ["a default at gt", int, { default: 0, gt: 0 }, "Must be greater than 0 (got 0)."],
    ["a default above le", float, { default: 3, le: 2 }, "Must be 2 or less (got 3)."],
    ["a default at lt", int, { default: 2, lt: 2 }, "Must be less than 2 (got 2)."],
    [
      "a default that is not a choice",
      MultipleChoice({ choices: ["a", "b"] }),
      { default: "c" },
      'Must be "a" or "b" (got "c").',
    ],
    [
      "a default that is in no group",
      GroupedMultipleChoice({ choices: { A: ["a"] } }),
      { default: "A" },
      'Must be "a" (got "A").',
    ],
    ["a bound on a string", str, { default: "a", ge: 1 }, "ge: only int and float have bounds"],
    ["bounds on a bool", bool, { default: true, gt: 0, lt: 2 }, "gt, lt: only int and float"],
    ["ge and gt", int, { default: 1, ge: 0, gt: 0 }, "both ge and gt. Keep one lower bound."],
    ["le and lt", int, { default: 1, le: 2, lt: 3 }, "both le and lt. Keep one upper bound."],
    ["ge above le", float, { default: 1, ge: 2, le: 1 }, "No number is within ge: 2 and le: 1."],
    ["ge at lt", float, { default: 1, ge: 1, lt: 1 }, "No number is within ge: 1 and lt: 1."],
    ["gt at le", float, { default: 1, gt: 1, le: 1 }, "No number is within gt: 1 and le: 1."],
    ["no integer between", int, { default: 1, gt: 0, lt: 1 }, "Must be less than 1 (got 1)."],
    ["an infinite bound", float, { default: 1, le: Number.POSITIVE_INFINITY }, "le is Infinity."],
    [
      "a NaN bound",
      float,
      { default: 1, ge: Number.NaN },
      "ge is NaN. A bound is a finite number.",
    ],
    [
      "a bound that is text",
      float,
      { default: 1, ge: "0" },
      'ge is "0". A bound is a finite number.',
    ],
    ["a null bound", float, { default: 1, ge: null }, "ge is null."],
    ["a fraction as bound of an int", int, { default: 1, ge: 0.5 }, "ge is 0.5. A bound of an int"],
    ["an unknown option", int, { default: 1, min: 0 }, 'A field has no option "min".'],
    [
      "no choices",
      MultipleChoice({ choices: [] }),
      { default: "a" },
      "choices is empty. List at least one string.",
    ],
    [
      "a choice twice",
      MultipleChoice({ choices: ["a", "b", "a"] }),
      { default: "a" },
      'choices has "a" twice. List it once.',
    ],
    [
      "a choice that is not a string",
      untyped.MultipleChoice({ choices: ["a", 1] }),
      { default: "a" },
      "choices has 1. Choices are strings.",
    ],
    [
      "choices that are not a list",
      untyped.MultipleChoice({ choices: "ab" }),
      { default: "a" },
      'choices is "ab". Write a list of strings.',
    ],
    [
      "no groups",
      GroupedMultipleChoice({ choices: {} }),
      { default: "a" },
      "choices is empty. List at least one group.",
    ],
    [
      "an empty group",
      GroupedMultipleChoice({ choices: { A: ["a"], B: [] } }),
      { default: "a" },
      "choices.B is empty.",
    ],
    [
      "a choice twice in a group",
      GroupedMultipleChoice({ choices: { A: ["a", "a"] } }),
      { default: "a" },
      'choices.A has "a" twice.',
    ],
    [
      "groups that are a list",
      untyped.GroupedMultipleChoice({ choices: ["a"] }),
      { default: "a" },
      "choices is a list. Write lists of strings by group",
    ],
    [
      "a number annotated with choices",
      untyped.Annotated(int, MultipleChoice({ choices: ["1"] })),
      { default: "1" },
      "Only strings have choices",
    ],
    [
      "a type of JavaScript",
      String,
      { default: "a" },
      "a function is not the type of a field. Write ag.str",
    ],
    ["no type", undefined, { default: "a" }, "undefined is not the type of a field"],
  ])("%s", (_, type, options, expected) => {
    const message = messageOf(type, options);
    expect(message).toContain(expected);
    expect(message.startsWith("Config.field: ")).toBe(true);
  });
});

describe("a field declared well", () => {
  it("keeps what was declared, whatever becomes of the declaration", () => {
    const choices = ["a", "b"];
    const field = declaredField(place, {
      type: MultipleChoice({ choices }),
      options: { default: "a", title: "Letter", description: "One of two." },
    });
    choices.push("c");
    expect(field).toEqual({
      kind: "choice",
      name: "field",
      default: "a",
      choices: ["a", "b"],
      title: "Letter",
      description: "One of two.",
    });
    expect(Object.isFrozen(field)).toBe(true);
  });

  it("may have the same choice in two groups", () => {
    const type = GroupedMultipleChoice({ choices: { A: ["x", "y"], B: ["x"] } });
    expect(declaredField(place, { type, options: { default: "x" } })).toMatchObject({
      kind: "grouped-choice",
      groups: { A: ["x", "y"], B: ["x"] },
    });
  });

  it("may have a single number within its bounds", () => {
    expect(
      declaredField(place, { type: int, options: { default: 1, ge: 1, le: 1 } }),
    ).toMatchObject({
      bounds: { ge: 1, le: 1 },
    });
  });
});

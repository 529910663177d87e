import { describe, expect, it } from "vitest";
import { choiceGroups, controlOf } from "./control-of.ts";

const choice = { type: "string", default: "a", "x-ag-control": "grouped-dropdown" } as const;

describe("choiceGroups", () => {
  it("has no headings for plain choices", () => {
    expect(choiceGroups({ ...choice, enum: ["a", "b", "a"] })).toEqual([
      { name: null, choices: ["a", "b"] },
    ]);
  });

  it("shows a choice in each of its groups, and those of none at the end", () => {
    const groups = { fast: ["a", "b"], cheap: ["b"] };
    expect(choiceGroups({ ...choice, enum: ["a", "b", "c"], "x-ag-groups": groups })).toEqual([
      { name: "fast", choices: ["a", "b"] },
      { name: "cheap", choices: ["b"] },
      { name: null, choices: ["c"] },
    ]);
  });
});

describe("controlOf", () => {
  it("follows the type where the page does not know the control", () => {
    expect(controlOf({ ...choice, "x-ag-control": "dial" })).toBe("text");
    expect(controlOf({ ...choice, enum: ["a"], "x-ag-control": "dial" })).toBe("choice");
    expect(controlOf({ type: "number", default: 0, "x-ag-control": "constructor" })).toBe("number");
  });
});

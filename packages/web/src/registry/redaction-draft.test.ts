import { expect, it } from "vitest";
import { draftOf, rulesOf } from "./redaction-draft.ts";

it("edits rules as lines, and makes the same rules of them again", () => {
  const rules = {
    patterns: ["email", "card"] as const,
    keys: ["password", "messages.*.content"],
    custom: [{ name: "ratio", regex: "\\d{2}:\\d{2}" }],
  };
  expect(draftOf(rules)).toEqual({
    ...{ patterns: rules.patterns, keys: "password\nmessages.*.content" },
    custom: "ratio: \\d{2}:\\d{2}",
  });
  expect(rulesOf(draftOf(rules))).toEqual(rules);
});

it("ignores empty lines, and leaves it to the platform to refuse a pattern without a name", () => {
  expect(rulesOf({ patterns: [], keys: "\n a \n\n", custom: "EMP-\\d{6}\n" })).toEqual({
    ...{ patterns: [], keys: ["a"], custom: [{ name: "EMP-\\d{6}", regex: "" }] },
  });
});

import { expect, it } from "vitest";
import { closestWord } from "./closest-word.ts";

it.each([
  ["shwo", "show"],
  ["lst", "list"],
  ["promte", "promote"],
  ["roll-back", "rollback"],
  ["support", undefined],
  ["x", undefined],
])("%s was most likely meant as %s", (text, word) => {
  expect(closestWord(text, ["list", "show", "promote", "rollback", "take-down"])).toBe(word);
});

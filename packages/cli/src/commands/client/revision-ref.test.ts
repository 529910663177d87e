import { expect, it } from "vitest";
import { parseVariantRef } from "./revision-ref.ts";

it.each([
  ["default", { variant: "default", revision: null }],
  ["default@latest", { variant: "default", revision: null }],
  ["var_abc@12", { variant: "var_abc", revision: 12 }],
])("%s names a revision", (text, ref) => {
  expect(parseVariantRef(text)).toEqual(ref);
});

it.each(["", "@3", "default@", "default@x", "default@0", "a@1@2"])("%j names none", (text) => {
  expect(() => parseVariantRef(text)).toThrow(/default@3/);
});

import { describe, expect, it } from "vitest";
import { parseRevisionRef } from "./parse-revision-ref.ts";

describe("parseRevisionRef", () => {
  it.each([
    ["default", { kind: "variant", variant: "default", revision: null }],
    ["default@latest", { kind: "variant", variant: "default", revision: null }],
    ["default@3", { kind: "variant", variant: "default", revision: 3 }],
    ["v1.2@12", { kind: "variant", variant: "v1.2", revision: 12 }],
    ["env:production", { kind: "environment", environment: "production" }],
  ])("reads %s", (text, ref) => {
    expect(parseRevisionRef(text)).toEqual(ref);
  });

  it.each([
    "",
    "@3",
    "default@",
    "default@0",
    "default@03",
    "default@1e3",
    "default@-1",
    "env:",
    "a@1@2",
    "default@9007199254740993",
  ])("does not guess at %j", (text) => {
    expect(parseRevisionRef(text)).toBeUndefined();
  });
});

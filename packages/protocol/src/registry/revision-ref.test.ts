import { describe, expect, it } from "vitest";
import { parseRevisionRef, revisionRefText } from "./revision-ref.ts";

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
    "default@x",
    "env:",
    "a@1@2",
    "default@9007199254740993",
  ])("rejects %j", (text) => {
    expect(parseRevisionRef(text)).toBeUndefined();
  });

  it.each(["default", "default@3", "env:production", "a.b-c_d@12"])(
    "is undone by revisionRefText for %s",
    (text) => {
      const ref = parseRevisionRef(text);
      expect(ref && revisionRefText(ref)).toBe(text);
    },
  );
});

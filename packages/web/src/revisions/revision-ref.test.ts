import { describe, expect, it } from "vitest";
import { parseRevisionRef, revisionRefText } from "./revision-ref.ts";

describe("parseRevisionRef", () => {
  it("reads every way to name a configuration, and writes it back", () => {
    for (const text of ["default", "default@3", "env:production", "a.b-c_d@12"]) {
      const ref = parseRevisionRef(text);
      expect(ref && revisionRefText(ref)).toBe(text);
    }
    expect(parseRevisionRef("default@latest")).toEqual(parseRevisionRef("default"));
  });

  it("refuses what names nothing", () => {
    for (const text of ["", "@3", "default@0", "default@-1", "default@x", "a@1@2", "env:", "a:b"]) {
      expect(parseRevisionRef(text), text).toBeUndefined();
    }
  });
});

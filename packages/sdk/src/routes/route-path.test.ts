import { describe, expect, it } from "vitest";
import { DeclarationError } from "../config/declaration-error.ts";
import { checkRoutePath } from "./route-path.ts";

describe("the path of a route", () => {
  it.each(["/", "/summarize", "/docs/search", "/v1.2/a_b-c~d", "/%C3%A9t%C3%A9", "/a:b@c;d=e"])(
    "takes %s",
    (path) => {
      expect(() => checkRoutePath(path)).not.toThrow();
    },
  );

  it.each([
    ["summarize", 'must begin with "/". Write "/summarize"'],
    ["", 'must begin with "/". Write "/summarize"'],
    ["/sum/", 'may not end with "/". Write "/sum"'],
    ["//sum", 'empty segment. Write "/sum"'],
    ["/a b", 'Write "/a-b"'],
    ["/été", 'Write "/%C3%A9t%C3%A9"'],
    ["/50%", 'Write "/50%25"'],
    ["/items/{id}", "no path parameters"],
    ["/items/:id", "no path parameters"],
    ["/a?b=1", "query or a fragment"],
    ["/a#b", "query or a fragment"],
    ["/a/../b", '"." and ".."'],
    ["/a/%2E%2e", '"." and ".."'],
    ["/a\nb", 'Write "/a-b"'],
  ])("refuses %j and says what to write", (path, said) => {
    expect(() => checkRoutePath(path)).toThrow(DeclarationError);
    expect(() => checkRoutePath(path)).toThrow(said);
  });

  it("refuses what is not a string at all", () => {
    expect(() => checkRoutePath(7 as unknown as string)).toThrow("7 is not a path for a route");
  });
});

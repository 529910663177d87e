import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerOf, post } from "../app/call-app.fixture.ts";
import { createApp } from "../app/create-app.ts";
import { BaseModel } from "../config/base-model.ts";
import { DeclarationError } from "../config/declaration-error.ts";
import { canonicalPath, checkRoutePath } from "./route-table.ts";

class Config extends BaseModel {}

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

describe("the spellings of a path", () => {
  const escaped = (character: string) =>
    fc.boolean().map((upper) => {
      const hex = character.charCodeAt(0).toString(16).padStart(2, "0");
      return `%${upper ? hex.toUpperCase() : hex}`;
    });
  const plain = fc.constantFrom(..."abcXYZ019._~!$&'()*+,;=:@-");
  /** A character of a path, as it is declared and as a client may send it. */
  const spelled = fc.oneof(
    plain.chain((each) => fc.tuple(fc.constant(each), fc.oneof(fc.constant(each), escaped(each)))),
    fc
      .constantFrom("/", "%", " ", "\u00e9")
      .chain((each) => fc.tuple(escaped(each), escaped(each))),
  );

  it("are one path, whatever is encoded that need not be", () => {
    fc.assert(
      fc.property(fc.array(spelled, { minLength: 1, maxLength: 8 }), (characters) => {
        const [declared, sent] = [0, 1].map(
          (n) => `/${characters.map((each) => each[n]).join("")}`,
        );
        expect(canonicalPath(sent!)).toBe(canonicalPath(declared!));
        expect(canonicalPath(canonicalPath(sent!))).toBe(canonicalPath(sent!));
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["/a%2Fb", "/a/b"],
    ["/a%252Fb", "/a%2Fb"],
    ["/a%20b", "/a+b"],
    ["/A", "/a"],
  ])("%s is not %s", (one, other) => {
    expect(canonicalPath(one)).not.toBe(canonicalPath(other));
  });

  it("reach the route, and are declared once", async () => {
    const app = createApp({ basePath: "/v:1" });
    app.route("/a:b/%c3%a9", Config)(() => "found");
    for (const path of ["/a:b/%C3%A9", "/a%3Ab/%c3%A9", "/%61%3ab/%C3%a9/"]) {
      const { body } = await answerOf(post(app, `/v%3a1/playground/run${path}`, {}));
      expect([path, body.data]).toEqual([path, "found"]);
    }
    expect(() => app.route("/a%3Ab/%C3%A9", Config)(() => null)).toThrow(
      "The route /a%3Ab/%C3%A9 is declared twice, as /a:b/%c3%a9 and as /a%3Ab/%C3%A9.",
    );
  });
});

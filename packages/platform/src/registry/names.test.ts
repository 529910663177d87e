import { ID_PREFIXES, isSlug, looksLikeId } from "@agate/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nameOf, newId, slugProblem } from "./names.ts";

describe("slugs and ids", () => {
  it.each(["a", "7", "support", "support-bot", "a.b_c-d", "v1.2", "app", "app_1", "x".repeat(64)])(
    "takes %s as a slug",
    (slug) => {
      expect(slugProblem(slug)).toBeUndefined();
    },
  );

  it.each([
    ["", '"" is not a slug: it is empty.'],
    ["Support Bot", 'between them, such as "support-bot".'],
    ["a--b", 'between them, such as "a-b".'],
    ["-a", 'such as "a".'],
    ["a/b", 'such as "a-b".'],
    ["Zürich", 'such as "zu-rich".'],
    ["日本", '"_" or "." between them.'],
    ["a\0b", 'such as "a-b".'],
    ["env:production", 'such as "env-production".'],
    ["x".repeat(65), "it has more than 64 characters."],
    ["app_abcdefghij0123456789", "it looks like an id."],
    ["key_aaaaaaaaaaaaaaaaaaaaaaaa", "it looks like an id."],
  ])("refuses %j and says what to write", (slug, msg) => {
    const problem = slugProblem(slug, ["body", "slug"]);
    expect(problem).toMatchObject({ type: "slug_invalid", loc: ["body", "slug"] });
    expect(problem?.msg).toContain(msg);
  });

  it("never takes an id for a slug, nor a slug for an id", () => {
    fc.assert(
      fc.property(fc.constantFrom(...ID_PREFIXES), (prefix) => {
        const id = newId(prefix);
        expect(id).toMatch(/^[a-z]{3}_[a-z2-7]{20}$/);
        expect(looksLikeId(id)).toBe(true);
        expect(isSlug(id)).toBe(false);
        expect(nameOf(id)).toEqual({ column: "id", value: id });
      }),
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9]+(?:[-_.][a-z0-9]+)*$/), (text) => {
        const column = isSlug(text) ? "slug" : "id";
        expect(nameOf(text).column).toBe(column);
        if (text.length <= 64) expect(isSlug(text)).toBe(!looksLikeId(text));
      }),
    );
  });

  it("lets nothing but letters, digits and joints reach the database", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(nameOf(text).value).toMatch(/^[a-z0-9._-]*$/);
      }),
    );
  });
});

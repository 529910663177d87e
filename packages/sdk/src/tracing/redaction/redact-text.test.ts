import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HiddenKeys } from "./hidden-keys.ts";
import { HIDDEN_KEYS, MARKER, plantedValue } from "./hidden-values.fixture.ts";
import { redactText } from "./redact-text.ts";

function shown(text: string, redact: readonly string[] = HIDDEN_KEYS): string {
  const keys = new HiddenKeys(redact);
  return redactText(text, keys, keys.anywhere, []);
}

describe("a text with hidden keys in it", () => {
  it("hides them in JSON, and in JSON inside JSON, however deep; the rest survives", () => {
    fc.assert(
      fc.property(plantedValue, fc.constantFrom(undefined, 2), ({ value, siblings }, indent) => {
        const text = JSON.stringify(value, null, indent);
        const redacted = shown(text);
        expect(redacted).not.toContain(MARKER);
        expect(siblings.filter((sibling) => !redacted.includes(sibling))).toEqual([]);
        expect(() => JSON.parse(redacted)).not.toThrow();
      }),
      { numRuns: 100 },
    );
  });

  it("hides them in JSON that is cut anywhere, and in JSON inside other text", () => {
    fc.assert(
      fc.property(plantedValue, fc.nat(), ({ value }, length) => {
        const text = JSON.stringify(value);
        // Short of the marker's first letters, which say nothing.
        const cut = text.slice(0, length % (text.length + 1));
        const partOfMarker = MARKER.slice(0, 6);
        expect(shown(cut)).not.toContain(partOfMarker);
        expect(shown(`Invalid arguments: ${cut}`)).not.toContain(partOfMarker);
        expect(shown(`5" of ${text} were refused`)).not.toContain(MARKER);
      }),
      { numRuns: 100 },
    );
  });

  it("leaves what needs no hiding as it is, byte by byte", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.string(), (json, text) => {
        expect(shown(json)).toBe(json);
        expect(shown(text)).toBe(text);
      }),
    );
    expect(shown('{ "id": 12345678901234567890, "email" : "x" }')).toBe(
      '{ "id": 12345678901234567890, "email" : "[redacted]" }',
    );
  });

  it.each([
    [
      "a key written by numbers",
      '{"c\\u0061rdNumber":"x","a":1}',
      '{"c\\u0061rdNumber":"[redacted]","a":1}',
    ],
    [
      "lines of JSON",
      '{"email":"x"}\n{"email":"y"}',
      '{"email":"[redacted]"}\n{"email":"[redacted]"}',
    ],
    ["events", 'data: {"email":"x","a":1}\n', 'data: {"email":"[redacted]","a":1}\n'],
    [
      "what is almost JSON",
      '{"a":NaN,"email":["x",{"y":"]"}],}',
      '{"a":NaN,"email":"[redacted]",}',
    ],
    ["JavaScript", "{ email: 'it\\'s x', a: 1 }", "{ email: '[redacted]', a: 1 }"],
    ["a query", "GET /?email=x%40y&a=1 failed", "GET /?email=[redacted]&a=1 failed"],
    ["a line", "cardNumber: 4111 1111\nnext", "cardNumber: [redacted]\nnext"],
    ["a number", '{"cardNumber":4111,"a":1}', '{"cardNumber":"[redacted]","a":1}'],
    ["another word with the key in it", "useremail: a, my-email=b", "useremail: a, my-email=b"],
    ["the key alone", "no email given", "no email given"],
  ])("reads %s", (_what, text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it("follows paths in JSON, and where there is none hides their last key", () => {
    const redact = ["user.email", "messages.*.content"];
    const value = { email: "a", user: { email: "b" }, messages: [{ content: "c", role: "d" }] };
    expect(JSON.parse(shown(JSON.stringify(value), redact))).toEqual({
      email: "a",
      user: { email: "[redacted]" },
      messages: [{ content: "[redacted]", role: "d" }],
    });
    expect(shown(`refused: ${JSON.stringify(value)}`, redact)).not.toMatch(/"[abc]"/);
  });

  it("takes keys with any sign in them", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, unit: fc.constantFrom(..."a\"\\'$[(*+?^|/é💎\n\u0000\ud800 }") }),
        (key) => {
          fc.pre(!key.includes("."));
          const text = JSON.stringify({ [key]: MARKER, other: 1 });
          expect(shown(text, [key])).not.toContain(MARKER);
          expect(shown(JSON.stringify({ text }), [key])).not.toContain(MARKER);
        },
      ),
    );
  });

  it("takes a text of any size and depth", () => {
    const deep = `${'{"a":['.repeat(20_000)}{"email":"${MARKER}"}`;
    expect(shown(deep)).not.toContain(MARKER);
    const long = JSON.stringify({ a: '\\"'.repeat(500_000), email: MARKER.repeat(100_000) });
    expect(shown(long)).not.toContain(MARKER);
    expect(shown(`x ${long.slice(0, -5)}`)).not.toContain(MARKER);
    // Where each of them was looked at from each of them, this took minutes.
    const escapes = "\\".repeat(300_000);
    for (const text of [`${escapes} email: x`, `email: {${escapes} ${MARKER}`, `email${escapes}`]) {
      expect(shown(text)).not.toContain(MARKER);
    }
  });
});

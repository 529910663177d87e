import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SecretTexts } from "./secret-texts.ts";
import { TextAutomaton } from "./text-automaton.ts";

const KEY = "sk-5b8efff7'98\"03";
const PEM = "-----BEGIN KEY-----\r\nMIIEvQ+/IBADANBg=\nshort\n-----END KEY-----\n";

function redact(value: string, text: string): string {
  return new SecretTexts([{ name: "KEY", value }]).text(text);
}

describe("a secret", () => {
  it.each([
    ["as it is", `Bearer ${KEY}.`, "Bearer [secret:KEY]."],
    ["several times", `${KEY}${KEY} ${KEY}`, "[secret:KEY][secret:KEY] [secret:KEY]"],
    ["in JSON", JSON.stringify({ a: KEY }), '{"a":"[secret:KEY]"}'],
    [
      "in JSON four times",
      JSON.stringify(JSON.stringify(JSON.stringify(JSON.stringify(KEY)))),
      expect.stringMatching(/^[\\"]*\[secret:KEY\][\\"]*$/),
    ],
    ["in JSON in JSON", JSON.stringify(JSON.stringify([KEY])), '"[\\"[secret:KEY]\\"]"'],
    ["in a URL", `/?a=${encodeURIComponent(KEY)}&b`, "/?a=[secret:KEY]&b"],
    ["in a form", `${new URLSearchParams({ a: `${KEY}` })}`, "a=[secret:KEY]"],
    ["in base64", `Basic ${btoa(KEY)}`, "Basic [secret:KEY]"],
  ])("is replaced %s", (_, text, expected) => {
    expect(redact(KEY, text)).toEqual(expected);
    expect(redact(` ${KEY}\n`, text)).toEqual(expected);
  });

  it("is replaced line by line where it has several, in every form", () => {
    expect(redact(PEM, PEM)).toBe("[secret:KEY]\n");
    expect(redact(PEM, JSON.stringify(PEM))).toBe('"[secret:KEY]\\n"');
    expect(redact(PEM, "a MIIEvQ+/IBADANBg= b")).toBe("a [secret:KEY] b");
    expect(redact(PEM, "a MIIEvQ%2B%2FIBADANBg%3D b")).toBe("a [secret:KEY] b");
    expect(redact(PEM, "short")).toBe("short");
  });

  it("of 8 characters is replaced, a shorter one is not", () => {
    expect(redact("abcdefgh", "abcdefgh")).toBe("[secret:KEY]");
    expect(redact("abcdefg", "abcdefg")).toBe("abcdefg");
    expect(redact(" abcdefg ", " abcdefg ")).toBe(" abcdefg ");
    expect(new SecretTexts([{ name: "A", value: "short" }]).isEmpty).toBe(true);
  });

  it("is not the name of an environment, which stands in every span", () => {
    expect(redact("production", "in production")).toBe("in production");
    expect(redact("production-key", "in production-key")).toBe("in [secret:KEY]");
  });

  it("leaves a text without it as the same text, and says how long it is", () => {
    const secrets = new SecretTexts([
      { name: "A", value: "a-secret-value" },
      { name: "B", value: "a-secret-value-that-is-longer" },
    ]);
    expect(secrets.text("a-secret-valu and a-secret-")).toBe("a-secret-valu and a-secret-");
    expect(secrets.text("a-secret-value-that-is-longer")).toBe("[secret:A]");
    expect(secrets.text("x a-secret-value-that")).toBe("x [secret:A]-that");
    // In base64.
    expect(secrets.longest).toBe(btoa("a-secret-value-that-is-longer").length);
  });

  it("of 64 KiB that differs in its last character costs no more than the text is long", () => {
    const secrets = new SecretTexts([{ name: "A", value: `${"a".repeat(65_535)}b` }]);
    const text = "a".repeat(2_000_000);
    expect(secrets.text(text)).toBe(text);
    expect(secrets.text(`${text}b`)).toBe(`${"a".repeat(2_000_000 - 65_535)}[secret:A]`);
  });

  it("is replaced as it is even where there is no room for its other forms", () => {
    const large = Array.from({ length: 60 }, (_, n) => ({
      name: `N${n}`,
      value: `${n}`.padStart(3) + "\u0001".repeat(65_000),
    }));
    const secrets = new SecretTexts([...large, { name: "LAST", value: KEY }]);
    expect(secrets.text(`a ${KEY} b`)).toBe("a [secret:LAST] b");
  });
});

it("is replaced as Node and browsers encode it, whatever its characters", () => {
  const value = fc.string({ unit: "grapheme", minLength: 8, maxLength: 30 });
  fc.assert(
    fc.property(
      value.filter((text) => text.trim().length >= 8 && !text.includes("\n")),
      (given) => {
        const text = given.trim();
        for (const form of [
          JSON.stringify(text).slice(1, -1),
          encodeURIComponent(text),
          `${new URLSearchParams([["", text]])}`.slice(1),
          Buffer.from(text).toString("base64"),
        ]) {
          expect(redact(given, `<${form}>`)).toBe("<[secret:KEY]>");
        }
      },
    ),
  );
});

it("leaves the lines of a value alone that are short, however long they are in JSON in JSON", () => {
  const texts = new SecretTexts([{ name: "KEY", value: '"\n\\\\\\\\\\\\' }]);
  const json = JSON.stringify(['"\n\\\\\\\\\\\\', '\\\\\\"']);
  expect(JSON.parse(texts.text(json))).toEqual(["[secret:KEY]", '\\\\\\"']);
});

it("leaves JSON valid, also where it finds a value that begins or ends in an escaped character", () => {
  const text = fc.string({ unit: fc.constantFrom("\\", "\n", '"', "n", "u", "a") });
  // Without the marks that JSON puts around texts, which a value with one could be found to end in.
  const value = fc.string({ unit: fc.constantFrom("\\", "\n", "n", "u", "a"), minLength: 8 });
  fc.assert(
    fc.property(value, text, text, (given, before, after) => {
      const texts = new SecretTexts([{ name: "KEY", value: given }]);
      const json = JSON.stringify([`${before}${given}${after}`, after]);
      const kept = JSON.parse(texts.text(json));
      expect(kept).toEqual([expect.any(String), expect.any(String)]);
      if (given.trim().length >= 8) expect(kept[0]).toContain("[secret:KEY]");
    }),
    { numRuns: 400 },
  );
});

it("replaces every character of every occurrence, as a naive search does", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "ü"), minLength: 1, maxLength: 6 });
  const text = fc.string({ unit: fc.constantFrom("a", "b", "ü", "c"), maxLength: 40 });
  fc.assert(
    fc.property(fc.uniqueArray(word, { minLength: 1, maxLength: 6 }), text, (words, given) => {
      const hidden = new Set<number>();
      for (const each of words) {
        for (let at = given.indexOf(each); at >= 0; at = given.indexOf(each, at + 1)) {
          for (let offset = 0; offset < each.length; offset++) hidden.add(at + offset);
        }
      }
      const kept = [...given].filter((_, at) => !hidden.has(at)).join("");
      const automaton = new TextAutomaton(words.map((each) => [each, "#"]));
      const replaced = automaton.replace(given);
      expect(replaced.replaceAll("#", "")).toBe(kept);
      expect(replaced === given).toBe(hidden.size === 0);
    }),
    { numRuns: 700 },
  );
});

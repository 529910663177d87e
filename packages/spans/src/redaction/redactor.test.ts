import { REDACTION_PATTERNS, type RedactionRules } from "@agate/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkPattern } from "./custom-pattern.ts";
import { replaceFound } from "./found.ts";
import { createKeyMatcher } from "./key-matcher.ts";
import { READY_PATTERNS } from "./ready-patterns.ts";
import { redactJson } from "./redact-json.ts";
import { Redactor } from "./redactor.ts";

const ALL: RedactionRules = { keys: [], patterns: REDACTION_PATTERNS, custom: [] };
const redact = (text: string, rules: Partial<RedactionRules> = {}) =>
  new Redactor({ ...ALL, ...rules }).text(text);

describe("ready patterns", () => {
  it.each([
    // Test numbers of Visa (13, 16 and 19 digits), Mastercard, American Express, Diners, JCB, Discover, Maestro.
    ["4222222222222", "card"],
    ["4111 1111 1111 1111", "card"],
    ["4111-1111-1111-1111", "card"],
    ["4917610000000000003", "card"],
    ["5555555555554444", "card"],
    ["2223003122003222", "card"],
    ["3782 822463 10005", "card"],
    ["30569309025904", "card"],
    ["3530111333300000", "card"],
    ["6011111111111117", "card"],
    ["6304000000000000", "card"],
    ["joe.o'neil+tag@mail.example.co.uk", "email"],
    ["jürgen@exämple.de", "email"],
    ["joe%40example.com", "email"],
    ["a@xn--80ak6aa92e.xn--p1ai", "email"],
    ["+49 30 901820", "phone"],
    ["+1 (555) 234-5678", "phone"],
    ["+4915112345670", "phone"],
    ["(555) 234-5678", "phone"],
    ["555-234-5678", "phone"],
    ["1-555-234-5678", "phone"],
    ["DE89370400440532013000", "iban"],
    ["DE89 3704 0044 0532 0130 00", "iban"],
    ["GB29 NWBK 6016 1331 9268 19", "iban"],
    ["NL91ABNA0417164300", "iban"],
    ["NO9386011117947", "iban"],
    ["MT84MALT011000012345MTLCAST001S", "iban"],
    ["sk-proj-abcDEF1234567890abcdef", "token"],
    ["ghp_16C7e42F292c6912E7710c838347Ae178B4a", "token"],
    ["AKIAIOSFODNN7EXAMPLE", "token"],
    ["xoxb-123456789012-abcdefGHIJKL", "token"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N", "token"],
  ])("replaces %s, by itself and in a sentence", (text, name) => {
    expect(redact(text)).toBe(`[redacted:${name}]`);
    expect(redact(`first ${text}, then "${text}".`)).toBe(
      `first [redacted:${name}], then "[redacted:${name}]".`,
    );
    expect(redact(JSON.stringify({ a: `line\n${text}\tend` }))).toBe(
      JSON.stringify({ a: `line\n[redacted:${name}]\tend` }),
    );
    const others = REDACTION_PATTERNS.filter((pattern) => pattern !== name);
    if (name !== "token") expect(redact(text, { patterns: others })).toBe(text);
  });

  it("keeps the word Bearer, and what is no token after it", () => {
    expect(redact("Authorization: Bearer abc123def456")).toBe(
      "Authorization: Bearer [redacted:token]",
    );
    expect(redact("Use bearer authentication.")).toBe("Use bearer authentication.");
  });

  it.each([
    "4111 1111 1111 1112",
    "1763278800000000000",
    "1763278800000",
    "550e8400-e29b-41d4-a716-446655440000",
    "41111111-1111-1111-8111-111111111111",
    "0af7651916cd43dd8448eb211c80319c",
    "gpt-4o-2024-08-06",
    "2026-11-16T07:30:00.000000000+0100",
    "2026-11-16 07:30:00",
    "lodash@4.17.21",
    "@agate/sdk",
    "512 256 1024",
    "0.4111111111111111",
    "[-0.4111111111111111,4111111111111111.25,4.111111111111111e15]",
    '{"input_tokens":412,"created":1763278800,"id":12345678901234567890}',
    "DE00370400440532013000",
    "1.234.567.890,12 and +1.23456789",
    "sk-learn is a library, task_name_with_many_words too",
    "192.168.100.200:8080",
    "16C7e42F292c6912E7710c838347Ae178B4a",
  ])("leaves %s as it is", (text) => {
    expect(redact(text)).toBe(text);
  });

  it("leaves times, ids and counts as they are", () => {
    const hex = (length: number) =>
      fc.string({
        unit: fc.constantFrom(..."0123456789abcdef"),
        minLength: length,
        maxLength: length,
      });
    const harmless = fc.oneof(
      fc.integer({ min: 1_600_000_000_000, max: 1_999_999_999_999 }).map(String),
      fc.bigInt({ min: 16n * 10n ** 17n, max: 2n * 10n ** 18n - 1n }).map(String),
      fc
        .date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) })
        .map((date) => date.toISOString()),
      fc.uuid(),
      fc.nat().map(String),
      fc.double({ min: -1, max: 1, noNaN: true }).map(String),
      hex(16).filter((id) => /[a-f]/.test(id.slice(0, 4)) && /[a-f]/.test(id.slice(-4))),
    );
    fc.assert(
      fc.property(harmless, (text) => {
        expect(redact(text)).toBe(text);
        expect(redact(JSON.stringify({ id: text, list: [text] }))).toBe(
          JSON.stringify({ id: text, list: [text] }),
        );
      }),
      { numRuns: 700 },
    );
  });

  it("finds every number with a valid check digit, and none with another", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 14, maxLength: 14 }),
        fc.constantFrom("", " ", "-"),
        fc.nat(9),
        (middle, separator, last) => {
          const digits = `4${middle}${last}`;
          const text = (digits.match(/.{4}/g) ?? []).join(separator);
          // Luhn's sum, from its description.
          const sum = [...digits]
            .map((digit, index) => Number(digit) * (index % 2 === 0 ? 2 : 1))
            .reduce((total, n) => total + (n > 9 ? n - 9 : n), 0);
          const expected = sum % 10 === 0 ? "[redacted:card]" : text;
          expect(redact(text, { patterns: ["card"] })).toBe(expected);
        },
      ),
    );
  });
});

describe("keys", () => {
  const keys = ["password", "user.email", "messages.*.content"];

  it("replaces values in JSON, at any depth or at a path, and nothing else", () => {
    const value = {
      password: { hash: "x", list: [1, "}"] },
      deep: [{ password: null }, { Password: "kept" }],
      user: { email: "joe", name: "Joe" },
      email: "kept",
      messages: [{ role: "user", content: "hi" }, { content: ["a"] }],
      content: "kept",
    };
    expect(JSON.parse(redact(JSON.stringify(value, null, 2), { keys, patterns: [] }))).toEqual({
      ...value,
      password: "[redacted]",
      deep: [{ password: "[redacted]" }, { Password: "kept" }],
      user: { email: "[redacted]", name: "Joe" },
      messages: [{ role: "user", content: "[redacted]" }, { content: "[redacted]" }],
    });
  });

  it("reads JSON inside of JSON, escapes in names, and numbers of any length", () => {
    const inner = JSON.stringify({ password: "a", n: "12345678901234567890" });
    const text = `{"args":${JSON.stringify(inner)},"p\\u0061ssword" : 12345678901234567890,"big":12345678901234567890}`;
    expect(redact(text, { keys, patterns: [] })).toBe(
      `{"args":${JSON.stringify(inner.replace('"a"', '"[redacted]"'))},"p\\u0061ssword" : "[redacted]","big":12345678901234567890}`,
    );
  });

  it.each([
    ['{"a":1,"password":"abc', '{"a":1,"password":"[redacted]"'],
    ['{"password":[1,2,{"x', '{"password":"[redacted]"'],
    ['log: {"password": "x"} done', 'log: {"password": "[redacted]"} done'],
    ['{"a":"cut \\n4111111111111111', '{"a":"cut \\n[redacted:card]"'],
    ['[INFO] card 4111 1111 1111 1111 "x', '[INFO] card [redacted:card] "x'],
    ['{"card":4111111111111111}', '{"card":"[redacted:card]"}'],
    ['{"card":-4111111111111111}', '{"card":"[redacted:card]"}'],
    ['{"joe@x.de":1}', '{"[redacted:email]":1}'],
    ['{"a":"\\u002b49 30 901820"}', '{"a":"[redacted:phone]"}'],
  ])("redacts what is cut or is no JSON: %s", (text, expected) => {
    expect(redact(text, { keys })).toBe(expected);
  });

  it("is done after one time, and keeps valid JSON valid", () => {
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom("4111111111111111", "joe@example.com", "+4930901820", 'a "quoted" b\\', "\n"),
    );
    const json = fc.oneof(
      fc.json({ stringUnit: "grapheme" }),
      fc
        .dictionary(fc.oneof(text, fc.constantFrom("password", "user")), fc.oneof(text, fc.json()))
        .map((value) => JSON.stringify(value)),
      fc.tuple(text, text, text).map((parts) => JSON.stringify(parts)),
    );
    fc.assert(
      fc.property(json, (value) => {
        const once = redact(value, { keys });
        expect(() => JSON.parse(once)).not.toThrow();
        expect(redact(once, { keys })).toBe(once);
      }),
      { numRuns: 500 },
    );
  });
});

describe("the search for texts that need a closer look", () => {
  const RULES: RedactionRules = {
    keys: ["password", "user.email"],
    patterns: REDACTION_PATTERNS,
    custom: [{ name: "staff", regex: "EMP-\\d{6}" }],
  };

  /** What the rules say, with nothing left out. */
  function exactly(text: string, rules: RedactionRules, base: readonly string[] = []): string {
    const keys = createKeyMatcher(rules.keys);
    const read = (part: string, above: readonly string[], depth: number): string => {
      let kept = part;
      if (depth > 0 && part.includes('"')) {
        kept = redactJson(part, {
          hides: (path) => keys.hides(path) || keys.hides([...above, ...path]),
          text: (inner) => read(inner, [], depth - 1),
          key: (name) => read(name, [], depth - 1),
          number: (digits) => {
            const isCard = rules.patterns.includes("card") && /^-?\d{13,19}$/.test(digits);
            return isCard && /^-?$/.test(replaceFound(digits, READY_PATTERNS.card.find, ""))
              ? "[redacted:card]"
              : null;
          },
        });
      }
      for (const name of rules.patterns) {
        kept = replaceFound(kept, READY_PATTERNS[name].find, `[redacted:${name}]`);
      }
      for (const { name, regex } of rules.custom) {
        const checked = checkPattern(regex);
        if (checked.kind === "safe") kept = replaceFound(kept, checked.find, `[redacted:${name}]`);
      }
      return kept;
    };
    return read(text, base, 8);
  }

  const near = fc.oneof(
    // Pieces of what is looked for, so that they come together by chance.
    fc.constantFrom(...'0 1 4 5 + - . / ( ) @ _ : { } [ ] " , k J z I A'.split(" "), " ", "\n"),
    fc.constantFrom(
      "4111",
      "1111",
      "555",
      "234",
      "5678",
      "+49",
      "30",
      "DE89",
      "3704",
      "0044",
      "0532",
      "0130 00",
      "NL91",
      "ABNA",
    ),
    fc.constantFrom(
      "sk-",
      "pk_",
      "ghp_",
      "github_pat_",
      "xoxb-",
      "AKIA",
      "AIza",
      "eyJ",
      "Bearer ",
      "bearer  ",
      "abc123def456ghi7",
      "ABCDEFGHIJKLMNOP",
    ),
    fc.constantFrom(
      "joe",
      "@",
      "%40",
      "example",
      ".com",
      "ü",
      "日本",
      "\u{1f600}",
      "'",
      "EMP-",
      "987654",
    ),
    fc.constantFrom('"password"', '"email"', '"user"', '"größe"', '"list"', " : ", "\t:", "null"),
  );
  const secret = fc.constantFrom(
    "4111 1111 1111 1111",
    "5555555555554444",
    "joe@example.com",
    "jo@bücher.de",
    "+49/30/901820",
    "(555) 234-5678",
    "DE89 3704 0044 0532 0130 00",
    "MT84 MALT 0110 0001 2345 MTLC AST0 01S",
    "Bearer abc123def456",
    "sk-proj-abcDEF1234567890abcdef",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.x",
    "EMP-123456",
  );
  // On both sides of LONGEST_KNOWN, MOST_DIGITS and IBAN_REACH, and of what may be between two digits.
  const padding = fc
    .tuple(fc.constantFrom("x", "7", " ", "7 ", "-", "m "), fc.constantFrom(2, 33, 47, 70, 201))
    .chain(([of, length]) =>
      fc.integer({ min: length - 2, max: length + 2 }).map((count) => of.repeat(count)),
    );
  const text = fc
    .tuple(
      fc.array(
        fc.oneof({ weight: 6, arbitrary: near }, { weight: 2, arbitrary: secret }, padding),
        {
          maxLength: 12,
        },
      ),
      fc.constantFrom("", " "),
    )
    .map(([parts, separator]) => parts.join(separator));
  const member = fc.tuple(
    fc.oneof(fc.constantFrom("password", "größe", "user", "email", "list", "note"), text),
    fc.oneof(
      text,
      fc.constantFrom(4111111111111111, -4111111111111111, 12, null),
      fc.record({ email: text }),
    ),
  );
  const json = fc
    .array(member, { minLength: 1, maxLength: 3 })
    .map((members) => JSON.stringify(Object.fromEntries(members)));
  const escaped = (character: string) =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const written = fc.oneof(
    text,
    json,
    // As other encoders write it.
    json.map((inner) => inner.replaceAll("/", "\\/")),
    json.map((inner) => inner.replaceAll(/[^\x20-\x7e]/g, escaped)),
    json.map((inner) => inner.replaceAll(/[@+4B]/g, escaped)),
    json.map((inner) => inner.replaceAll('":', '"\n :')),
    json.map((inner) => inner.slice(0, -3)),
  );
  const nested = fc.oneof(
    written,
    written.map((inner) => JSON.stringify({ arguments: inner })),
    written.map((inner) => JSON.stringify([JSON.stringify([inner])]).replaceAll("/", "\\/")),
  );

  it("misses nothing that reading every text with every rule finds", () => {
    const all = new Redactor(RULES);
    fc.assert(
      fc.property(nested, fc.constantFrom(null, "list", "user", "a.b"), (value, name) => {
        const expected = exactly(value, RULES, name?.split("."));
        expect(all.text(value, name)).toBe(expected);
        for (const time of ["first", "known"]) {
          if (!all.mayHideValue(value)) expect(value, time).toBe(expected);
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ...[183, 184, 185, 186].map((count) => `4111 1111 1111 1111${" 7".repeat(count)}`),
    '{"a":"+49\\/30\\/901820"}',
    JSON.stringify({ a: '{"a":"+49\\/30\\/901820"}' }).replaceAll("/", "\\/"),
    '{"a":"joe@\\u00e4x.de"}',
    '{"a":"joe@b\\u00fccher.de"}',
    JSON.stringify({ a: '{"password"\n: "x"}' }),
  ])("finds what is written in an unusual way: %s", (value) => {
    const expected = exactly(value, RULES);
    expect(expected).not.toBe(value);
    expect(new Redactor(RULES).text(value)).toBe(expected);
  });

  it("misses nothing with some of the rules", () => {
    const some = fc.record({
      // With the last two, all JSON is looked at.
      keys: fc.subarray([...RULES.keys, "größe", "list.*"]),
      patterns: fc.subarray([...REDACTION_PATTERNS]),
      custom: fc.subarray([...RULES.custom]),
    });
    fc.assert(
      fc.property(nested, some, (value, rules) => {
        expect(new Redactor(rules).text(value)).toBe(exactly(value, rules));
      }),
      { numRuns: 500 },
    );
  });

  // In time that grows with the square of its length, each of these would take hours.
  it.each([
    "\\:",
    "\\u::::",
    '\\":',
    " :",
    "[",
    '{"a":',
    '[{"b":"',
    "1 ",
    "+1-",
    "DE12 ",
    "a@",
    "a@b.",
    "eyJa.",
  ])("is over soon in a megabyte of %j", (unit) => {
    const long = unit.repeat(1_000_000 / unit.length);
    const text = `joe@example.com {"password":"x"} ${long}`;
    expect(new Redactor(RULES).text(text, "user")).not.toContain("joe");
  });

  it("still tells texts and names apart when it has seen more than it keeps", () => {
    const redactor = new Redactor(RULES);
    const few = Array.from({ length: 50 }, (_, index) => index * 250);
    const ask = () =>
      few.map((index) => [
        ...["", "x".repeat(60)].flatMap((end) => [
          redactor.mayHideValue(`user ${index}${end}`),
          redactor.mayHideValue(`${end}user.${index}@example.com`),
          redactor.mayHideNamed(`attribute ${index}${end}`),
          redactor.mayHideNamed(`attribute.${end}${index}.password`),
        ]),
      ]);
    const expected = few.map(() => [false, true, false, true, false, true, false, true]);
    expect(ask()).toEqual(expected);
    for (let index = 0; index < 10_020; index++) {
      redactor.mayHideValue(`user ${index}`);
      redactor.mayHideNamed(`attribute ${index}`);
    }
    expect(ask()).toEqual(expected);
  });
});

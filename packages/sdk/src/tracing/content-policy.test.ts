import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ContentPolicy } from "./content-policy.ts";
import type { Redact } from "./redaction.ts";
import { Secrets } from "./secrets.ts";

function textOf(value: unknown, options: { redact?: Redact; own?: Redact; limit?: number } = {}) {
  const { redact, own, limit = 1_000 } = options;
  const policy = new ContentPolicy({ redact, secrets: new Secrets(), limit });
  return policy.recordedOf(value, { field: "inputs", span: "call", redact: own }).text ?? "";
}

describe("what is recorded of a value", () => {
  it("leaves out keys anywhere and paths from the top, the app's and the function's own", () => {
    const value = {
      password: "a",
      user: { email: "b", name: "c", password: "d" },
      messages: [{ content: "e", role: "f" }],
      email: "g",
    };
    const redact = ["password", "user.email"];
    expect(JSON.parse(textOf(value, { redact, own: ["messages.*.content"] }))).toEqual({
      password: "[redacted]",
      user: { email: "[redacted]", name: "c", password: "[redacted]" },
      messages: [{ content: "[redacted]", role: "f" }],
      email: "g",
    });
  });

  it("leaves keys out of Maps, Sets, class instances, errors, and JSON inside texts", () => {
    class Account {
      readonly email = "a";
      readonly name = "b";
    }
    const value = {
      mixed: new Map<unknown, unknown>([
        [1, "one"],
        ["email", "c"],
        [{ email: "d", id: 2 }, new Set([new Account()])],
        [Symbol("email"), "e"],
      ]),
      texts: new Map([["email", "f"]]),
      error: Object.assign(new Error('Refused {"email":"g"}'), { email: "h" }),
      json: JSON.stringify({ email: "i", inner: JSON.stringify({ email: "j", id: 3 }) }),
    };
    expect(JSON.parse(textOf(value, { own: ["email"] }))).toEqual({
      mixed: [
        [1, "one"],
        ["email", "[redacted]"],
        [{ email: "[redacted]", id: 2 }, [{ email: "[redacted]", name: "b" }]],
        ["Symbol(email)", "[redacted]"],
      ],
      texts: { email: "[redacted]" },
      error: { name: "Error", message: 'Refused {"email":"[redacted]"}', email: "[redacted]" },
      json: '{"email":"[redacted]","inner":"{\\"email\\":\\"[redacted]\\",\\"id\\":3}"}',
    });
    // A limit cuts what is shown, not what would be hidden.
    for (let limit = 60; limit < 200; limit++) {
      const text = JSON.stringify({ email: "x".repeat(200), note: "y".repeat(200) });
      expect(textOf({ text }, { own: ["email"], limit })).not.toContain("xx");
    }
  });

  it("goes through both functions, the function's own first", () => {
    const add = (letter: string) => (value: unknown) => `${value}${letter}`;
    expect(textOf("x", { own: add("a"), redact: add("b") })).toBe('"xab"');
  });

  it.each<[string, Redact]>([
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["returns a promise", async (value) => value],
    ["rejects", () => Promise.reject(new Error("no"))],
  ])("is nothing when the redact function %s", (_what, redact) => {
    expect(textOf("raw", { redact })).toBe('"[redaction failed]"');
    expect(textOf("raw", { own: redact, redact: ["x"] })).toBe('"[redaction failed]"');
  });

  it("is whole up to the limit, and beyond it valid JSON that says so", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 60, max: 300 }), (value, limit) => {
        const whole = JSON.stringify(value);
        const text = textOf(value, { limit });
        expect(text.length).toBeLessThanOrEqual(limit);
        if (whole.length <= limit) expect(text).toBe(whole);
        else {
          const cut = JSON.parse(text) as { truncated: boolean; limit: number; start: string };
          expect(cut).toMatchObject({ truncated: true, limit });
          expect(whole.startsWith(cut.start)).toBe(true);
        }
      }),
    );
    const { start } = JSON.parse(textOf("x".repeat(5_000)));
    expect(start.length).toBeGreaterThan(900);
  });
});

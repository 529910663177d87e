import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { recordContent } from "./content-rules.ts";
import { recordedSpans } from "./recorded-spans.fixture.ts";
import { addSecret, processSecrets, Secrets, secret } from "./secrets.ts";

describe("a secret", () => {
  it("is found in text, in JSON, in JSON inside JSON and in URLs", () => {
    const value = 'a"b\\c/d é';
    const secrets = new Secrets();
    addSecret(secrets, "KEY", value);
    const once = JSON.stringify({ value });
    const texts = [
      `x${value}y`,
      once,
      JSON.stringify({ once }),
      `?k=${encodeURIComponent(value)}&`,
    ];
    expect(texts.map((text) => secrets.redact(text))).toEqual([
      "x[secret:KEY]y",
      '{"value":"[secret:KEY]"}',
      '{"once":"{\\"value\\":\\"[secret:KEY]\\"}"}',
      "?k=[secret:KEY]&",
    ]);
  });

  it("never shows, whatever it is made of", () => {
    fc.assert(
      fc.property(
        fc
          .string({ minLength: 4, maxLength: 20, unit: "binary" })
          .filter((s) => s.trim().length > 3),
        aroundSecret(),
        aroundSecret(),
        (value, before, after) => {
          const secrets = new Secrets();
          addSecret(secrets, "K", value);
          const text = JSON.stringify({ text: before + value + after });
          const redacted = JSON.parse(secrets.redact(text)) as { text: string };
          // Where the text around it makes up the value anew, it is a coincidence.
          fc.pre(!`${before}[secret:K]${after}`.includes(value));
          expect(redacted.text).not.toContain(value);
        },
      ),
    );
  });

  it.each([
    { what: "after a backslash", value: "\u0000 # #", text: "\\\u0000 # #", shown: "\\[secret:K]" },
    {
      what: "that seems to begin in a line break",
      value: "nope",
      text: "\nope",
      shown: "\\[secret:K]",
    },
    { what: "after two backslashes", value: "nope", text: "\\\\nope", shown: "\\\\[secret:K]" },
    {
      what: "that seems to end in a backslash",
      value: "n\\\\\\",
      text: "n\\\\\\\n\\\\",
      shown: "[secret:K]\\[secret:K]\\",
    },
  ])("leaves JSON valid: one $what", ({ value, text, shown }) => {
    const secrets = new Secrets();
    addSecret(secrets, "K", value);
    expect(JSON.parse(secrets.redact(JSON.stringify({ text })))).toEqual({ text: shown });
  });

  it("that begins another one hides neither's rest", () => {
    const secrets = new Secrets();
    addSecret(secrets, "SHORT", "abcd");
    addSecret(secrets, "LONG", "abcd-efgh");
    expect(secrets.redact("abcd abcd-efgh")).toBe("[secret:SHORT] [secret:LONG]");
  });

  it("with a special replacement pattern in its name or value stays plain text", () => {
    const secrets = new Secrets();
    addSecret(secrets, "A$&", "$&$1.*");
    expect(secrets.redact("x $&$1.* y")).toBe("x [secret:A$&] y");
  });

  it("is refused when it is so short that it would be everywhere", () => {
    expect(() => addSecret(new Secrets(), "PIN", "123")).toThrow("The secret PIN has fewer than 4");
  });

  it("is in nothing that is exported, even if it became known later", async () => {
    const secrets = new Secrets();
    const recorded = await recordedSpans(
      (telemetry) => {
        const attributes = { start: "Bearer hush-hush-1" };
        const span = telemetry.startSpan("call hush-hush-1", { kind: "TASK", attributes });
        recordContent(telemetry, span, "inputs", { nested: [{ key: "hush-hush-1" }] });
        addSecret(secrets, "KEY", "hush-hush-1");
        span.setAttribute("list", ["a", "hush-hush-1"]);
        span.addEvent("event", { key: "hush-hush-1" });
        span.addLink({ context: span.spanContext(), attributes: { key: "hush-hush-1" } });
        span.recordException(new Error("refused hush-hush-1"));
        span.setStatus({ code: 2, message: "refused hush-hush-1" });
        span.end();
        telemetry.tracerProvider.getTracer("library").startSpan("hush-hush-1").end();
      },
      { secrets, application: "app hush-hush-1" },
    );
    const shown = (_key: string, value: unknown): unknown =>
      value instanceof Map ? [...value] : value;
    const text = JSON.stringify(recorded.spans, shown);
    expect(text).not.toContain("hush-hush-1");
    expect(text.match(/\[secret:KEY\]/g)!.length).toBeGreaterThanOrEqual(10);
  });

  it("is not cut in half by a limit", async () => {
    const secrets = new Secrets();
    addSecret(secrets, "KEY", "s".repeat(40));
    for (let before = 900; before < 1_010; before += 3) {
      const recorded = await recordedSpans(
        (telemetry) => {
          const span = telemetry.startSpan("call", { kind: "TASK" });
          const value = "x".repeat(before) + "s".repeat(40) + "y".repeat(500);
          recordContent(telemetry, span, "inputs", value);
          span.end();
        },
        { secrets, contentLimit: 1_000 },
      );
      expect(JSON.stringify(recorded.content("call", "inputs"))).not.toContain("sss");
    }
  });
});

describe("ag.secret", () => {
  const name = "AGATE_TEST_SECRET";

  afterEach(() => {
    delete process.env[name];
  });

  it("reads the environment and hides what it found", () => {
    process.env[name] = "value-of-the-test\n";
    expect(secret(name)).toBe("value-of-the-test\n");
    expect(processSecrets.redact("a value-of-the-test b")).toBe(`a [secret:${name}] b`);
  });

  it("says what to set where there is nothing", () => {
    expect(() => secret(name)).toThrow(
      `The secret ${name} is not there: set the environment variable ${name}`,
    );
  });
});

/** Any text, or one of characters that JSON escapes, and of those that it escapes them with. */
function aroundSecret(): fc.Arbitrary<string> {
  return fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom("\\", "\n", '"', "n", "u") }));
}

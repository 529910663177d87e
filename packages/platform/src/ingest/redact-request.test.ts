import { Buffer } from "node:buffer";
import { REDACTION_PATTERNS, type RedactionRules } from "@agate/protocol";
import { createSpanMapper, type OtlpSpan } from "@agate/spans";
import { shippedPrices } from "@agate/spans/prices";
import { Redactor, redactSpans } from "@agate/spans/redaction";
import fc from "fast-check";
import { expect, it } from "vitest";
import { decodeOtlpJson } from "./otlp/decode-otlp-json.ts";
import { decodeOtlpProtobuf } from "./otlp/decode-otlp-protobuf.ts";
import { otlpTree } from "./otlp/testing/otlp-tree.fixture.ts";
import { treeToJson } from "./otlp/testing/tree-to-json.fixture.ts";
import { treeToProtobuf } from "./otlp/testing/tree-to-protobuf.fixture.ts";

const RULES: RedactionRules = {
  keys: ["password", "user.email", "größe"],
  patterns: REDACTION_PATTERNS,
  custom: [{ name: "staff", regex: "EMP-\\d{6}" }],
};

/** Texts that a record must not contain: none of them occurs in anything else. */
const PLANTED = [
  "4111111111111111",
  "5555 5555 5555 4444",
  "3782-822463-10005",
  "joe.secret@example.com",
  "+49 30 9018200",
  "(555) 234-5678",
  "DE89370400440532013000",
  "NL91 ABNA 0417 1643 00",
  "sk-proj-abcDEF1234567890abcdef",
  "EMP-987654",
];
/** Occurs nowhere. It has no fixed beginning: with it, every text is read. */
const NOTHING = { name: "nothing", regex: "[~]#~#~#~" };
const HIDDEN = "hunter2-is-hidden";

const planted = fc.constantFrom(...PLANTED);
const filler = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "\n",
    ": ",
    "(",
    "\t",
    "é ",
    "total 12 ",
    "id 550e8400-e29b-41d4-a716-446655440000 ",
  ),
  // Of every length: the byte before a protobuf string is its length, which may look like a digit.
  fc.integer({ min: 0, max: 130 }).map((length) => `${"x".repeat(length)} `),
  // Runs of digits on both sides of MOST_DIGITS.
  fc.integer({ min: 195, max: 205 }).map((length) => `${"7".repeat(length)}, `),
  fc.constantFrom("gpt-4o-2024-08-06 ", "1763278800000000000, ", "2026-11-16T07:30:00.000Z "),
);
const sentence = fc.tuple(filler, planted, fc.constantFrom("", " ", ".", "\n", ", and so on"));
const plain = sentence.map((parts) => parts.join(""));
const member = fc.oneof(
  plain.map((text): [string, unknown] => ["note", text]),
  plain.map((text): [string, unknown] => [text, 1]),
  fc.constantFrom<[string, unknown]>(
    ["password", HIDDEN],
    ["password", [HIDDEN]],
    ["größe", { a: HIDDEN }],
    ["user", { email: HIDDEN }],
    ["card", 4111111111111111],
  ),
);
const json = fc
  .array(member, { minLength: 1, maxLength: 4 })
  .map((members) => JSON.stringify(Object.fromEntries(members)));
const text = fc.oneof(
  fc.constantFrom("", "chat", "gpt-5-mini", "a text without anything"),
  plain,
  json,
  json.map((inner) => JSON.stringify({ arguments: inner, list: [inner] })),
  // As encoders write it that escape more than they must.
  json.map((inner) => inner.replaceAll(/[+@é]/g, escaped)),
  json.map((inner) => inner.replaceAll(/[^\x20-\x7e]/g, escaped)),
);
const tree = otlpTree({
  text,
  int: fc.constantFrom(412n, 1763278800000000000n, 4111111111111111n),
  data: plain.map((content) => Buffer.from(content)),
});

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

it("keeps nothing planted, in any place of a request, and finds no less by signs than by reading all", () => {
  const redactor = new Redactor(RULES);
  const exact = new Redactor({ ...RULES, custom: [...RULES.custom, NOTHING] });
  const toStored = createSpanMapper({ prices: shippedPrices(), projectId: "p" });
  const check = (bytes: Uint8Array, decode: typeof decodeOtlpProtobuf) => {
    const decoded = decode(bytes);
    if (decoded.kind !== "decoded") throw new Error(decoded.reason);
    const kept = redactSpans(decoded.request.spans, redactor);
    expect(kept).toEqual(redactSpans(decoded.request.spans, exact));
    for (const [index, span] of kept.entries()) {
      expectNothing(toStored(span).openRecord);
      expectIntact(span, decoded.request.spans[index] as OtlpSpan);
    }
  };
  fc.assert(
    fc.property(tree, fc.boolean(), (any, reversed) => {
      check(treeToProtobuf(any, { reversed, unknownFields: false }), decodeOtlpProtobuf);
      check(
        treeToJson(any, { names: "camelCase", integers: "text", ids: "lower", enums: "number" }),
        decodeOtlpJson,
      );
    }),
    { numRuns: 40 },
  );
});

it("loses no value where names become the same, of however many", () => {
  const names = [
    "[redacted:email] 3",
    ...Array.from({ length: 30_000 }, (_, index) => `user.${index}@example.com`),
    "[redacted:email]",
    "[redacted:email] 2",
  ];
  const attributes = names.map((key, index) => ({ key, value: { intValue: index } }));
  const ids = { traceId: "a".repeat(32), spanId: "b".repeat(16) };
  const nested = { key: "by user", value: { kvlistValue: { values: attributes } } };
  const spans = [
    { ...ids, name: "wide", attributes },
    { ...ids, name: "nested", attributes: [nested] },
  ];
  const decoded = decodeOtlpJson(
    Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })),
  );
  if (decoded.kind !== "decoded") throw new Error(decoded.reason);
  const [wide, deep] = redactSpans(decoded.request.spans, new Redactor(RULES));
  for (const kept of [wide?.attributes, deep?.attributes.get("by user")]) {
    const values = [...(kept as ReadonlyMap<string, unknown>).values()];
    expect(values.filter((value) => value !== true)).toEqual(names.map((_, index) => index));
    expect([...(kept as ReadonlyMap<string, unknown>).keys()].join()).not.toContain("@");
  }
});

function expectNothing(record: string): void {
  // Bytes are kept as base64, and JSON may be escaped inside of JSON.
  const bytes = [...record.matchAll(/"([A-Za-z0-9+/]{12,}=*)"/g)].map(([, base64 = ""]) =>
    Buffer.from(base64, "base64").toString("latin1"),
  );
  const shown = [
    record,
    record.replaceAll(/\\+u00([2-7][0-9a-f])/g, (_, hex) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    ),
    ...bytes,
  ];
  for (const each of shown) {
    for (const secret of [...PLANTED, HIDDEN]) expect(each).not.toContain(secret);
  }
}

/** Ids, times and counts are unchanged; exactly the changed spans are marked as redacted. */
function expectIntact(kept: OtlpSpan, came: OtlpSpan): void {
  const facts = ({
    traceId,
    spanId,
    parentSpanId,
    start,
    end,
    kind,
    statusCode,
    flags,
  }: OtlpSpan) => ({
    ...{ traceId, spanId, parentSpanId, start, end, kind, statusCode, flags },
  });
  expect(facts(kept)).toEqual(facts(came));
  expect(kept.attributes.get("ag.redacted") === true).toBe(kept !== came);
}

import { AGATE_ATTRIBUTES, type ListedSpan } from "@agate/protocol";
import { listedSpanSchema } from "@agate/protocol/schemas";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectedPreview } from "./contract/expected-preview.fixture.ts";
import { expectedListed } from "./contract/expected-tree.fixture.ts";
import { storedSpan } from "./contract/stored-span.fixture.ts";
import { previewRecord } from "./record-preview.ts";

const EMPTY = expectedListed([storedSpan()]);

function recordWith(
  content: Partial<ListedSpan["content"]>,
  metadata: object = {},
  config: ListedSpan["config"] = null,
): ListedSpan {
  return {
    ...EMPTY,
    content: { ...EMPTY.content, ...content },
    config,
    metadata: { ...EMPTY.metadata, ...metadata } as ListedSpan["metadata"],
  };
}

function previewOf(record: ListedSpan): ListedSpan {
  return listedSpanSchema.parse(JSON.parse(previewRecord(JSON.stringify(record))));
}

/** Texts about as long as a preview, of characters of one to eleven code units. */
const texts = fc
  .tuple(
    fc.constantFrom("x", "é", '"\\', "\n", "\u{1F48E}", "\u{1F468}\u{200D}\u{1F469}", "e\u0301"),
    fc.oneof(fc.nat({ max: 10 }), fc.integer({ min: 280, max: 310 })),
    fc.string({ unit: "grapheme", maxLength: 30 }),
  )
  .map(([character, length, end]) => {
    const count = Math.ceil(length / character.length);
    return character.repeat(count) + end;
  });

const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    texts,
    fc.constantFrom(null, true, 0, -1.5e300),
    fc.array(tie("value"), { maxLength: 8 }),
    fc.array(fc.record({ role: fc.constant("user"), content: tie("value") }), { maxLength: 3 }),
    fc.dictionary(texts, tie("value"), { maxKeys: 8 }),
  ),
}));

const members = fc.dictionary(
  fc.oneof(texts, fc.constantFrom(...Object.values(AGATE_ATTRIBUTES))),
  values,
  { maxKeys: 20 },
);

describe("the preview of a record", () => {
  it("has short values as they are, and previews with sizes of long ones", () => {
    const scores = fc.array(
      fc.record({
        explanation: fc.option(texts),
        error: fc.option(texts),
        metadata: fc.option(members),
      }),
      { maxLength: 3 },
    );
    fc.assert(
      fc.property(
        fc.record({ inputs: values, internals: values, outputs: values }),
        fc.option(members),
        fc.record({
          status_message: fc.option(texts),
          events: fc.array(values, { maxLength: 3 }),
          attributes: members,
          resource: members,
          otel: fc.record({ name: texts }),
        }),
        fc.option(scores, { nil: undefined }),
        (content, config, metadata, scored) => {
          const record = {
            ...EMPTY,
            content,
            config,
            metadata: { ...EMPTY.metadata, ...metadata, ...(scored && { scores: scored }) },
          };
          // As a database would give it back: without the prototypes and the negative zeros of fast-check.
          const whole = JSON.parse(JSON.stringify(record));
          expect(JSON.parse(previewRecord(JSON.stringify(whole)))).toEqual(expectedPreview(whole));
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each([
    ["x".repeat(300), undefined],
    ["x".repeat(301), 303],
    ["é".repeat(301), 604],
    ["\n".repeat(300), undefined],
    [`${"x".repeat(299)}\u{1F48E}`, 305],
    [{ question: "x".repeat(285) }, undefined],
    [{ question: "x".repeat(286) }, 301],
  ])("is of a value of more than 300 characters (case %#)", (inputs, bytes) => {
    const { content, truncated } = previewOf(recordWith({ inputs }));
    expect(truncated?.["content.inputs"]).toBe(bytes);
    if (bytes === undefined) expect(content.inputs).toEqual(inputs);
    else expect(content.inputs).toSatisfy((text: string) => text.length <= 300);
  });

  it.each(["x", "\n", "\u0001", '"', "\\", "\u{1F48E}", "e\u0301", " \u{1F48E}"])(
    "reads the beginning of a long text of %j",
    (unit) => {
      // On both sides of the length from which only the beginning is parsed, wherever an escape is cut.
      for (const length of [16_300, 16_400, 100_000, 100_001, 100_002, 100_003, 100_004, 100_005]) {
        const escaped = JSON.stringify(unit).length - 2;
        const inputs = "y".repeat(length % 6) + unit.repeat(Math.ceil(length / escaped));
        const record = recordWith({ inputs });
        expect(previewOf(record)).toEqual(expectedPreview(record));
      }
    },
  );

  it("is of the JSON of a value that is too long to be parsed", () => {
    const MIB = 1024 * 1024;
    for (const length of [MIB - 1, MIB, MIB + 1]) {
      const inputs = { question: "x".repeat(length - '{"question":""}'.length) };
      const record = recordWith({ inputs });
      const preview = previewOf(record);
      expect(preview).toEqual(expectedPreview(record));
      const beginning = length > MIB ? '{"question":"xxx' : "xxx";
      expect(preview.content.inputs).toSatisfy((text: string) => text.startsWith(beginning));
      expect(preview.truncated).toEqual({ "content.inputs": length });
    }
  });

  it("leaves the text of what is short as it is", () => {
    const digits = '{ "id" : 12345678901234567890, "price": 1.0,\n "list": [ 1 , [] ] }';
    const record = JSON.stringify(recordWith({ inputs: "I", internals: "N" }))
      .replace('"I"', digits)
      .replace('"N"', ` ${JSON.stringify("x".repeat(301))} `);
    const preview = previewRecord(record);
    expect(preview).toContain(`"inputs":${digits},"internals":"xxx`);
    expect(preview.endsWith(',"truncated":{"content.internals":303}}')).toBe(true);
    const short = record.replace("x".repeat(301), "");
    expect(previewRecord(short)).toBe(short);
  });

  it("keeps the attributes that lists show, however many others there are", () => {
    const others = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`other.${n}`, n]));
    const own = { [AGATE_ATTRIBUTES.route]: "/ask", [AGATE_ATTRIBUTES.evaluationRun]: "r1" };
    const { metadata } = previewOf(recordWith({}, { attributes: { ...others, ...own } }));
    expect(metadata.attributes).toMatchObject(own);
    expect(JSON.stringify(metadata.attributes).length).toBeLessThan(1_500);
  });

  it("is small whatever was recorded, and of the same shape", () => {
    const long = "\u{1F48E}".repeat(2_000);
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${n}`, long]));
    const source = { kind: "code", evaluator: null, version: null, person: null };
    const record = recordWith(
      { inputs: many, internals: [many, many], outputs: long },
      {
        status_message: long,
        events: [{ name: "exception", time: "2026-11-01T00:00:00Z", attributes: { long } }],
        links: [{ trace_id: "1", span_id: "2", attributes: { long } }],
        attributes: many,
        resource: many,
        scope: { name: "s", version: long, attributes: {} },
        otel: { name: long },
        scores: [
          {
            ...{ id: "s1", trace_id: EMPTY.trace_id, span_id: null, name: "good", value: 1 },
            ...{ label: null, explanation: long, source, status: "ok", error: long },
            ...{ created_at: "2026-11-01T00:00:00.000000Z", run: null, case: null, column: null },
            ...{ trial: null, metadata: many },
          },
        ],
      },
      many,
    );
    const preview = previewOf(record);
    expect(Object.keys(preview.truncated ?? {})).toHaveLength(12);
    expect(Buffer.byteLength(JSON.stringify(preview))).toBeLessThan(16 * 1024);
  });
});

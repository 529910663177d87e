import fc from "fast-check";
import { expect, it } from "vitest";
import { storedSpan } from "./contract/stored-span.fixture.ts";
import { isLoggedContent, loggedText } from "./logged-content.ts";
import { SpanAdditions } from "./span-additions.ts";

const EMPTY = { inputs: null, outputs: null, asked: [], answered: [] };
const TOTAL = '{"usage":null,"cost":null}';
const listed = (additions: SpanAdditions, open: string) =>
  JSON.parse(additions.listed(open, TOTAL));

it("fills what a span has no content for, and nothing else", () => {
  // Texts and names that look like the record's own.
  const tricky = fc.constantFrom(
    '"content":{"inputs":null',
    '\\","outputs":null},"config":',
    ',"outputs":null',
  );
  const value = fc.oneof(fc.jsonValue(), fc.record({ inputs: tricky, outputs: fc.constant(null) }));
  const side = fc.oneof(fc.constant(null), value);
  fc.assert(
    fc.property(
      tricky,
      side,
      side,
      fc.array(value),
      value,
      (name, inputs, outputs, asked, whole) => {
        const { openRecord } = storedSpan({ name, inputs, outputs });
        const additions = new SpanAdditions([
          loggedText({ ...EMPTY, asked: asked.map((each) => JSON.stringify(each)) }),
          loggedText({ ...EMPTY, outputs: JSON.stringify(whole) }),
        ]);
        const plain = listed(new SpanAdditions([]), openRecord);
        const filled = listed(additions, openRecord);
        expect(filled).toEqual(
          JSON.parse(
            JSON.stringify({
              ...plain,
              content: {
                ...plain.content,
                inputs: inputs ?? (asked.length === 0 ? null : { messages: asked }),
                outputs: outputs ?? whole,
              },
            }),
          ),
        );
        const longer = additions.listed(openRecord, TOTAL).length - openRecord.length;
        expect(additions.bytes + TOTAL.length + 2).toBeGreaterThanOrEqual(longer);
      },
    ),
  );
});

it("puts messages of several rows together, and keeps numbers as they are", () => {
  const rows = ['{"n":12345678901234567890}', '{"n":1.0}'];
  const additions = new SpanAdditions(
    rows.map((text) => loggedText({ ...EMPTY, asked: [text], answered: [text] })),
  );
  const { openRecord } = storedSpan();
  const text = additions.fill(openRecord);
  expect(text).toContain(`"inputs":{"messages":[${rows.join(",")}]}`);
  expect(text).toContain(`"outputs":{"messages":[${rows.join(",")}]}`);
});

it("tells logged content from scores", () => {
  const score = '{"id":"1","name":"helpful"}';
  const additions = new SpanAdditions([loggedText(EMPTY), score]);
  expect(additions.afterTotal).toBe(`,"scores":[${score}]`);
  expect(isLoggedContent(score)).toBe(false);
  const { openRecord } = storedSpan();
  expect(additions.fill(openRecord)).toBe(openRecord);
});

import type { StoredSpan } from "@agate/spans";
import { AFTER_LISTED_TOTAL } from "@agate/spans/tree";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectedTree } from "../contract/expected-tree.fixture.ts";
import { spanIdOf, storedSpan, usageOf } from "../contract/stored-span.fixture.ts";
import { decodeHeader, isAssembledBody, isAssembledEntry } from "./segment.ts";
import type { EncodedTrace } from "./segment-encoder.ts";
import { createSegmentEncoder, GLUE_BYTES } from "./segment-encoder.ts";

/** Of a few spans whose texts, in ASCII or not, decide on which side of a limit the trace falls. */
const spans = fc
  .array(
    fc.record({
      length: fc.nat(400),
      letter: fc.constantFrom("a", "ü", "東", "🤖"),
      hasFigures: fc.boolean(),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((sketches) =>
    sketches.map(({ length, letter, hasFigures }, n) =>
      storedSpan({
        id: spanIdOf(n + 1),
        parentId: n === 0 ? null : spanIdOf(Math.ceil(n / 2)),
        start: n,
        inputs: letter.repeat(length),
        figures: hasFigures ? { role: "own", usage: usageOf(n, 1), cost: 0.25 } : null,
      }),
    ),
  );

/** A limit next to a sum of sizes by any of the rules that could decide: with glue or without, in bytes or characters. */
function nearLimit(all: readonly StoredSpan[]): fc.Arbitrary<number> {
  const bytes = all.map(({ openRecord }) => Buffer.byteLength(openRecord));
  const characters = all.map(({ openRecord }) => openRecord.length);
  const sums = [bytes, characters].flatMap((sizes) => {
    let sum = 0;
    return sizes.flatMap((size, n) => {
      sum += size;
      return [sum, sum + (n + 1) * GLUE_BYTES, sum + (n + 1) * 2 * GLUE_BYTES];
    });
  });
  return fc
    .tuple(fc.constantFrom(...sums), fc.integer({ min: -2, max: 2 }))
    .map(([sum, off]) => sum + off);
}

const cases = spans.chain((all) => nearLimit(all).map((limit) => ({ all, limit })));

describe("createSegmentEncoder", () => {
  it("writes one assembled segment or several loose ones, on both sides of every limit", () => {
    let assembled = 0;
    let loose = 0;
    fc.assert(
      fc.property(cases, ({ all, limit }) => {
        const { segments } = createSegmentEncoder(limit)(all);
        const [only, another] = segments;
        if (another === undefined) {
          assembled++;
          expect(JSON.parse(Buffer.from(only?.body ?? []).toString())).toEqual(expectedTree(all));
        } else loose++;
        const isOnly = another === undefined;
        for (const { header, body } of segments) {
          expect(isAssembledBody(body)).toBe(isOnly);
          for (const entry of decodeHeader(header, 0)) expect(isAssembledEntry(entry)).toBe(isOnly);
          expect(isOnly || body.length <= limit || decodeHeader(header, 0).length === 1).toBe(true);
        }
      }),
      { numRuns: 500 },
    );
    expect(Math.min(assembled, loose)).toBeGreaterThan(50);
  });

  it("holds each record once, where the header says", () => {
    fc.assert(
      fc.property(cases, ({ all, limit }) => {
        const encoded = createSegmentEncoder(limit)(all);
        expect(recordsIn(encoded).sort()).toEqual(
          all
            .map(({ openRecord }) => JSON.parse(`${openRecord}null${AFTER_LISTED_TOTAL}`).id)
            .sort(),
        );
        const [first] = encoded.segments;
        const top = Buffer.from(first?.body ?? []).toString("utf8", 0, encoded.topOpenLength);
        expect(top).toBe(all[encoded.top]?.openRecord);
        const places = encoded.segments.flatMap((segment) => segment.spans);
        expect(places.toSorted((a, b) => a - b)).toEqual([...all.keys()]);
      }),
      { numRuns: 200 },
    );
  });

  it("uses its buffer again for traces of any size", () => {
    const encode = createSegmentEncoder(1_000);
    const wide = [storedSpan({ inputs: "東".repeat(10_000) }), storedSpan({ id: spanIdOf(2) })];
    const narrow = [storedSpan()];
    for (const all of [narrow, wide, narrow, wide]) {
      expect(recordsIn(encode(all)).sort()).toEqual(all.map(({ id }) => id).sort());
    }
  });
});

function recordsIn({ segments }: EncodedTrace): string[] {
  return segments.flatMap(({ header, body }) =>
    decodeHeader(header, 0).map(({ offset, openLength }) => {
      const open = Buffer.from(body).toString("utf8", offset, offset + openLength);
      return JSON.parse(`${open}null${AFTER_LISTED_TOTAL}`).id as string;
    }),
  );
}

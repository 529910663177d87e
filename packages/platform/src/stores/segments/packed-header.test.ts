import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spanIdOf, storedSpan, usageOf } from "../contract/stored-span.fixture.ts";
import { compactSegment } from "./compact-segment.ts";
import { packTuples, unpackTuples } from "./packed-header.ts";
import { decodeHeader, packSegment, unsealHeader } from "./segment.ts";
import type { EncodedSegment } from "./segment-encoder.ts";
import { createSegmentEncoder } from "./segment-encoder.ts";

/** Parents are any span of the trace (itself and later ones too), a span that is not there, or none. */
const span = fc.record({
  id: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  parent: fc.option(fc.integer({ min: 0, max: 60 })),
  start: fc.constantFrom(0, 1, 1_000, -(2 ** 40), 2 ** 40),
  startNanos: fc.integer({ min: 0, max: 999 }),
  inputs: fc.string({ maxLength: 40, unit: "grapheme" }),
  figures: fc.constantFrom(
    null,
    { role: "own" as const, usage: usageOf(3, 4), cost: 1 / 3 },
    {
      role: "restated" as const,
      usage: null,
      cost: null,
      call: { key: 'é"1', isCostSent: true, during: [1, 2] as [number, number] },
    },
  ),
});

const traces = fc.uniqueArray(span, { selector: ({ id }) => id, minLength: 1, maxLength: 50 });

function spansOf(sketches: readonly (typeof span extends fc.Arbitrary<infer S> ? S : never)[]) {
  const idOf = (n: number) => (sketches[n]?.id ?? BigInt(n)).toString(16).padStart(16, "0");
  return sketches.map(({ parent, id: _, ...sketch }, n) =>
    storedSpan({ ...sketch, id: idOf(n), parentId: parent === null ? null : idOf(parent) }),
  );
}

function packed(header: string): string {
  const json = unsealHeader(header);
  const text = packTuples(JSON.parse(json), json);
  if (text === undefined) throw new Error(`These entries are not packed: ${json}`);
  return text;
}

describe("a packed header", () => {
  it("has the entries of any trace, assembled or in several segments", () => {
    fc.assert(
      fc.property(traces, fc.constantFrom(100_000, 2_000), (sketches, segmentBytes) => {
        for (const { header } of createSegmentEncoder(segmentBytes)(spansOf(sketches)).segments) {
          expect(JSON.stringify(unpackTuples(packed(header)))).toBe(unsealHeader(header));
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([1, 2, 50, 500, 5_000])("has those of %i spans in a row", (count) => {
    const spans = Array.from({ length: count }, (_, n) =>
      storedSpan({
        id: spanIdOf(n + 1),
        parentId: n === 0 ? null : spanIdOf(n),
        start: (n * 7_919) % 10_007,
      }),
    );
    for (const limit of [2 ** 30, 2 ** 16]) {
      for (const { header } of createSegmentEncoder(limit)(spans).segments) {
        expect(JSON.stringify(unpackTuples(packed(header)))).toBe(unsealHeader(header));
      }
    }
  });

  it("is read by all versions", () => {
    const text = Buffer.from(
      "MywJDQpnREJXTXdJDQpnREJXTXdGaWgNUzIBWjlTbicWCWAMAUAmRg0GWDxJe0BaQg4mG10TfmIIHHsHLmIUEUJJTDN7KjBVEjIkfx1ERQRMMUMMN04ee25bAzdyIQFpOSUpWicPPU8sIRlXYA==",
      "base64",
    ).toString();
    expect(unpackTuples(text)).toEqual([
      ["1234567890abcdef", 0, 1793491200001000, 1, 0, 661, 126, 2539, 0],
      ["2468acf121579bde", "1234567890abcdef", 1793491200002000, 2, 801, 675, 126, 1736, 0],
      [
        "369d0369b20369cd",
        "2468acf121579bde",
        ...[1793491200003000, 3, 1616, 775, 126, 919],
        [0, 0.25, 3, 4, 7, null, null],
      ],
    ]);
  });

  it("takes half of the bytes", () => {
    const ids = new Uint32Array(40).map((_, n) => Math.imul(n + 1, 0x9e3779b1));
    const idOf = (n: number) => [ids[2 * n], ids[2 * n + 1]].map(hex).join("");
    const spans = Array.from({ length: 20 }, (_, n) =>
      storedSpan({ id: idOf(n), parentId: n === 0 ? null : idOf(n >> 2), start: n * 1_234_567 }),
    );
    const [{ header, body }] = createSegmentEncoder()(spans).segments as [EncodedSegment];
    const { header: text } = packSegment(header, body, spans[0]?.traceId ?? "");
    expect(Buffer.byteLength(text) * 3).toBeLessThan(Buffer.byteLength(header));
  });

  it("is text that SQLite keeps as it is, with each value of seven bits", () => {
    using db = new DatabaseSync(":memory:");
    db.exec("CREATE TABLE t (header TEXT NOT NULL) STRICT");
    const spans = Array.from({ length: 256 }, (_, n) =>
      storedSpan({ id: n.toString(16).padStart(2, "0").repeat(8) }),
    );
    const [{ header }] = createSegmentEncoder()(spans).segments as [EncodedSegment];
    const text = packed(header);
    const characters = new Set(text.slice("256,".length));
    expect(characters).toEqual(
      new Set(Array.from({ length: 128 }, (_, n) => String.fromCharCode(n === 0 ? 128 : n))),
    );
    db.prepare("INSERT INTO t VALUES (?)").run(text);
    const row = db.prepare("SELECT header, length(header) AS length FROM t").get();
    expect(row).toEqual({ header: text, length: text.length });
    expect(JSON.stringify(unpackTuples(text))).toBe(unsealHeader(header));
  });

  it.each([
    { what: "ids of another length", ids: ["1", "2"] },
    { what: "ids in capitals", ids: ["00000000000000AB", "00000000000000CD"] },
    { what: "ids that are not hexadecimal", ids: ["span-1----------", "span-2----------"] },
  ])("is another where there are $what", ({ ids }) => {
    const spans = ids.map((id) => storedSpan({ id, inputs: "lorem ipsum".repeat(20) }));
    const [{ header, body }] = createSegmentEncoder()(spans).segments as [EncodedSegment];
    const json = unsealHeader(header);
    expect(packTuples(JSON.parse(json), json)).toBeUndefined();
    const { header: text } = packSegment(header, body, spans[0]?.traceId ?? "");
    expect(decodeHeader(text, 7)).toEqual(decodeHeader(header, 7));
    expect(text.length).toBeLessThanOrEqual(header.length);
  });

  it("is another for a segment that has been compacted", () => {
    const spans = Array.from({ length: 9 }, (_, n) => storedSpan({ id: spanIdOf(n) }));
    const traceId = spans[0]?.traceId ?? "";
    const [segment] = createSegmentEncoder()(spans).segments as [EncodedSegment];
    const kept = decodeHeader(segment.header, 7).filter((_, n) => n % 2 === 1);
    const { header, body } = compactSegment(segment, kept, traceId);
    expect(decodeHeader(packSegment(header, body, traceId).header, 7)).toEqual(
      decodeHeader(header, 7),
    );
  });
});

function hex(word: number | undefined): string {
  return (word ?? 0).toString(16).padStart(8, "0");
}

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { spanIdOf, storedSpan, traceIdOf } from "../contract/stored-span.fixture.ts";
import {
  checkBody,
  checkBodyOnly,
  checkTrace,
  DamagedSegmentError,
  decodeHeader,
  encodeHeader,
  packSegment,
  plainBody,
} from "./segment.ts";
import type { EncodedSegment } from "./segment-encoder.ts";
import { createSegmentEncoder } from "./segment-encoder.ts";
import { isFrame } from "./segment-frame.ts";

const encode = createSegmentEncoder();
const traceId = traceIdOf(1);
const spans = Array.from({ length: 4 }, (_, n) =>
  storedSpan({ traceId, id: spanIdOf(n + 1), inputs: `é${n}` }),
);
const [segment] = encode(spans).segments;
if (segment === undefined) throw new Error("Nothing was encoded.");
const { header, body } = segment;

describe("the seal of a segment", () => {
  it("lets through what was written", () => {
    expect(decodeHeader(header, 0).map(({ id }) => id)).toEqual(spans.map(({ id }) => id));
    expect(() => checkBody(header, body, traceId)).not.toThrow();
    expect(() => checkBodyOnly(header, body)).not.toThrow();
    expect(() => checkTrace(header, traceId)).not.toThrow();
  });

  it("finds every changed byte of a body", () => {
    fc.assert(
      fc.property(fc.nat(body.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Uint8Array.from(body);
        changed[at] = (changed[at] as number) ^ flip;
        expect(() => checkBody(header, changed, traceId)).toThrow(DamagedSegmentError);
        expect(() => checkBodyOnly(header, changed)).toThrow(DamagedSegmentError);
      }),
    );
  });

  it("finds every changed byte of a header, the seal included", () => {
    fc.assert(
      fc.property(fc.nat(header.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const bytes = Buffer.from(header, "latin1");
        bytes[at] = (bytes[at] as number) ^ flip;
        expect(() => decodeHeader(bytes.toString("latin1"), 0)).toThrow(DamagedSegmentError);
      }),
    );
  });

  it("finds a segment of another trace", () => {
    expect(() => checkBody(header, body, traceIdOf(2))).toThrow(traceIdOf(2));
    expect(() => checkTrace(header, traceIdOf(2))).toThrow(DamagedSegmentError);
  });

  it("is not asked for where a segment was written before there were any", () => {
    const unsealed = encodeHeader(decodeHeader(header, 0));
    expect(decodeHeader(unsealed, 0)).toEqual(decodeHeader(header, 0));
    expect(() => checkBody(unsealed, new Uint8Array(3), traceId)).not.toThrow();
  });
});

describe("a packed segment", () => {
  const spansOf = (count: number) =>
    Array.from({ length: count }, (_, n) =>
      storedSpan({
        id: spanIdOf(n * 0x9e3779b1),
        parentId: n === 0 ? null : spanIdOf(0),
        start: n * 1_000,
        inputs: "lorem ipsum",
        figures: {
          role: "own",
          usage: null,
          cost: n / 3,
          call: { key: `é${n}`, isCostSent: false, during: undefined },
        },
      }),
    );

  it.each([
    { count: 1, isPacked: true },
    { count: 2, isPacked: true },
    { count: 100, isPacked: true },
  ])("of $count spans says the same, and packs its header: $isPacked", ({ count, isPacked }) => {
    const [plain] = encode(spansOf(count)).segments as [EncodedSegment];
    const packed = packSegment(plain.header, plain.body, traceId);
    expect(isFrame(packed.body)).toBe(true);
    expect(Buffer.compare(plainBody(packed.header, packed.body, traceId), plain.body)).toBe(0);
    expect(decodeHeader(packed.header, 7)).toEqual(decodeHeader(plain.header, 7));
    expect(packed.header.length < plain.header.length).toBe(isPacked);
    checkTrace(packed.header, traceId);
  });

  it("is read where an earlier version has packed its header", () => {
    const header =
      "ccab117770000000080fd188czKLUv/SDLjQIAxANbWyIwMSIsMCwxNzk1MDYzMzQyNDUzMDAxLDEsMTAwLDkwLDI2LDAsMF0sMiIsMSIyLDIsMjMzLDMsM10HAODQgGTQPCYgzSbivtVMZJAF";
    checkTrace(header, "a".repeat(32));
    expect(decodeHeader(header, 7)).toEqual(
      [1, 2, 3].map((n) => ({
        segment: 7,
        place: n - 1,
        id: spanIdOf(n),
        parentId: n === 1 ? null : spanIdOf(1),
        start: 1_795_063_342_453_000 + n,
        startNanos: n,
        figures: null,
        offset: n * 100,
        openLength: 90,
        totalLength: 26,
        treeLength: 0,
      })),
    );
  });

  it("is found damaged by any changed byte of its header or its body", () => {
    const [plain] = encode(spansOf(20)).segments as [EncodedSegment];
    const packed = packSegment(plain.header, plain.body, traceId);
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const header = Buffer.from(packed.header, "latin1");
        const changed = at % header.length;
        header[changed] = (header[changed] as number) ^ flip;
        expect(() => decodeHeader(header.toString("latin1"), 0)).toThrow(DamagedSegmentError);
        const frame = Uint8Array.from(packed.body);
        const place = at % frame.length;
        frame[place] = (frame[place] as number) ^ flip;
        expect(() => plainBody(packed.header, frame, traceId)).toThrow(DamagedSegmentError);
      }),
    );
  });
});

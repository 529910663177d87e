import { describe, expect, it } from "vitest";
import { spanIdOf, storedSpan } from "../contract/stored-span.fixture.ts";
import { blankSegment, compactSegment, entriesToKeep, isRecordAt } from "./compact-segment.ts";
import {
  checkBody,
  checkTrace,
  DamagedSegmentError,
  decodeHeader,
  isAssembledBody,
  isAssembledEntry,
  unsealHeader,
} from "./segment.ts";
import { createSegmentEncoder } from "./segment-encoder.ts";

const spans = Array.from({ length: 6 }, (_, n) =>
  storedSpan({
    id: spanIdOf(n),
    parentId: n === 0 ? null : spanIdOf(0),
    inputs: "ü".repeat(n * 20),
  }),
);
const { traceId } = spans[0] ?? { traceId: "" };
const lengths = new Map(spans.map(({ id, openRecord }) => [id, Buffer.byteLength(openRecord)]));
const assembled = createSegmentEncoder()(spans).segments;
const [segment] = assembled;
if (segment === undefined) throw new Error("There is no segment");

/** Which spans are kept, by their numbers. */
const keep =
  (...numbers: number[]) =>
  ({ id }: { id: string }) =>
    numbers.some((n) => spanIdOf(n) === id);

const bytes = (...numbers: number[]) =>
  numbers.reduce((sum, n) => sum + (lengths.get(spanIdOf(n)) ?? 0), 0);

describe("what a compacted segment keeps", () => {
  const kept = (isCurrent: ReturnType<typeof keep>, fromBytes: number) =>
    entriesToKeep(segment.header, 0, isCurrent, fromBytes)?.map(({ id }) => id);

  it("is nothing to decide where nothing is superseded", () => {
    expect(kept(() => true, 0)).toBeUndefined();
  });

  it("is decided by the superseded bytes, up to the byte", () => {
    const superseded = bytes(0, 1, 2, 3);
    expect(kept(keep(4, 5), superseded)?.sort()).toEqual([spanIdOf(4), spanIdOf(5)]);
    expect(kept(keep(4, 5), superseded + 1)).toBeUndefined();
  });

  it("is decided by half of the bytes", () => {
    const twins = [1, 2].map((n) => storedSpan({ id: spanIdOf(n), inputs: "same" }));
    const longer = [1, 2].map((n) => storedSpan({ id: spanIdOf(n), inputs: "x".repeat(n) }));
    const headerOf = (all: typeof twins) => createSegmentEncoder()(all).segments[0]?.header ?? "";
    expect(entriesToKeep(headerOf(twins), 0, keep(2), 1)).toHaveLength(1);
    expect(entriesToKeep(headerOf(longer), 0, keep(1), 1)).toHaveLength(1);
    expect(entriesToKeep(headerOf(longer), 0, keep(2), 1)).toBeUndefined();
  });

  it("is not decided for a segment without a checksum, unless nothing of it is kept", () => {
    const unsealed = unsealHeader(segment.header);
    expect(entriesToKeep(unsealed, 0, keep(5), 1)).toBeUndefined();
    expect(entriesToKeep(unsealed, 0, () => false, 1)).toEqual([]);
  });

  it("is nothing where everything is superseded, however little that is", () => {
    expect(kept(() => false, Number.MAX_SAFE_INTEGER)).toEqual([]);
  });
});

describe.each([
  { name: "compacted", rewrite: compactSegment },
  { name: "blanked", rewrite: blankSegment },
])("a $name segment", ({ rewrite }) => {
  const rewritten = (...numbers: number[]) => {
    const kept = decodeHeader(segment.header, 7).filter(keep(...numbers));
    return rewrite(segment, kept, traceId);
  };

  it.each([[[0]], [[5]], [[1, 3]], [[0, 1, 2, 3, 4]]])("holds the records %j", (numbers) => {
    const { header, body } = rewritten(...numbers);
    checkTrace(header, traceId);
    checkBody(header, body, traceId);
    expect(isAssembledBody(body)).toBe(false);
    const before = new Map(decodeHeader(segment.header, 7).map((entry) => [entry.id, entry]));
    const entries = decodeHeader(header, 7);
    expect(entries.map(({ id }) => id).sort()).toEqual(numbers.map(spanIdOf));
    for (const entry of entries) {
      expect(isAssembledEntry(entry)).toBe(false);
      expect(entry.place).toBe(before.get(entry.id)?.place);
      const { offset, openLength } = entry;
      const text = Buffer.from(body).toString("utf8", offset, offset + openLength);
      expect(text).toBe(spans.find(({ id }) => id === entry.id)?.openRecord);
    }
  });

  it("can be rewritten again, and ends empty", () => {
    const once = rewritten(0, 2, 5);
    const twice = rewrite(once, once.entries.filter(keep(2)), traceId);
    expect(decodeHeader(twice.header, 7).map(({ id }) => id)).toEqual([spanIdOf(2)]);
    const empty = rewrite(twice, [], traceId);
    checkBody(empty.header, empty.body, traceId);
    expect(empty.body).toHaveLength(0);
    expect(decodeHeader(empty.header, 7)).toEqual([]);
  });

  it("is not made of a damaged one", () => {
    const body = segment.body.slice();
    body[100] = (body[100] ?? 0) ^ 1;
    const kept = decodeHeader(segment.header, 7).filter(keep(1));
    expect(() => rewrite({ header: segment.header, body }, kept, traceId)).toThrow(
      DamagedSegmentError,
    );
  });
});

it("packs records that are compacted, and leaves those that are blanked where they were", () => {
  const entries = decodeHeader(segment.header, 0);
  const kept = entries.filter(keep(1, 4));
  const packed = compactSegment(segment, kept, traceId);
  expect(packed.body).toHaveLength(bytes(1, 4));
  const blanked = blankSegment(segment, kept, traceId);
  for (const { id, offset, openLength } of entries) {
    expect(isRecordAt(blanked.body, offset, openLength)).toBe(kept.some((one) => one.id === id));
  }
});

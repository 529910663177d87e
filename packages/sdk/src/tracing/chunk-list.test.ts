import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ChunkList } from "./chunk-list.ts";

function listOf(limit: number, chunks: readonly unknown[]): ChunkList {
  const list = new ChunkList(limit);
  for (const chunk of chunks) list.add(chunk);
  return list;
}

const chunk = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.jsonValue({ maxDepth: 2 }),
  fc.constant('\n\u0001"'.repeat(20)),
);

describe("the recorded chunks of a stream", () => {
  it("are all of them where they fit, and a start of them where they do not", () => {
    fc.assert(
      fc.property(
        fc.array(chunk, { maxLength: 30 }),
        fc.integer({ min: 0, max: 600 }),
        (all, limit) => {
          const value = listOf(limit, all).value();
          const areStrings = all.length > 0 && all.every((each) => typeof each === "string");
          const plain = JSON.parse(JSON.stringify(areStrings ? all.join("") : all));
          if (!isCut(value)) {
            expect(value).toEqual(plain);
            return;
          }
          // What is recorded keeps to the limit: it is not cut a second time.
          if (limit > 64)
            expect(JSON.stringify(value).length).toBeLessThanOrEqual(limit + 2 * all.length);
          expect(value.chunks).toBe(all.length);
          if (areStrings) expect(plain.startsWith(value.start)).toBe(true);
          else {
            const whole = (value.start as unknown[]).slice(0, -1);
            expect(whole).toEqual(plain.slice(0, whole.length));
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it("are counted on both sides of the limit", () => {
    // 64 characters are left for what surrounds them.
    expect(listOf(74, ["a".repeat(10)]).value()).toBe("a".repeat(10));
    expect(listOf(73, ["a".repeat(10)]).value()).toEqual({
      truncated: true,
      chunks: 1,
      start: "a".repeat(9),
    });
    const many = new ChunkList(Number.MAX_SAFE_INTEGER);
    for (let n = 0; n < 100_000; n += 1) many.add(1);
    expect(many.value()).toHaveLength(100_000);
    many.add(1);
    expect(many.value()).toMatchObject({ truncated: true, chunks: 100_001 });
  });

  it("are those that were given, whatever becomes of them", () => {
    const same = { n: 0 };
    const list = new ChunkList(1_000);
    for (; same.n < 3; same.n += 1) list.add(same);
    expect(list.value()).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
  });

  it("are none where nothing is recorded", () => {
    expect(listOf(0, ["a", "b"]).value()).toEqual({ truncated: true, chunks: 2, start: "" });
  });
});

function isCut(value: unknown): value is { chunks: number; start: unknown } {
  return typeof value === "object" && value !== null && "truncated" in value;
}

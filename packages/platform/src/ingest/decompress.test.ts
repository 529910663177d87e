import { constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COMPRESSIONS, type Compression, declaredSize, decompress } from "./decompress.ts";

const LIMIT = 100_000;
const COMPRESS: Record<Compression, (bytes: Buffer) => Buffer> = {
  none: (bytes) => bytes,
  gzip: gzipSync,
  zstd: zstdCompressSync,
  deflate: deflateSync,
};
const NAMES_ITS_SIZE: readonly Compression[] = ["none", "gzip", "zstd"];

/** Sizes on both sides of each width that a zstd frame's size may have, and of the limit. */
const sizes = fc.oneof(
  fc.constantFrom(0, 1, 255, 256, 257, 65_535, 65_536, 65_791, 65_792, LIMIT - 1, LIMIT, LIMIT + 1),
  fc.nat(2 * LIMIT),
);

describe.each(["none", ...COMPRESSIONS] as const)("%s", (compression) => {
  it("is undone up to the limit, and names its size", () => {
    fc.assert(
      fc.property(sizes, fc.nat(255), (size, byte) => {
        const bytes = Buffer.alloc(size, byte);
        const body = COMPRESS[compression](bytes);
        const outcome = decompress(body, compression, LIMIT);
        if (size > LIMIT) expect(outcome).toEqual({ kind: "too-large", limit: LIMIT });
        else if (outcome.kind !== "decompressed") expect.fail(JSON.stringify(outcome));
        else expect(Buffer.compare(outcome.bytes, bytes)).toBe(0);
        const named = NAMES_ITS_SIZE.includes(compression) ? Math.min(size, LIMIT) : 0;
        expect(declaredSize(body, compression, LIMIT)).toBe(Math.max(body.length, named));
      }),
    );
  });

  it("has a size and an outcome for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(40), (random, kept) => {
        const torn = COMPRESS[compression](Buffer.alloc(1_000, "agate")).subarray(0, kept);
        for (const body of [random, torn, Buffer.concat([torn, random])]) {
          expect(declaredSize(body, compression, LIMIT)).toBeLessThanOrEqual(LIMIT);
          expect(["decompressed", "undecodable", "too-large"]).toContain(
            decompress(body, compression, LIMIT).kind,
          );
        }
      }),
    );
  });
});

it("refuses a zstd body of two frames, of which Node would drop one", () => {
  const frame = zstdCompressSync("agate");
  expect(decompress(Buffer.concat([frame, frame]), "zstd", LIMIT)).toEqual({
    kind: "undecodable",
    reason: "The body is not valid zstd data: it has more than one frame.",
  });
});

it.each([
  [23, "decompressed"],
  [24, "undecodable"],
])("takes a zstd window of 8 MiB and none larger: 2^%i", (windowLog, kind) => {
  const params = {
    [constants.ZSTD_c_windowLog]: windowLog,
    // Else the window shrinks to the content.
    [constants.ZSTD_c_contentSizeFlag]: 0,
  };
  const body = zstdCompressSync(Buffer.alloc(2 ** 24 + 1), { params });
  expect(decompress(body, "zstd", 2 ** 25)).toMatchObject({ kind });
});

import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  isFrame,
  packedLength,
  packFrame,
  unpackFrame,
  unpackFrameAside,
} from "./segment-frame.ts";

/**
 * Around the sizes where a frame tells its length in more bytes, that of Node's pool of buffers, and that of the
 * largest buffer.
 */
const SIZES = [0, 1, 63, 64, 65, 255, 256, 257].concat(
  [32, 64, 128, 1024].flatMap((kib) => [-1, 0, 1].map((more) => kib * 1024 + more)),
  [65_535 + 256, 65_536 + 256, 5_000_000],
);

describe.each([
  { kind: "text", make: (size: number) => Buffer.alloc(size, '{"id":"lorem ipsum"}') },
  { kind: "noise", make: (size: number) => randomBytes(size) },
])("a frame of $kind", ({ make }) => {
  it.each(SIZES)("gives %i bytes back, in memory that can be freed", async (size) => {
    const bytes = make(size);
    const frame = packFrame(bytes);
    expect(isFrame(frame)).toBe(true);
    expect(packedLength(frame)).toBe(size);
    for (const unpacked of [unpackFrame(frame), await unpackFrameAside(frame)]) {
      expect(Buffer.compare(unpacked, bytes)).toBe(0);
      unpacked.buffer.transfer(0);
    }
  });
});

// On both sides of the smallest buffer and of zlib's own, of which four make Node's pool of buffers.
it.each([100, 128, 130, 1_000, 32 * 1024 - 2, 32 * 1024, 100_000])(
  "takes no more than half of the memory of %i bytes of text, while many are held",
  (size) => {
    const frames = Array.from({ length: 256 }, () =>
      packFrame(Buffer.alloc(size, '{"id":"lorem ipsum"}')),
    );
    const buffers = new Set(frames.map(({ buffer }) => buffer));
    const held = [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
    const most = Math.min(Math.max(64, size / 2), 16 * 1024);
    // Each begins at a multiple of eight bytes; the first pool and the last are those of others, too.
    expect(held).toBeLessThanOrEqual(256 * (most + 8) + 2 * Buffer.poolSize);
  },
);

it("is told from records", () => {
  expect(isFrame(Buffer.from('{"id":"1"}'))).toBe(false);
  expect(isFrame(new Uint8Array())).toBe(false);
});

it("is refused when it says that it is of gigabytes, without taking them", () => {
  const frame = packFrame(randomBytes(70_000));
  // The content's length in four bytes follows the descriptor.
  expect(frame[4]).toBe(0xa0);
  new DataView(frame.buffer, frame.byteOffset).setUint32(5, 2 ** 32 - 1, true);
  const { arrayBuffers: before } = process.memoryUsage();
  expect(() => unpackFrame(frame)).toThrow();
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
});

it("is refused when it is cut off", () => {
  const frame = packFrame(randomBytes(1_000));
  for (const length of [4, 5, 6, 7, 500, frame.length - 1]) {
    expect(() => unpackFrame(frame.subarray(0, length)), `${length}`).toThrow();
  }
});

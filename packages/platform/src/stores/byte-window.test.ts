import fc from "fast-check";
import { expect, it } from "vitest";
import { ByteWindow, freeMemory } from "./byte-window.ts";

/** Gets bytes of a window as the readers of segments do: what is missing is read, and what is used stays. */
function readThrough(
  window: ByteWindow<number, Uint8Array<ArrayBuffer>>,
  key: number,
  read: (key: number) => Uint8Array<ArrayBuffer>,
): Uint8Array {
  const bytes = window.get(key) ?? read(key);
  window.add(key, bytes);
  return bytes;
}

it("gives all bytes whole at any size of the window, in any order", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 });
  const batches = fc.array(fc.array(fc.nat(5), { minLength: 1, maxLength: 8 }), { maxLength: 12 });
  fc.assert(
    fc.property(sizes, batches, fc.integer({ min: 0, max: 16 }), (lengths, reads, limit) => {
      const bytesOf = (key: number) => new Uint8Array(lengths[key] ?? 1).fill(key + 1);
      const window = new ByteWindow<number, Uint8Array<ArrayBuffer>>(limit);
      for (const read of reads) {
        window.shrink(freeMemory);
        // Bytes of one read stay valid until the next, though the window is too small for them.
        const found = read.map((key) => readThrough(window, key, bytesOf));
        for (const [n, key] of read.entries()) expect(found[n]).toEqual(bytesOf(key));
      }
    }),
    { numRuns: 500 },
  );
});

it("keeps everything while there is room for all, and drops the least recently used when not", () => {
  const keysRead = (limit: number) => {
    const keys: number[] = [];
    const window = new ByteWindow<number, Uint8Array<ArrayBuffer>>(limit);
    for (const wanted of [0, 1, 0, 2, 0, 1]) {
      readThrough(window, wanted, (key) => {
        keys.push(key);
        return new Uint8Array(10);
      });
      window.shrink();
    }
    return keys;
  };
  expect(keysRead(30)).toEqual([0, 1, 2]);
  expect(keysRead(29)).toEqual([0, 1, 2, 1]);
  expect(keysRead(0)).toEqual([0, 1, 0, 2, 0, 1]);
});

it("tells what it drops, and never drops the newest", () => {
  const window = new ByteWindow<string>(3);
  const dropped: number[] = [];
  for (const [n, key] of ["a", "b", "c"].entries()) window.add(key, new Uint8Array(n + 2));
  window.shrink(({ length }) => dropped.push(length));
  expect(dropped).toEqual([2, 3]);
  expect(window.get("b")).toBeUndefined();
  expect(window.get("c")).toHaveLength(4);
});

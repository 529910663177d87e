import { expect, it } from "vitest";
import { GrowingBytes } from "./growing-bytes.ts";

const FIRST = 64 * 1024;
const KEPT = 8 * 1024 * 1024;

it("keeps what was written when its memory grows", () => {
  const bytes = new GrowingBytes();
  const texts = [
    "é".repeat(16 * 1024),
    "\ud800",
    "東".repeat(16 * 1024 + 1),
    "",
    "a".repeat(FIRST),
  ];
  for (const text of texts) bytes.write(text);
  const taken = bytes.take();
  expect(taken.equals(Buffer.from(texts.join("")))).toBe(true);
  bytes.write("next");
  expect(bytes.take().toString()).toBe("next");
  expect(taken.equals(Buffer.from(texts.join("")))).toBe(true);
});

it.each([
  [FIRST, FIRST],
  [FIRST + 1, 2 * FIRST],
  [KEPT, KEPT],
  [KEPT + 1, FIRST],
])("has memory for %i bytes in %i when they are taken or cleared", (needed, kept) => {
  for (const end of ["take", "clear"] as const) {
    const bytes = new GrowingBytes();
    bytes.reserve(needed);
    bytes.write("text");
    bytes[end]();
    expect([bytes.bytes.length, bytes.length]).toEqual([kept, 0]);
  }
});

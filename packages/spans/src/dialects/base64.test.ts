import fc from "fast-check";
import { expect, it } from "vitest";
import { base64 } from "./base64.ts";

/** A few bytes, or about as many as are written at a time (3,072), once or twice. */
const anyLength = fc.oneof(
  fc.nat(100),
  fc.integer({ min: 3_069, max: 3_075 }),
  fc.integer({ min: 6_141, max: 6_147 }),
);
const anyBytes = anyLength.chain((length) =>
  fc.uint8Array({ minLength: length, maxLength: length, size: "max" }),
);

it("is what Node makes of the same bytes", () => {
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      expect(base64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
    }),
  );
});

it("takes bytes by the megabyte", () => {
  const bytes = Uint8Array.from({ length: 3_000_001 }, (_, index) => index * 31);
  expect(base64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
});

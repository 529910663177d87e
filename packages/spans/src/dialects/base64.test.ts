import fc from "fast-check";
import { expect, it } from "vitest";
import { base64 } from "./base64.ts";

it("is what Node makes of the same bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      expect(base64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
    }),
  );
});

it("takes bytes by the megabyte", () => {
  const bytes = Uint8Array.from({ length: 3_000_001 }, (_, index) => index * 31);
  expect(base64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeCursor, encodeCursor } from "./list-cursor.ts";

const id = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length });
const position = fc.record({
  start: fc.maxSafeNat(),
  startNanos: fc.nat(999),
  traceId: id(32),
  spanId: fc.option(id(16)),
});

describe("cursors", () => {
  it("bring a position back, in their own list only", () => {
    fc.assert(
      fc.property(position, (original) => {
        const cursor = encodeCursor(original);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
        const [own, other] =
          original.spanId === null
            ? (["traces", "spans"] as const)
            : (["spans", "traces"] as const);
        expect(decodeCursor(own, cursor)).toEqual(original);
        expect(decodeCursor(other, cursor)).toBeUndefined();
      }),
    );
  });

  it("are nothing but what a list returned", () => {
    const cursor = encodeCursor({ start: 7, startNanos: 5, traceId: "a".repeat(32), spanId: null });
    const damaged = [
      "",
      "x",
      `${cursor}A`,
      ` ${cursor}`,
      `${cursor}=`,
      ...[
        "t2.1e3.0",
        "t2.9007199254740993.0",
        "t2.1.1000",
        "t2.1.-1",
        "t2.1.",
        "t2.1.01",
        "t1.1",
        "t3.1.0",
      ]
        .map((start) => `${start}.${"a".repeat(32)}`)
        .map((text) => Buffer.from(text).toString("base64url")),
      Buffer.from(`t2.1.0.${"a".repeat(32)}.`).toString("base64url"),
      Buffer.from("t2.1.0.a'b").toString("base64url"),
    ];
    for (const text of damaged) expect(decodeCursor("traces", text)).toBeUndefined();
  });

  it("can be any text without harm", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const decoded = decodeCursor("traces", text);
        if (decoded !== undefined) expect(encodeCursor(decoded)).toBe(text);
      }),
    );
  });
});

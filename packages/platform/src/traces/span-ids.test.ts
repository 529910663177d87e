import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSpanId, parseTraceId } from "./span-ids.ts";

const ALPHABET = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"];
const opaqueId = fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 1, maxLength: 128 });

describe("ids", () => {
  it("are hex in lower case; a dashed UUID is a trace's 32 digits", () => {
    const hex = "5b8efff798038103d269b633813fc60c";
    expect(parseTraceId(hex)).toBe(hex);
    expect(parseTraceId(hex.toUpperCase())).toBe(hex);
    expect(parseTraceId("5B8EFFF7-9803-8103-D269-B633813FC60C")).toBe(hex);
    expect(parseSpanId("EEE19B7EC3C1B174")).toBe("eee19b7ec3c1b174");
  });

  it("keep the case of other ids, and dashes that are not a UUID's", () => {
    expect(parseTraceId("EEE19B7EC3C1B174")).toBe("EEE19B7EC3C1B174");
    expect(parseSpanId("5B8EFFF798038103D269B633813FC60C")).toBe(
      "5B8EFFF798038103D269B633813FC60C",
    );
    expect(parseTraceId("My-Trace_1")).toBe("My-Trace_1");
    expect(parseTraceId("5B8EFFF-79803-8103-D269-B633813FC60C")).toBe(
      "5B8EFFF-79803-8103-D269-B633813FC60C",
    );
  });

  it("stay the same when parsed twice", () => {
    fc.assert(
      fc.property(opaqueId, (text) => {
        for (const parse of [parseTraceId, parseSpanId]) {
          const id = parse(text);
          expect(id).toBeDefined();
          expect(parse(id ?? "")).toBe(id);
        }
      }),
    );
  });

  it("have nothing outside the alphabet, and 1 to 128 characters", () => {
    for (const text of ["", "a b", "a/b", "é", "a\n", "\na", "a.b", "x".repeat(129)]) {
      expect(parseTraceId(text)).toBeUndefined();
      expect(parseSpanId(text)).toBeUndefined();
    }
  });
});

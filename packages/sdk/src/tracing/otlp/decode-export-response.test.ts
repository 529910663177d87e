import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeExportResponse } from "../../../../platform/src/ingest/otlp/encode-export-response.ts";
import { decodeExportResponse } from "./decode-export-response.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

describe("the response to an export", () => {
  it("says how many spans were rejected, and why", () => {
    fc.assert(
      fc.property(
        fc.maxSafeInteger().map(Math.abs),
        fc.string({ unit: "grapheme" }),
        (rejected, message) => {
          const response = encodeExportResponse("protobuf", rejected, message);
          expect(decodeExportResponse(response)).toEqual({ rejected, message });
        },
      ),
    );
  });

  it("may have a warning alone, or nothing", () => {
    expect(decodeExportResponse(Uint8Array.of(10, 3, 18, 1, 33))).toEqual({
      rejected: 0,
      message: "!",
    });
    expect(decodeExportResponse(Uint8Array.of(10, 0))).toEqual({ rejected: 0, message: "" });
    expect(decodeExportResponse(new Uint8Array())).toEqual({ rejected: 0, message: "" });
  });

  it("may have fields that are not known yet", () => {
    const unknown = [0x18, 1, 0x21, 1, 2, 3, 4, 5, 6, 7, 8, 0x2a, 1, 65, 0x35, 1, 2, 3, 4];
    const inner = [...unknown, 8, 7, ...unknown];
    const bytes = Uint8Array.from([...unknown, 10, inner.length, ...inner, ...unknown]);
    expect(decodeExportResponse(bytes)).toEqual({ rejected: 7, message: "" });
  });

  it.each([
    ["a page of a proxy", bytesOf("<!doctype html><title>502</title>")],
    ["JSON", bytesOf('{"partialSuccess":{}}')],
    ["zeros", new Uint8Array(8)],
    ["a message that ends early", Uint8Array.of(10, 9, 8, 1)],
    ["a number that ends early", Uint8Array.of(10, 2, 8, 0x80)],
    ["a number without an end", Uint8Array.of(0x18, ...new Array(10).fill(0x80), 0x18, 1)],
    ["a field number without an end", new Uint8Array(20).fill(0x88)],
    ["a fixed number that ends early", Uint8Array.of(0x21, 1, 2)],
  ])("is none if it is %s", (_, bytes) => {
    expect(decodeExportResponse(bytes)).toBeNull();
  });

  it("may be any garbage", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 30 }), (bytes) => {
        const read = decodeExportResponse(bytes) ?? { rejected: 0 };
        expect(read.rejected).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

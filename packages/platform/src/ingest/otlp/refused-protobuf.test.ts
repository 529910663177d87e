import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { decodeOtlpJson } from "./decode-otlp-json.ts";
import { decodeOtlpProtobuf } from "./decode-otlp-protobuf.ts";
import type { OtlpRequest } from "./decode-outcome.ts";
import { requestOf, SPAN_ID, spanRequest, TRACE_ID } from "./testing/protobuf-request.fixture.ts";
import { message, type ProtobufWriter } from "./testing/protobuf-writer.fixture.ts";

function decode(writer: ProtobufWriter): OtlpRequest {
  const outcome = decodeOtlpProtobuf(writer.finish());
  if (outcome.kind !== "decoded") throw new Error(outcome.reason);
  return outcome.request;
}

function refusal(bytes: Uint8Array): string {
  const outcome = decodeOtlpProtobuf(bytes);
  if (outcome.kind !== "undecodable") throw new Error("was decoded");
  return outcome.reason;
}

describe("nesting", () => {
  function nestedLists(depth: number): ProtobufWriter {
    let value = message((any) => any.bytes(1, "core"));
    for (let i = 1; i < depth; i += 1) {
      const inner = value;
      value = message((any) =>
        any.bytes(
          5,
          message((list) => list.bytes(1, inner)),
        ),
      );
    }
    return value;
  }
  const withValue = (value: ProtobufWriter) =>
    spanRequest((span) =>
      span.bytes(
        9,
        message((kv) => kv.bytes(1, "a").bytes(2, value)),
      ),
    );

  it("reads values 64 deep", () => {
    let value = decode(withValue(nestedLists(64))).spans[0]?.attributes.get("a");
    for (let i = 1; i < 64; i += 1) value = (value as readonly string[])[0];
    expect(value).toBe("core");
  });

  it("refuses values 65 deep, in lists and in maps", () => {
    expect(refusal(withValue(nestedLists(65)).finish())).toMatch(/nested deeper than 64/);
    let map = message(() => {});
    for (let i = 0; i < 65; i += 1) {
      const inner = message((kv) => kv.bytes(2, map));
      map = message((any) =>
        any.bytes(
          6,
          message((kvlist) => kvlist.bytes(1, inner)),
        ),
      );
    }
    expect(refusal(withValue(map).finish())).toMatch(/nested deeper than 64/);
  });

  it("refuses values 5,000 deep without exhausting the stack", () => {
    expect(refusal(withValue(nestedLists(5000)).finish())).toMatch(/nested deeper than 64/);
  });

  it("skips nested groups and refuses very many", () => {
    const open = (count: number) => new Array<number>(count).fill((20 << 3) | 3);
    const close = (count: number) => new Array<number>(count).fill((20 << 3) | 4);
    // Field 20 has a tag of two bytes.
    const tags = (list: number[]) => list.flatMap((tag) => [(tag & 0x7f) | 0x80, tag >>> 7]);
    const groups = (count: number) =>
      spanRequest((span) =>
        span.raw(...tags(open(count)), ...tags(close(count))).bytes(5, "after"),
      );
    expect(decode(groups(64)).spans).toMatchObject([{ name: "after" }]);
    expect(refusal(groups(65).finish())).toMatch(/groups are nested too deep/);
    expect(refusal(Buffer.alloc(4_000_000, (1 << 3) | 3))).toMatch(/groups are nested too deep/);
  });
});

describe("bytes that are no request", () => {
  /** In a span that is not the last: a read that goes too far finds the bytes of the next. */
  const inSpan = (...bytes: number[]) =>
    requestOf(
      message((span) => span.raw(...bytes)),
      message((span) => span.bytes(1, TRACE_ID).bytes(2, SPAN_ID).bytes(5, "next")),
    ).finish();
  const NAME = (5 << 3) | 2;

  it.each<[what: string, bytes: Uint8Array, reason: RegExp]>([
    ["text", Buffer.from('{"resourceSpans":[]}'), /at byte \d+/],
    ["a lone tag", Uint8Array.of(0x0a), /at byte 1: a number reaches beyond/],
    ["field number 0", inSpan(0x02, 0x00), /invalid field number/],
    [
      "a field number of 32 bits",
      inSpan(NAME | 0x80, 0x80, 0x80, 0x80, 0x80, 0x01),
      /invalid field number/,
    ],
    ["wire type 6", inSpan((5 << 3) | 6, 0x00), /unexpected wire type 6/],
    ["wire type 7", inSpan((5 << 3) | 7, 0x00), /unexpected wire type 7/],
    ["the end of no group", inSpan((5 << 3) | 4), /unexpected wire type 4/],
    ["a group that ends as another", inSpan((5 << 3) | 3, (6 << 3) | 4), /a group ends wrongly/],
    ["a group without an end", inSpan((5 << 3) | 3), /a number reaches beyond/],
    ["a length past the end of its message", inSpan(NAME, 2, 0x41), /a length reaches beyond/],
    ["a length of 2^32", inSpan(NAME, 0x80, 0x80, 0x80, 0x80, 0x10), /a length reaches beyond/],
    [
      "a length of 2^64 - 1",
      inSpan(NAME, ...new Array<number>(9).fill(0xff), 1),
      /a length reaches/,
    ],
    [
      "a number of eleven bytes",
      inSpan((6 << 3) | 0, ...new Array<number>(10).fill(0x80), 0),
      /ten bytes/,
    ],
    ["half a fixed64", inSpan((7 << 3) | 1, 1, 2, 3), /a field reaches beyond/],
    ["half a fixed32", inSpan(0x85, 0x01, 1, 2, 3), /a field reaches beyond/],
    ["half an unknown fixed64", inSpan(((19 << 3) & 0x7f) | 0x80 | 1, 1, 2, 3), /reaches beyond/],
  ])("refuses %s", (_, bytes, reason) => {
    expect(refusal(bytes)).toMatch(reason);
  });

  it("does not let a sub-message reach into what follows it", () => {
    // The status says it has 1 byte; its tag promises a varint, which would be the next field's tag.
    const bytes = inSpan((15 << 3) | 2, 1, (3 << 3) | 0, NAME, 0);
    expect(refusal(bytes)).toMatch(/a number reaches beyond its message/);
  });

  it("refuses more bytes than a string could hold in hex, in both encodings", () => {
    const body = new Uint8Array(2 ** 28);
    expect(refusal(body)).toBe("more than 268435440 bytes");
    expect(decodeOtlpJson(body)).toEqual({
      kind: "undecodable",
      reason: "more than 268435440 bytes",
    });
  });

  it("refuses every proper prefix that ends within a field", () => {
    const whole = spanRequest((span) => span.bytes(5, "name").fixed64(7, 1n)).finish();
    for (let length = 1; length < whole.length; length += 1) {
      expect(decodeOtlpProtobuf(whole.subarray(0, length)).kind).toBe("undecodable");
    }
  });
});

import { Buffer } from "node:buffer";
import type { OtlpSpan } from "@agate/spans";
import { describe, expect, it } from "vitest";
import { decodeOtlpProtobuf } from "./decode-otlp-protobuf.ts";
import type { OtlpRequest } from "./decode-outcome.ts";
import {
  attribute,
  requestOf,
  SPAN_ID,
  spanRequest,
  spanWithIds,
  TRACE_ID,
} from "./testing/protobuf-request.fixture.ts";
import { message, type ProtobufWriter } from "./testing/protobuf-writer.fixture.ts";

function decode(writer: ProtobufWriter): OtlpRequest {
  const outcome = decodeOtlpProtobuf(writer.finish());
  if (outcome.kind !== "decoded") throw new Error(outcome.reason);
  return outcome.request;
}

function decodeSpan(write: (span: ProtobufWriter) => void): OtlpSpan {
  const request = decode(spanRequest(write));
  expect(request.rejected).toBe(0);
  return request.spans[0] as OtlpSpan;
}

it("takes no bytes as a request without spans", () => {
  expect(decodeOtlpProtobuf(new Uint8Array())).toEqual({
    kind: "decoded",
    request: { spans: [], rejected: 0, rejectedReason: "" },
  });
});

it("gives every field that is not there its default", () => {
  expect(decode(spanRequest()).spans).toEqual([
    {
      traceId: "ab".repeat(16),
      spanId: "cd".repeat(8),
      parentSpanId: null,
      traceState: "",
      flags: 0,
      name: "",
      kind: 0,
      start: { us: 0, nanos: 0 },
      end: { us: 0, nanos: 0 },
      attributes: new Map(),
      events: [],
      links: [],
      statusCode: 0,
      statusMessage: "",
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
      resource: { attributes: new Map(), schemaUrl: "", droppedAttributesCount: 0 },
      scope: {
        name: "",
        version: "",
        attributes: new Map(),
        schemaUrl: "",
        droppedAttributesCount: 0,
      },
    },
  ]);
});

it("reads a view into a larger buffer, and keeps no view of it", () => {
  const request = spanRequest((span) =>
    span.bytes(
      9,
      attribute((value) => value.bytes(7, new Uint8Array([1, 2, 3]))),
    ),
  ).finish();
  const body = Buffer.concat([Buffer.from([0xff, 0xff]), request, Buffer.from([0xff])]);
  const outcome = decodeOtlpProtobuf(body.subarray(2, -1));
  body.fill(0);
  expect(outcome).toMatchObject({
    kind: "decoded",
    request: {
      spans: [
        { traceId: "ab".repeat(16), attributes: new Map([["a", new Uint8Array([1, 2, 3])]]) },
      ],
    },
  });
});

describe("ids", () => {
  const good = spanWithIds(TRACE_ID, SPAN_ID);

  it("rejects spans without a valid trace id and keeps the rest", () => {
    const request = decode(
      requestOf(
        spanWithIds(TRACE_ID.subarray(1), SPAN_ID),
        good,
        spanWithIds(new Uint8Array(16), SPAN_ID),
      ),
    );
    expect(request.spans).toHaveLength(1);
    expect(request.rejected).toBe(2);
    expect(request.rejectedReason).toBe(
      "2 spans rejected: trace_id must be 16 bytes and not all zero",
    );
  });

  it("rejects a span without a valid span id", () => {
    const request = decode(requestOf(spanWithIds(TRACE_ID, new Uint8Array(8)), good));
    expect(request.spans).toHaveLength(1);
    expect(request.rejectedReason).toBe(
      "1 span rejected: span_id must be 8 bytes and not all zero",
    );
  });

  it("rejects a span whose parent id has the wrong size", () => {
    const request = decode(requestOf(spanWithIds(TRACE_ID, SPAN_ID, SPAN_ID.subarray(1)), good));
    expect(request.spans).toHaveLength(1);
    expect(request.rejectedReason).toBe("1 span rejected: parent_span_id must be 8 bytes or empty");
  });

  it("counts by reason when there are several", () => {
    const request = decode(
      requestOf(
        spanWithIds(TRACE_ID, TRACE_ID),
        spanWithIds(SPAN_ID, TRACE_ID),
        spanWithIds(TRACE_ID, new Uint8Array()),
      ),
    );
    expect(request.spans).toEqual([]);
    expect(request.rejectedReason).toBe(
      "3 spans rejected: span_id must be 8 bytes and not all zero (2); " +
        "trace_id must be 16 bytes and not all zero (1)",
    );
  });

  it("takes an empty or zero parent id as no parent", () => {
    const request = decode(
      requestOf(
        spanWithIds(TRACE_ID, SPAN_ID, new Uint8Array()),
        spanWithIds(TRACE_ID, SPAN_ID, new Uint8Array(8)),
        spanWithIds(TRACE_ID, SPAN_ID, SPAN_ID),
      ),
    );
    expect(request.spans.map((span) => span.parentSpanId)).toEqual([null, null, "cd".repeat(8)]);
  });

  it("does not take an id for the one before it", () => {
    const other = TRACE_ID.with(15, 0xac);
    const request = decode(
      requestOf(
        good,
        spanWithIds(other, SPAN_ID, SPAN_ID),
        spanWithIds(TRACE_ID, SPAN_ID, SPAN_ID.with(0, 1)),
      ),
    );
    expect(request.spans.map((span) => [span.traceId.slice(-2), span.parentSpanId])).toEqual([
      ["ab", null],
      ["ac", "cdcdcdcdcdcdcdcd"],
      ["ab", "01cdcdcdcdcdcdcd"],
    ]);
  });

  it("keeps the ids of a link as they are", () => {
    const link = message((link) =>
      link.bytes(1, new Uint8Array([1, 2])).bytes(2, new Uint8Array(20)),
    );
    expect(decodeSpan((span) => span.bytes(13, link)).links).toMatchObject([
      { traceId: "0102", spanId: "00".repeat(20) },
    ]);
  });
});

describe("repeated fields", () => {
  it("takes the last of a scalar", () => {
    expect(decodeSpan((span) => span.bytes(5, "first").bytes(5, "last")).name).toBe("last");
  });

  it("merges a status", () => {
    const span = decodeSpan((span) =>
      span
        .bytes(
          15,
          message((status) => status.bytes(2, "kept").varint(3, 1)),
        )
        .bytes(
          15,
          message((status) => status.varint(3, 2)),
        ),
    );
    expect([span.statusCode, span.statusMessage]).toEqual([2, "kept"]);
  });

  it("merges resources and scopes, also when they come after their spans", () => {
    const span = spanWithIds(TRACE_ID, SPAN_ID);
    const one = attribute((value) => value.varint(3, 1));
    const two = message((keyValue) => keyValue.bytes(1, "b"));
    const scopeSpans = message((writer) =>
      writer
        .bytes(2, span)
        .bytes(
          1,
          message((scope) => scope.bytes(1, "name").bytes(3, one)),
        )
        .bytes(3, "scope-url")
        .bytes(2, span)
        .bytes(
          1,
          message((scope) => scope.bytes(2, "version").varint(4, 5).bytes(3, two)),
        ),
    );
    const request = message((request) =>
      request.bytes(
        1,
        message((writer) =>
          writer
            .bytes(2, scopeSpans)
            .bytes(
              1,
              message((resource) => resource.bytes(1, one)),
            )
            .bytes(
              1,
              message((resource) => resource.bytes(1, two).varint(2, 3)),
            )
            .bytes(3, "resource-url"),
        ),
      ),
    );
    const { spans } = decode(request);
    const attributes = new Map([
      ["a", 1],
      ["b", null],
    ]);
    expect(spans).toHaveLength(2);
    expect(spans[0]?.resource).toEqual({
      attributes,
      schemaUrl: "resource-url",
      droppedAttributesCount: 3,
    });
    expect(spans[0]?.scope).toEqual({
      name: "name",
      version: "version",
      attributes,
      schemaUrl: "scope-url",
      droppedAttributesCount: 5,
    });
    expect(spans[1]?.resource).toBe(spans[0]?.resource);
    expect(spans[1]?.scope).toBe(spans[0]?.scope);
  });

  it("takes the last attribute of a key", () => {
    const span = decodeSpan((span) =>
      span
        .bytes(
          9,
          attribute((value) => value.varint(3, 1)),
        )
        .bytes(
          9,
          attribute((value) => value.bytes(1, "last")),
        ),
    );
    expect(span.attributes).toEqual(new Map([["a", "last"]]));
  });

  it("takes the last member of a value, and merges lists and maps", () => {
    const list = (text: string) =>
      message((list) =>
        list.bytes(
          1,
          message((value) => value.bytes(1, text)),
        ),
      );
    const map = (text: string) =>
      message((map) =>
        map.bytes(
          1,
          message((kv) => kv.bytes(1, text)),
        ),
      );
    const value = (write: (value: ProtobufWriter) => void) =>
      decodeSpan((span) => span.bytes(9, attribute(write))).attributes.get("a");
    expect(value((any) => any.bytes(1, "x").varint(3, 7))).toBe(7);
    expect(value((any) => any.bytes(5, list("x")).bytes(5, list("y")))).toEqual(["x", "y"]);
    expect(value((any) => any.bytes(5, list("x")).varint(2, 1).bytes(5, list("y")))).toEqual(["y"]);
    expect(value((any) => any.bytes(6, map("x")).bytes(6, map("y")))).toEqual(
      new Map([
        ["x", null],
        ["y", null],
      ]),
    );
    const twice = message((keyValue) =>
      keyValue
        .bytes(1, "a")
        .bytes(
          2,
          message((any) => any.bytes(5, list("x"))),
        )
        .bytes(
          2,
          message((any) => any.bytes(5, list("y"))),
        ),
    );
    expect(decodeSpan((span) => span.bytes(9, twice)).attributes.get("a")).toEqual(["x", "y"]);
  });
});

describe("values", () => {
  const value = (write: (value: ProtobufWriter) => void) =>
    decodeSpan((span) => span.bytes(9, attribute(write))).attributes.get("a");

  it.each([
    [0n, 0],
    [-1n, -1],
    [127n, 127],
    [128n, 128],
    [2n ** 31n, 2 ** 31],
    [2n ** 32n, 2 ** 32],
    [-(2n ** 32n), -(2 ** 32)],
    [2n ** 53n - 1n, 2 ** 53 - 1],
    [2n ** 53n, 2n ** 53n],
    [-(2n ** 53n) + 1n, -(2 ** 53) + 1],
    [-(2n ** 53n), -(2n ** 53n)],
    [2n ** 63n - 1n, 2n ** 63n - 1n],
    [-(2n ** 63n), -(2n ** 63n)],
  ])("reads the integer %d exactly", (integer, expected) => {
    expect(value((any) => any.varint(3, integer))).toBe(expected);
  });

  it("takes any number but zero for true", () => {
    expect(value((any) => any.varint(2, 2n ** 40n))).toBe(true);
    expect(value((any) => any.varint(2, 0))).toBe(false);
  });

  it("keeps NaN, the infinities and -0", () => {
    for (const double of [Number.NaN, Infinity, -Infinity, -0]) {
      expect(value((any) => any.double(4, double))).toBe(double);
    }
  });

  it("replaces invalid UTF-8 and nothing else", () => {
    const bytes = Buffer.concat([
      Buffer.from("ok "),
      Buffer.from([0xc3, 0x28, 0xff]),
      Buffer.from(" ü"),
    ]);
    expect(value((any) => any.bytes(1, bytes))).toBe("ok \ufffd(\ufffd ü");
    expect(decodeSpan((span) => span.bytes(5, bytes)).name).toBe("ok \ufffd(\ufffd ü");
  });

  it("keeps texts apart that look alike to a cache", () => {
    const texts = Array.from({ length: 3000 }, (_, i) => `llm.input.${i % 1000}.message`);
    const list = message((list) => {
      for (const text of texts)
        list.bytes(
          1,
          message((any) => any.bytes(1, text)),
        );
    });
    expect(value((any) => any.bytes(5, list))).toEqual(texts);
  });

  it("takes unknown kinds and status codes for unspecified", () => {
    const span = decodeSpan((span) =>
      span.varint(6, -1).bytes(
        15,
        message((status) => status.varint(3, 99).bytes(2, "why")),
      ),
    );
    expect([span.kind, span.statusCode, span.statusMessage]).toEqual([0, 0, "why"]);
  });

  it("reads times up to the last nanosecond that fits", () => {
    const span = decodeSpan((span) =>
      span.fixed64(7, 1_790_000_000_123_456_789n).fixed64(8, 2n ** 64n - 1n),
    );
    expect(span.start).toEqual({ us: 1_790_000_000_123_456, nanos: 789 });
    expect(span.end).toEqual({ us: Number(2n ** 64n / 1000n), nanos: 615 });
  });

  it("reads spans of exporters that still have instrumentation libraries", () => {
    const library = message((writer) =>
      writer
        .bytes(
          1,
          message((library) => library.bytes(1, "old")),
        )
        .bytes(2, spanWithIds(TRACE_ID, SPAN_ID)),
    );
    const request = message((request) =>
      request.bytes(
        1,
        message((writer) => writer.bytes(1000, library)),
      ),
    );
    expect(decode(request).spans).toMatchObject([{ scope: { name: "old" } }]);
  });
});

describe("unknown fields", () => {
  it("skips a known field of another wire type", () => {
    const span = decodeSpan((span) =>
      span.bytes(5, "kept").varint(5, 1).bytes(6, "x").fixed32(7, 1),
    );
    expect([span.name, span.kind, span.start.us]).toEqual(["kept", 0, 0]);
  });

  it("takes a value of an unknown kind for null", () => {
    const span = decodeSpan((span) =>
      span.bytes(
        9,
        attribute((value) => value.varint(8, 3)),
      ),
    );
    expect(span.attributes).toEqual(new Map([["a", null]]));
  });
});

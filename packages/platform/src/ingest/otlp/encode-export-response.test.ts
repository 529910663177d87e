import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { expect, it } from "vitest";
import { encodeExportResponse } from "./encode-export-response.ts";

it("is empty when nothing was rejected", () => {
  expect(encodeExportResponse("protobuf", 0, "")).toEqual(new Uint8Array());
  expect(new TextDecoder().decode(encodeExportResponse("json", 0, ""))).toBe("{}");
});

it.each([1, 127, 128, 300, 2 ** 32 + 1])("says %d rejected spans to an OTLP client", (rejected) => {
  const reason = `${rejected} spans rejected: “trace_id” ${"long ".repeat(100)}`;
  const protobuf = encodeExportResponse("protobuf", rejected, reason);
  expect(ProtobufTraceSerializer.deserializeResponse(protobuf)).toEqual({
    partialSuccess: { rejectedSpans: rejected, errorMessage: reason },
  });
  const json = encodeExportResponse("json", rejected, reason);
  expect(JsonTraceSerializer.deserializeResponse(json)).toEqual({
    partialSuccess: { rejectedSpans: String(rejected), errorMessage: reason },
  });
});

it("has memory of its own", () => {
  for (const encoding of ["protobuf", "json"] as const) {
    const bytes = encodeExportResponse(encoding, 2, "why");
    expect(bytes.buffer.byteLength).toBe(bytes.byteLength);
  }
});
